//! The requests of a workgroup, kept: what pictures are drawn from.

use crate::model::count::{BankCount, MemoryCount};
use crate::model::{Access, Limits, Machine, Request, Workgroups, run_observed};

use super::{Kernel, NoPrediction};

/// One request: the addresses of the active lanes of a subgroup, and what they cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedRequest {
    /// Position of the access in [`Trace::accesses`].
    pub access: usize,
    /// The subgroup in its workgroup.
    pub subgroup: u32,
    /// Active lanes by their position in the subgroup, ascending.
    pub lanes: Vec<u32>,
    /// Byte address in the buffer or variable of each of these lanes.
    pub addresses: Vec<u64>,
    /// Bytes per lane.
    pub bytes: u32,
    /// Sectors and lines; none in workgroup memory.
    pub memory: Option<MemoryCount>,
    /// Degree and passes; none outside workgroup memory.
    pub banks: Option<BankCount>,
}

impl TracedRequest {
    fn of(request: &Request<'_>) -> TracedRequest {
        TracedRequest {
            access: request.access,
            subgroup: request.subgroup,
            lanes: request.lanes.to_vec(),
            addresses: request.addresses.to_vec(),
            bytes: request.bytes,
            memory: request.memory,
            banks: request.banks,
        }
    }
}

/// The first requests of one workgroup.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The access expressions of the kernel, in source order.
    pub accesses: Vec<Access>,
    /// Requests in the order of execution.
    pub requests: Vec<TracedRequest>,
}

impl Trace {
    /// Executes a workgroup of the linear grid and keeps the first `each` requests that its first subgroup
    /// makes at every access expression.
    ///
    /// # Errors
    /// [`NoPrediction`]: what the model refuses.
    pub fn new(
        kernel: &Kernel,
        machine: &Machine,
        workgroup: u32,
        each: usize,
    ) -> Result<Trace, NoPrediction> {
        let accesses = kernel.program.accesses().to_vec();
        let mut seen = vec![0; accesses.len()];
        let mut requests = Vec::new();
        let mut keep = |request: &Request<'_>| {
            if request.subgroup == 0 && seen[request.access] < each {
                seen[request.access] += 1;
                requests.push(TracedRequest::of(request));
            }
        };
        let dispatch = kernel.dispatch(Workgroups::List(vec![[workgroup, 0, 0]]));
        let limits = Limits::default();
        run_observed(&kernel.program, machine, &dispatch, &kernel.buffers, &limits, &mut keep)?;
        Ok(Trace { accesses, requests })
    }
}
