//! How much of each element of a buffer a kernel uses, over all its accesses.

use std::collections::BTreeMap;

use crate::analyze::collect::Kept;
use crate::model::{Access, Binding};

/// Bytes of an element that are used, by the binding's position.
#[derive(Clone, Debug, Default)]
pub(in crate::analyze) struct Used {
    /// Per binding and offset in the element, the longest access.
    pieces: BTreeMap<usize, BTreeMap<u64, u64>>,
    strides: BTreeMap<usize, u64>,
}

impl Used {
    /// Looks at the requests that were kept of all accesses.
    pub(in crate::analyze) fn of(bindings: &[Binding], accesses: &[Access], kept: &[Kept]) -> Used {
        let mut used = Used::default();
        for (position, binding) in bindings.iter().enumerate() {
            let Some(element) = &binding.element else { continue };
            let (offset, stride) = (u64::from(element.offset), u64::from(element.stride).max(1));
            used.strides.insert(position, stride);
            let of_binding = accesses.iter().zip(kept).filter(|(access, _)| access.binding == Some(position));
            for sample in of_binding.flat_map(|(_, kept)| &kept.samples) {
                let Some(&address) = sample.addresses.first() else { continue };
                let within = address.saturating_sub(offset) % stride;
                let longest = used.pieces.entry(position).or_default().entry(within).or_insert(0);
                *longest = u64::from(sample.bytes).max(*longest);
            }
        }
        used
    }

    /// Whether an access takes less than an element.
    pub(super) fn is_member(&self, access: &Access) -> bool {
        access
            .binding
            .and_then(|binding| self.strides.get(&binding))
            .is_some_and(|&stride| u64::from(access.bytes) < stride)
    }

    /// Bytes of an element that the kernel uses, in the buffer of an access.
    pub(super) fn bytes_of(&self, access: &Access) -> u64 {
        let Some(pieces) = access.binding.and_then(|binding| self.pieces.get(&binding)) else { return 0 };
        let (mut end, mut bytes) = (0, 0);
        for (&at, &length) in pieces {
            bytes += (at + length).saturating_sub(at.max(end));
            end = end.max(at + length);
        }
        bytes
    }
}
