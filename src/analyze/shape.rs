//! The rule behind the addresses of a request, where there is one: so many bytes along x, so many along y.

use super::collect::SampleRequest;

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

impl Affine {
    /// The rule of a request, if it has one: of its workgroup, or of rows that the shader folds it into.
    pub(super) fn of(
        request: &SampleRequest,
        subgroup_size: u32,
        workgroup_size: [u32; 3],
    ) -> Option<Affine> {
        let widths = (1..subgroup_size.max(1).ilog2()).map(|log| 1 << log);
        Affine::with_shape(request, subgroup_size, workgroup_size).or_else(|| {
            widths.filter(|_| workgroup_size[1] == 1).find_map(|width| {
                let affine = Affine::with_shape(request, subgroup_size, [width, u32::MAX, 1])?;
                Some(Affine { width: Some(width), ..affine })
            })
        })
    }

    /// The name of an axis.
    pub(super) fn axis(&self, axis: usize) -> String {
        match (self.width, axis) {
            (Some(width), 0) => format!("lane % {width}"),
            (Some(width), _) => format!("lane / {width}"),
            (None, _) => ["x", "y", "z"].get(axis).copied().unwrap_or("z").to_owned(),
        }
    }

    fn with_shape(request: &SampleRequest, subgroup_size: u32, workgroup_size: [u32; 3]) -> Option<Affine> {
        let [width, height, _] = workgroup_size.map(|n| n.max(1));
        let points: Vec<([i64; 3], i64)> = request
            .lanes
            .iter()
            .zip(&request.addresses)
            .map(|(&lane, &address)| {
                let index = request.subgroup * subgroup_size + lane;
                let at = [index % width, index / width % height, index / width / height];
                (at.map(i64::from), address as i64)
            })
            .collect();
        let &(origin, base) = points.first()?;
        let (mut stride, mut extent) = ([0; 3], [1; 3]);
        for axis in 0..3 {
            let on_axis = |at: &[i64; 3]| (0..3).all(|other| other == axis || at[other] == origin[other]);
            let neighbour = points.iter().find(|(at, _)| at[axis] != origin[axis] && on_axis(at));
            if let Some((at, address)) = neighbour {
                let (bytes, lanes) = (address - base, at[axis] - origin[axis]);
                if bytes % lanes != 0 {
                    return None;
                }
                stride[axis] = bytes / lanes;
            }
            let coordinates = points.iter().map(|(at, _)| at[axis]);
            let (low, high) = (coordinates.clone().min()?, coordinates.max()?);
            extent[axis] = (high - low + 1) as u32;
        }
        let predicted = |at: &[i64; 3]| -> i64 {
            base + (0..3).map(|axis| stride[axis] * (at[axis] - origin[axis])).sum::<i64>()
        };
        points.iter().all(|(at, address)| predicted(at) == *address).then_some(Affine {
            stride,
            extent,
            width: None,
        })
    }

    /// Axes along which there is more than one lane.
    pub(super) fn axes(&self) -> Vec<usize> {
        (0..3).filter(|&axis| self.extent[axis] > 1).collect()
    }
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
        let of = |request| Affine::of(request, 32, [64, 1, 1]);
        assert_eq!(of(&line), Some(Affine { stride: [12, 0, 0], extent: [32, 1, 1], width: None }));
        let backwards = request(0..32, |lane| 1000 - u64::from(lane) * 4);
        assert_eq!(of(&backwards).unwrap().stride, [-4, 0, 0]);
        // 16 by 16: subgroup 1 has rows 2 and 3
        let square = request(0..32, |lane| u64::from(lane % 16) * 4096 + u64::from(lane / 16) * 4);
        let of = Affine::of(&square, 32, [16, 16, 1]).unwrap();
        assert_eq!((of.stride, of.extent), ([4096, 4, 0], [16, 2, 1]));
        assert_eq!(of.axes(), [0, 1]);
        assert_eq!(of.axis(1), "y");
    }

    #[test]
    fn lines_that_are_folded_into_rows() {
        let folded = request(0..32, |lane| u64::from(lane % 16) * 4096 + u64::from(lane / 16) * 4);
        let of = Affine::of(&folded, 32, [256, 1, 1]).unwrap();
        assert_eq!((of.stride, of.extent, of.width), ([4096, 4, 0], [16, 2, 1], Some(16)));
        assert_eq!((of.axis(0), of.axis(1)), ("lane % 16".to_owned(), "lane / 16".to_owned()));
    }

    #[test]
    fn no_rule() {
        let squares = request(0..32, |lane| u64::from(lane) * u64::from(lane));
        assert_eq!(Affine::of(&squares, 32, [64, 1, 1]), None);
        let odd = request([0, 2, 4].into_iter(), |lane| [0, 0, 5, 0, 11][lane as usize]);
        assert_eq!(Affine::of(&odd, 32, [64, 1, 1]), None);
        assert_eq!(Affine::of(&request(0..0, u64::from), 32, [64, 1, 1]), None);
        let every_other = request((0..32).step_by(2), |lane| u64::from(lane) * 4);
        assert_eq!(Affine::of(&every_other, 32, [64, 1, 1]).unwrap().stride, [4, 0, 0]);
    }
}
