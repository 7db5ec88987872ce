//! What an execution counted, per access expression and per buffer.

use super::buffers::AssumptionId;
use super::count::{BankCount, MemoryCount};
use super::error::Location;

/// Where the memory of an access is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// A storage buffer.
    Storage,
    /// A uniform buffer (or immediate data).
    Uniform,
    /// Workgroup memory.
    Workgroup,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AccessOp {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes in one step.
    Atomic,
}

/// What an atomic does with the old value and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicFun {
    /// Reads it.
    Load,
    /// Replaces it.
    Store,
    /// Adds.
    Add,
    /// Subtracts.
    Subtract,
    /// Bitwise and.
    And,
    /// Bitwise exclusive or.
    Xor,
    /// Bitwise or.
    Or,
    /// Keeps the lesser.
    Min,
    /// Keeps the greater.
    Max,
    /// Replaces it and gives the old one.
    Exchange,
    /// Replaces it where it equals a third value.
    CompareExchange,
}

/// One access expression of the source. Calls of one function share its expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// File, line and column of the expression.
    pub at: Location,
    /// Byte range of the expression in the source.
    pub span: std::ops::Range<usize>,
    /// Where its memory is.
    pub space: Space,
    /// The module-scope variable.
    pub variable: String,
    /// What it does.
    pub op: AccessOp,
    /// How an atomic changes its memory; none for loads and stores.
    pub atomic: Option<AtomicFun>,
    /// Size at the expression, per lane.
    pub bytes: u32,
    /// Position in [`Program::bindings`](super::Program::bindings); none for workgroup memory.
    pub binding: Option<usize>,
}

/// Sums over the requests of one access; `conflict_degree` and `same_address` are maxima.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Memory instructions of subgroups with an active lane.
    pub requests: u64,
    /// Active lanes.
    pub active_lanes: u64,
    /// Active lanes × size.
    pub requested_bytes: u64,
    /// Distinct bytes per request.
    pub unique_bytes: u64,
    /// Sectors × sector size; 0 in workgroup memory.
    pub fetched_bytes: u64,
    /// Distinct sectors per request; 0 in workgroup memory.
    pub sectors: u64,
    /// Fewest sectors per request; 0 in workgroup memory.
    pub ideal_sectors: u64,
    /// Distinct lines per request; 0 in workgroup memory.
    pub lines: u64,
    /// Passes over the banks; 0 outside workgroup memory.
    pub passes: u64,
    /// Passes without conflicts; 0 outside workgroup memory.
    pub ideal_passes: u64,
    /// Most distinct words of one bank in one phase; 0 outside workgroup memory.
    pub conflict_degree: u64,
    /// Most active lanes of one request at one address; atomics only.
    pub same_address: u64,
}

impl Counts {
    /// Adds a request against global memory.
    pub(super) fn add_memory(&mut self, lanes: u64, count: &MemoryCount, sector_bytes: u32) {
        self.requests += 1;
        self.active_lanes += lanes;
        self.requested_bytes += count.requested_bytes;
        self.unique_bytes += count.unique_bytes;
        self.fetched_bytes += count.sectors * u64::from(sector_bytes);
        self.sectors += count.sectors;
        self.ideal_sectors += count.ideal_sectors;
        self.lines += count.lines;
    }

    /// Adds a request against workgroup memory.
    pub(super) fn add_banks(&mut self, lanes: u64, bytes: &MemoryCount, count: &BankCount) {
        self.requests += 1;
        self.active_lanes += lanes;
        self.requested_bytes += bytes.requested_bytes;
        self.unique_bytes += bytes.unique_bytes;
        self.passes += count.passes;
        self.ideal_passes += count.ideal_passes;
        self.conflict_degree = self.conflict_degree.max(count.degree);
    }

    /// Adds the sums of another part of the same execution.
    pub fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.active_lanes += other.active_lanes;
        self.requested_bytes += other.requested_bytes;
        self.unique_bytes += other.unique_bytes;
        self.fetched_bytes += other.fetched_bytes;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
        self.lines += other.lines;
        self.passes += other.passes;
        self.ideal_passes += other.ideal_passes;
        self.conflict_degree = self.conflict_degree.max(other.conflict_degree);
        self.same_address = self.same_address.max(other.same_address);
    }

    /// Sectors / ideal sectors: 1 is perfect for what was asked. None where nothing was fetched.
    pub fn excess(&self) -> Option<f64> {
        (self.ideal_sectors > 0).then(|| self.sectors as f64 / self.ideal_sectors as f64)
    }

    /// Fetched / unique bytes. None where nothing was fetched.
    pub fn over_fetch(&self) -> Option<f64> {
        (self.unique_bytes > 0 && self.sectors > 0)
            .then(|| self.fetched_bytes as f64 / self.unique_bytes as f64)
    }

    /// Sectors per request. None without requests to global memory.
    pub fn sectors_per_request(&self) -> Option<f64> {
        (self.requests > 0 && self.sectors > 0).then(|| self.sectors as f64 / self.requests as f64)
    }
}

/// The counts of one access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessReport {
    /// The expression.
    pub access: Access,
    /// Its sums; all zero where it was never executed.
    pub counts: Counts,
    /// The assumptions that its address, or whether it executes, depends on; where it was never executed,
    /// those of the branches, loops and returns that may have kept lanes from it.
    pub depends_on: Vec<AssumptionId>,
}

impl AccessReport {
    /// Whether any lane executed it.
    pub fn executed(&self) -> bool {
        self.counts.requests > 0
    }
}

/// An index outside of its array, which was clamped to the last element as WGSL allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The indexing expression.
    pub at: Location,
    /// The variable indexed.
    pub variable: String,
    /// How many lanes did so, over all executions.
    pub lanes: u64,
    /// The first of them: its workgroup.
    pub workgroup: [u32; 3],
    /// Its local invocation index.
    pub lane: u32,
    /// Its index; negative indices of signed type included.
    pub index: i64,
    /// The length of the array.
    pub length: u64,
}

/// The traffic of one buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferReport {
    /// The variable.
    pub variable: String,
    /// Sectors over all requests.
    pub sectors: u64,
    /// Distinct sectors of each workgroup, summed over the workgroups: the traffic if caches were perfect
    /// within a workgroup.
    pub distinct_sectors: u64,
    /// The same per executed workgroup, in the order of [`Report::workgroups`].
    pub per_workgroup: Vec<u64>,
}

/// Something that the model tolerated but did not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// Where.
    pub at: Location,
    /// What, in words.
    pub what: String,
}

/// What an execution counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Workgroups of the grid.
    pub grid: [u32; 3],
    /// The workgroups executed, in order.
    pub workgroups: Vec<[u32; 3]>,
    /// One entry per access expression, in source order, executed or not.
    pub accesses: Vec<AccessReport>,
    /// One entry per buffer, as in [`Program::bindings`](super::Program::bindings).
    pub buffers: Vec<BufferReport>,
    /// Indices that were clamped, in source order.
    pub out_of_bounds: Vec<OutOfBounds>,
    /// What was tolerated and not counted, in source order.
    pub notes: Vec<Note>,
    /// Loops that were left before their end, in source order; see
    /// [`Limits::cut_loops_after`](super::Limits::cut_loops_after).
    pub cut_loops: Vec<Location>,
    /// Lane-array instructions executed, over all workgroups.
    pub steps: u64,
    /// Lane operations: instructions × lanes of a workgroup.
    pub lane_operations: u64,
}

/// One request, as an observer sees it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Position of the access in [`Report::accesses`].
    pub access: usize,
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// The subgroup in its workgroup.
    pub subgroup: u32,
    /// Requests of this workgroup so far.
    pub sequence: u64,
    /// Active lanes by their position in the subgroup, ascending.
    pub lanes: &'a [u32],
    /// Byte address in the buffer or variable of each of these lanes.
    pub addresses: &'a [u64],
    /// Bytes per lane of this piece of the access.
    pub bytes: u32,
    /// Sectors and lines; none in workgroup memory.
    pub memory: Option<MemoryCount>,
    /// Degree and passes; none outside workgroup memory.
    pub banks: Option<BankCount>,
}
