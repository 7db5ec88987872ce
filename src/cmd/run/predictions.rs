//! The model's part in a run: a prediction for every case, made before anything is timed.

use std::sync::atomic::AtomicBool;

use crate::device::{Device, host};
use crate::measure::CaseProgress;
use crate::pattern::Case;
use crate::predict::{self, NoPrediction};
use crate::record::RunInfo;

/// Adds their predictions to cases, and to the run the machine that they are for; what could not be predicted,
/// though it should, is noted.
///
/// The host's loops are native code and no WGSL, so nothing is predicted for them.
pub(super) fn add(
    progress: &mut [CaseProgress],
    device: &dyn Device,
    interrupted: &AtomicBool,
    info: &mut RunInfo,
) {
    if device.info().backend == host::BACKEND {
        return;
    }
    let machine = predict::of_device(device.info());
    info.machine = Some(predict::describe(&machine));
    let cases: Vec<Case> = progress.iter().map(|progress| progress.case.clone()).collect();
    let predictions = predict::predict_all(&cases, device.limits(), device.fill(), &machine, interrupted);
    for (progress, prediction) in progress.iter_mut().zip(predictions) {
        match prediction {
            Ok(prediction) => progress.prediction = Some(prediction),
            Err(NoPrediction::Skip(_) | NoPrediction::Interrupted) => {}
            Err(error) => info.notes.push(format!("no prediction for {}: {error}", progress.id)),
        }
    }
}
