//! Verification: every element of the output against the scalar reference, from the pipeline that is timed.

use rayon::prelude::*;

use crate::device::{Device, Fault, KernelId};

/// What the text of [`Wrong`] starts with.
pub(super) const WRONG: &str = "wrong result";

/// The first element that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("wrong result: element {index} of the output is {got:08x?}, expected {expected:08x?}")]
pub struct Wrong {
    /// Index of the element.
    pub index: u64,
    /// What the device wrote; unused words are zero.
    pub got: [u32; 4],
    /// What the reference says.
    pub expected: [u32; 4],
}

/// Runs one dispatch and checks its whole output.
///
/// # Errors
/// A fault of the device; the inner error is a wrong result.
pub fn verify(device: &mut dyn Device, kernel: KernelId, parts: u32) -> Result<Result<(), Wrong>, Fault> {
    let (expected, element) = device.expected(kernel);
    let fill = device.fill();
    let words = element.words() as usize;
    let mut found = None;
    device.output(kernel, parts, &mut |first_word, chunk| {
        let first = first_word / words as u64;
        found = chunk.par_chunks_exact(words).enumerate().find_map_first(|(offset, words)| {
            let index = first + offset as u64;
            let expected = expected(&fill, index);
            (expected[..words.len()] != *words).then(|| {
                let mut got = [0; 4];
                got[..words.len()].copy_from_slice(words);
                Wrong { index, got, expected }
            })
        });
        found.is_none()
    })?;
    Ok(found.map_or(Ok(()), Err))
}
