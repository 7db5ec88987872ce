//! What a comparison says of runs whose truth is known.

mod simulation;
mod statistics;
mod verbs;
