//! The rule behind the addresses of a request, where there is one: so many bytes along x, so many along y.

use super::collect::SampleRequest;

/// Of so many lanes one may break the rule that the others follow.
const LANES_PER_EXCEPTION: usize = 8;

/// Addresses that are a sum of multiples of the lanes' coordinates in their workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Affine {
    /// Bytes from one lane to the next along x, y and z; 0 also where there is only one lane.
    pub(super) stride: [i64; 3],
    /// Lanes of the request along x, y and z.
    pub(super) extent: [u32; 3],
    /// Where the lanes of a line act as rows of this width: x is the lane modulo that, y the quotient.
    pub(super) width: Option<u32>,
}

/// A rule, and which lanes of the request follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) affine: Affine,
    /// For each lane of the request.
    pub(super) follows: Vec<bool>,
}

/// A lane's coordinates and its address.
type Point = ([i64; 3], i64);

impl Affine {
    /// The rule of a request, if it has one: of its workgroup, or of rows that the shader folds it into.
    ///
    /// A rule of all lanes goes before one of most: an index that is clamped or wrapped at an edge takes
    /// few lanes from it, at most one of [`LANES_PER_EXCEPTION`].
    pub(super) fn of(request: &SampleRequest, subgroup_size: u32, workgroup_size: [u32; 3]) -> Option<Fit> {
        let widths = (1..subgroup_size.max(1).ilog2()).map(|log| 1 << log);
        let lanes = request.lanes.len();
        [lanes, lanes - lanes / LANES_PER_EXCEPTION].into_iter().find_map(|least| {
            let fit = |size| Affine::with_shape(request, subgroup_size, size, least);
            fit(workgroup_size).or_else(|| {
                widths.clone().filter(|_| workgroup_size[1] == 1).find_map(|width| {
                    let Fit { affine, follows } = fit([width, u32::MAX, 1])?;
                    Some(Fit { affine: Affine { width: Some(width), ..affine }, follows })
                })
            })
        })
    }

    /// The rule of active lanes that take evenly spaced addresses in some order, as where each appends what it
    /// has to a list: x is their position among these addresses.
    pub(super) fn in_order(request: &SampleRequest) -> Option<Affine> {
        let mut sorted = request.addresses.clone();
        sorted.sort_unstable();
        let apart = sorted.get(1)? - sorted.first()?;
        let is_even = sorted.windows(2).all(|pair| matches!(pair, [a, b] if b - a == apart));
        let stride = [i64::try_from(apart).ok()?, 0, 0];
        is_even.then_some(Affine { stride, extent: [sorted.len() as u32, 1, 1], width: None })
    }

    /// The name of an axis.
    pub(super) fn axis(&self, axis: usize) -> String {
        match (self.width, axis) {
            (Some(width), 0) => format!("lane % {width}"),
            (Some(width), _) => format!("lane / {width}"),
            (None, _) => ["x", "y", "z"].get(axis).copied().unwrap_or("z").to_owned(),
        }
    }

    /// The rule that at least so many lanes of the request follow.
    fn with_shape(
        request: &SampleRequest,
        subgroup_size: u32,
        workgroup_size: [u32; 3],
        least: usize,
    ) -> Option<Fit> {
        let [width, height, _] = workgroup_size.map(|n| n.max(1));
        let points: Vec<Point> = request
            .lanes
            .iter()
            .zip(&request.addresses)
            .map(|(&lane, &address)| {
                let index = request.subgroup * subgroup_size + lane;
                let at = [index % width, index / width % height, index / width / height];
                (at.map(i64::from), address as i64)
            })
            .collect();
        let stride = [0, 1, 2].map(|axis| common_stride(&points, axis));
        let of_lane = |at: &[i64; 3]| -> i64 { (0..3).map(|axis| stride[axis] * at[axis]).sum() };
        let base = most_frequent(points.iter().map(|(at, address)| address - of_lane(at)).collect())?;
        let follows: Vec<bool> = points.iter().map(|(at, address)| base + of_lane(at) == *address).collect();
        let following =
            || points.iter().zip(&follows).filter(|(_, follows)| **follows).map(|(point, _)| point);
        if following().count() < least {
            return None;
        }
        let mut extent = [1; 3];
        for (axis, extent) in extent.iter_mut().enumerate() {
            let coordinates = following().map(|(at, _)| at[axis]);
            let (low, high) = (coordinates.clone().min()?, coordinates.max()?);
            *extent = (high - low + 1) as u32;
        }
        Some(Fit { affine: Affine { stride, extent, width: None }, follows })
    }

    /// Axes along which there is more than one lane.
    pub(super) fn axes(&self) -> Vec<usize> {
        (0..3).filter(|&axis| self.extent[axis] > 1).collect()
    }
}

/// Bytes from a lane to the next along an axis, as most neighbours have it; 0 without neighbours.
fn common_stride(points: &[Point], axis: usize) -> i64 {
    let mut sorted: Vec<&Point> = points.iter().collect();
    let line = |at: &[i64; 3]| {
        let mut line = *at;
        line[axis] = 0;
        line
    };
    sorted.sort_by_key(|(at, _)| (line(at), at[axis]));
    let apart = |pair: &[&Point]| {
        let [(a, low), (b, high)] = pair else { return None };
        let lanes = b[axis] - a[axis];
        (line(a) == line(b) && lanes > 0 && (high - low) % lanes == 0).then(|| (high - low) / lanes)
    };
    most_frequent(sorted.windows(2).filter_map(apart).collect()).unwrap_or(0)
}

/// The most frequent number, the least of several.
fn most_frequent(mut numbers: Vec<i64>) -> Option<i64> {
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a == b);
    runs.min_by_key(|run| std::cmp::Reverse(run.len())).and_then(|run| run.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(lanes: impl Iterator<Item = u32>, address: impl Fn(u32) -> u64) -> SampleRequest {
        let lanes: Vec<u32> = lanes.collect();
        SampleRequest {
            workgroup: [0; 3],
            subgroup: 1,
            sequence: 0,
            addresses: lanes.iter().map(|&lane| address(lane)).collect(),
            lanes,
            bytes: 4,
            memory: None,
            banks: None,
            alike: 1,
        }
    }

    #[test]
    fn strides_along_the_axes() {
        let line = request(0..32, |lane| 1000 + u64::from(lane) * 12);
        let of = |request| Affine::of(request, 32, [64, 1, 1]).map(|fit| fit.affine);
        assert_eq!(of(&line), Some(Affine { stride: [12, 0, 0], extent: [32, 1, 1], width: None }));
        let backwards = request(0..32, |lane| 1000 - u64::from(lane) * 4);
        assert_eq!(of(&backwards).unwrap().stride, [-4, 0, 0]);
        // 16 by 16: subgroup 1 has rows 2 and 3
        let square = request(0..32, |lane| u64::from(lane % 16) * 4096 + u64::from(lane / 16) * 4);
        let of = Affine::of(&square, 32, [16, 16, 1]).unwrap().affine;
        assert_eq!((of.stride, of.extent), ([4096, 4, 0], [16, 2, 1]));
        assert_eq!(of.axes(), [0, 1]);
        assert_eq!(of.axis(1), "y");
    }

    #[test]
    fn lines_that_are_folded_into_rows() {
        let folded = request(0..32, |lane| u64::from(lane % 16) * 4096 + u64::from(lane / 16) * 4);
        let of = Affine::of(&folded, 32, [256, 1, 1]).unwrap().affine;
        assert_eq!((of.stride, of.extent, of.width), ([4096, 4, 0], [16, 2, 1], Some(16)));
        assert_eq!((of.axis(0), of.axis(1)), ("lane % 16".to_owned(), "lane / 16".to_owned()));
    }

    #[test]
    fn a_few_lanes_may_break_the_rule() {
        // the slice starts one word off; lanes at an edge are clamped or wrap around
        let shifted = |edge: u32, to: u64| {
            request(0..32, move |lane| if lane < edge { 4 + u64::from(lane) * 4 } else { to })
        };
        for (edge, to) in [(31, 124), (31, 0), (29, 4096)] {
            let fit = Affine::of(&shifted(edge, to), 32, [64, 1, 1]).unwrap();
            assert_eq!((fit.affine.stride, fit.affine.extent[0]), ([4, 0, 0], edge));
            assert_eq!(fit.follows.iter().filter(|follows| **follows).count(), edge as usize);
        }
        assert_eq!(Affine::of(&shifted(27, 4096), 32, [64, 1, 1]), None, "five of 32 are not few");
        // every row of 16 wraps around
        let rows = request(0..32, |lane| u64::from(lane / 16) * 4096 + u64::from((lane + 1) % 16) * 4);
        assert_eq!(Affine::of(&rows, 32, [16, 16, 1]).unwrap().affine.stride, [4, 4096, 0]);
    }

    #[test]
    fn active_lanes_in_the_order_of_their_addresses() {
        let to = [64, 32, 96, 128];
        let list = request([3, 7, 8, 30].into_iter(), |lane| to[(lane % 4) as usize]);
        let list = SampleRequest { addresses: to.to_vec(), ..list };
        let affine = Affine { stride: [32, 0, 0], extent: [4, 1, 1], width: None };
        assert_eq!(Affine::in_order(&list), Some(affine));
        let gap = SampleRequest { addresses: vec![0, 32, 96, 128], ..list };
        assert_eq!(Affine::in_order(&gap), None);
        assert_eq!(Affine::in_order(&request(0..1, u64::from)), None);
    }

    #[test]
    fn no_rule() {
        let squares = request(0..32, |lane| u64::from(lane) * u64::from(lane));
        assert_eq!(Affine::of(&squares, 32, [64, 1, 1]), None);
        let odd = request([0, 2, 4].into_iter(), |lane| [0, 0, 5, 0, 11][lane as usize]);
        assert_eq!(Affine::of(&odd, 32, [64, 1, 1]), None);
        assert_eq!(Affine::of(&request(0..0, u64::from), 32, [64, 1, 1]), None);
        let every_other = request((0..32).step_by(2), |lane| u64::from(lane) * 4);
        assert_eq!(Affine::of(&every_other, 32, [64, 1, 1]).unwrap().affine.stride, [4, 0, 0]);
    }
}
