//! How much of each element of a buffer a kernel uses, over all its accesses.

use crate::model::{Access, Binding, Request};

/// The longest element that is kept account of, in bytes; of longer ones nothing is said.
const LONGEST: usize = 4096;

/// The bytes of the elements of runtime-sized arrays that requests touched.
#[derive(Clone, Debug)]
pub(in crate::analyze) struct Used {
    /// Per binding; none without a runtime-sized array.
    elements: Vec<Option<ElementUse>>,
    /// The binding of each access.
    of_access: Vec<Option<usize>>,
}

#[derive(Clone, Debug)]
struct ElementUse {
    /// Where the array starts in its buffer, in bytes.
    offset: u64,
    /// Bytes from one element to the next, padding included.
    stride: u64,
    /// Whether a byte of the element was touched; empty where the element is too long.
    touched: Vec<bool>,
    /// How many were not, so that a whole element costs no more looks.
    left: usize,
}

impl Used {
    /// Nothing used yet.
    pub(in crate::analyze) fn new(bindings: &[Binding], accesses: &[Access]) -> Used {
        let element = |binding: &Binding| {
            let element = binding.element.as_ref()?;
            let stride = u64::from(element.stride).max(1);
            let bytes = usize::try_from(stride).ok().filter(|&bytes| bytes <= LONGEST).unwrap_or(0);
            let touched = vec![false; bytes];
            Some(ElementUse { offset: u64::from(element.offset), stride, touched, left: bytes })
        };
        Used {
            elements: bindings.iter().map(element).collect(),
            of_access: accesses.iter().map(|access| access.binding).collect(),
        }
    }

    /// Looks at a request, of any access.
    pub(in crate::analyze) fn add(&mut self, request: &Request<'_>) {
        let binding = self.of_access.get(request.access).copied().flatten();
        let Some(Some(element)) = binding.and_then(|binding| self.elements.get_mut(binding)) else { return };
        for &address in request.addresses {
            if element.left == 0 {
                return;
            }
            if address >= element.offset {
                let first = ((address - element.offset) % element.stride) as usize;
                element.touch(first, request.bytes as usize);
            }
        }
    }

    /// Whether an access takes less than an element.
    pub(super) fn is_member(&self, access: &Access) -> bool {
        self.of_buffer(access).is_some_and(|element| u64::from(access.bytes) < element.stride)
    }

    /// Bytes of an element that all requests together touched, in the buffer of an access; 0 where that is
    /// not known.
    pub(super) fn bytes_of(&self, access: &Access) -> u64 {
        self.of_buffer(access).map_or(0, |element| (element.touched.len() - element.left) as u64)
    }

    fn of_buffer(&self, access: &Access) -> Option<&ElementUse> {
        self.elements.get(access.binding?)?.as_ref()
    }
}

impl ElementUse {
    fn touch(&mut self, first: usize, bytes: usize) {
        for touched in self.touched.iter_mut().skip(first).take(bytes) {
            self.left -= usize::from(!*touched);
            *touched = true;
        }
    }
}
