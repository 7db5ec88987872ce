//! All cores on one dispatch, each with a fixed share of the output, as OpenMP's static schedule would.
//!
//! A thread that owns the same contiguous part of every buffer in every dispatch finds its pages on its
//! own memory node (it touched them first) and its lines in its own cache. Rayon's parallel iterators
//! don't promise that: a block goes to whoever steals it.

use std::ops::Range;
use std::sync::Mutex;

/// The units of a thread and its part of the output.
type Share<'a> = (Range<usize>, &'a mut [u32]);

/// Deals `out` to the threads in units of `unit_words` words and runs `work` once on each thread that got
/// any: with the range of its units and its part of the output.
pub(super) fn deal(out: &mut [u32], unit_words: usize, work: impl Fn(Range<usize>, &mut [u32]) + Sync) {
    let units = out.len() / unit_words;
    let team = rayon::current_num_threads();
    let mut rest = out;
    let shares: Vec<Mutex<Option<Share<'_>>>> = (0..team)
        .map(|member| {
            let range = share_of(units, member, team);
            let (part, tail) = std::mem::take(&mut rest).split_at_mut(range.len() * unit_words);
            rest = tail;
            Mutex::new((!range.is_empty()).then_some((range, part)))
        })
        .collect();
    rayon::broadcast(|member| {
        let share = shares.get(member.index()).and_then(|slot| slot.lock().ok()?.take());
        if let Some((range, part)) = share {
            work(range, part);
        }
    });
}

/// Deals arrays that lie one after the other in `out`, each `pitch` words after the one before, in units of
/// `unit_words` words of its first `words`: a thread gets the same units of every array.
pub(super) fn deal_arrays(
    out: &mut [u32],
    pitch: usize,
    words: usize,
    unit_words: usize,
    work: impl Fn(Range<usize>, &mut [&mut [u32]]) + Sync,
) {
    let (units, team) = (words / unit_words, rayon::current_num_threads());
    let mut shares: Vec<Vec<&mut [u32]>> = (0..team).map(|_| Vec::new()).collect();
    for array in out.chunks_mut(pitch).filter(|array| array.len() >= words) {
        let mut rest = array;
        for (member, share) in shares.iter_mut().enumerate() {
            let length = share_of(units, member, team).len() * unit_words;
            let (part, tail) = std::mem::take(&mut rest).split_at_mut(length);
            share.push(part);
            rest = tail;
        }
    }
    let shares: Vec<Mutex<Vec<&mut [u32]>>> = shares.into_iter().map(Mutex::new).collect();
    rayon::broadcast(|member| {
        let range = share_of(units, member.index(), team);
        if let Some(Ok(mut parts)) = shares.get(member.index()).map(Mutex::lock)
            && !range.is_empty()
        {
            work(range, &mut parts);
        }
    });
}

/// Deals the numbers `0..count` to the threads and runs `work` once on each thread that got any: for loops
/// whose stores don't stay within one part of the output.
pub(super) fn share(count: usize, work: impl Fn(Range<usize>) + Sync) {
    let team = rayon::current_num_threads();
    rayon::broadcast(|member| {
        let range = share_of(count, member.index(), team);
        if !range.is_empty() {
            work(range);
        }
    });
}

fn share_of(units: usize, member: usize, team: usize) -> Range<usize> {
    units * member / team..units * (member + 1) / team
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_dealt_once_in_order() {
        for units in [0, 1, 2, 3, 7, 64, 1001] {
            let mut out = vec![0u32; units * 3];
            deal(&mut out, 3, |range, part| {
                assert_eq!(part.len(), range.len() * 3);
                for (unit, words) in range.zip(part.chunks_exact_mut(3)) {
                    words.iter_mut().for_each(|word| *word += unit as u32 + 1);
                }
            });
            let expected: Vec<u32> = (0..units as u32).flat_map(|unit| [unit + 1; 3]).collect();
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn every_thread_gets_the_same_units_of_every_array() {
        let mut out = vec![0u32; 3 * 20];
        deal_arrays(&mut out, 20, 16, 2, |units, arrays| {
            assert_eq!(arrays.len(), 3);
            for (array, part) in arrays.iter_mut().enumerate() {
                for (word, position) in part.iter_mut().zip(units.start * 2..) {
                    *word = (100 * array + position + 1) as u32;
                }
            }
        });
        let word = |i: usize| if i % 20 < 16 { (100 * (i / 20) + i % 20 + 1) as u32 } else { 0 };
        assert!(out.iter().copied().eq((0..60).map(word)), "{out:?}");
    }

    #[test]
    fn numbers_are_shared_once() {
        let taken = Mutex::new(Vec::new());
        share(1001, |range| taken.lock().unwrap().extend(range));
        let mut taken = taken.into_inner().unwrap();
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..1001));
    }

    #[test]
    fn words_beyond_the_last_unit_are_nobodys() {
        let mut out = vec![9u32; 10];
        deal(&mut out, 4, |_, part| part.fill(1));
        assert_eq!(out, [1, 1, 1, 1, 1, 1, 1, 1, 9, 9]);
    }
}
