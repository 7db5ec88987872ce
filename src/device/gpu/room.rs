//! How much memory an adapter gives, which no limit of wgpu tells: asked for once, before a footprint rests on it.

use crate::device::Fault;
use crate::pattern::{Limits, power_of_two_below};

use super::TIMEOUT;
use super::buffers::storage;
use super::faults::Faults;

/// The most buffers of a case that are more than a trace of its footprint: two inputs and an output.
const LARGE_BUFFERS: u64 = 3;
/// An adapter without room for a footprint of so many bytes can't measure.
const LEAST: u64 = 1 << 20;

/// Cuts the footprint to what the device gives; the text for the rows says so.
///
/// # Errors
/// Where it gives hardly anything; another fault.
pub(super) fn fit(
    device: &wgpu::Device,
    faults: &Faults,
    limits: &mut Limits,
) -> Result<Option<String>, Fault> {
    let wanted = limits.footprint;
    while !gives(device, faults, limits)? {
        if limits.footprint <= LEAST {
            return Err(Fault::OutOfMemory(format!("the device has no room for {} bytes", limits.footprint)));
        }
        let less = power_of_two_below(limits.footprint - 1);
        limits.footprint = less;
        limits.random_footprint = limits.random_footprint.min(less);
        limits.max_binding = limits.max_binding.min(less);
    }
    let given = limits.footprint;
    Ok((given < wanted)
        .then(|| format!("footprint of {wanted} bytes cut to {given}: the device gives no more")))
}

/// Whether the device gives buffers such as a case of that footprint has.
fn gives(device: &wgpu::Device, faults: &Faults, limits: &Limits) -> Result<bool, Fault> {
    let largest = limits.max_binding;
    let total = limits.footprint.min(LARGE_BUFFERS * largest);
    let sizes = (0..total).step_by(largest as usize).map(|start| largest.min(total - start));
    let buffers: Result<Vec<wgpu::Buffer>, Fault> =
        sizes.map(|bytes| faults.catch(device, || storage(device, bytes))).collect();
    let given = buffers.map(drop);
    faults.wait(device, TIMEOUT)?;
    match given {
        Ok(()) => Ok(true),
        Err(Fault::OutOfMemory(_)) => Ok(false),
        Err(other) => Err(other),
    }
}
