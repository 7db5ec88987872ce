//! Every case of the full suite computes what its definition says, on every adapter there is.

use stridemark::device::gpu::OpenOptions;
use stridemark::device::{Refusal, select};
use stridemark::measure::verify::verify;
use stridemark::pattern::{self, Depth};

/// Small, so that the whole suite takes seconds; large enough that every kernel has several workgroups.
const FOOTPRINT: u64 = 2 << 20;

#[test]
fn every_case_is_right_on_every_device() {
    let options = OpenOptions { footprint: Some(FOOTPRINT), runtime_checks: false, seed: 7 };
    let mut wrong = Vec::new();
    for candidate in select::candidates() {
        let mut device = candidate.open(&options).expect("the device opens");
        let mut checked = 0;
        for case in pattern::cases(Depth::Full) {
            let kernel = match device.prepare(&case) {
                Ok(kernel) => kernel,
                Err(Refusal::Skip(_)) => continue,
                Err(Refusal::Fault(fault)) => {
                    wrong.push(format!("{} {case}: {fault}", candidate.label()));
                    continue;
                }
            };
            checked += 1;
            if let Err(error) =
                verify(device.as_mut(), kernel.id, 3.min(kernel.groups) as u32).expect("a pass")
            {
                wrong.push(format!("{} {case}: {error}", candidate.label()));
            }
        }
        assert!(checked > 0, "{} ran no case", candidate.label());
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
