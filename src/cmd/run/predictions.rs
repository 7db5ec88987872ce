//! The model's part in a run: a prediction for every case, made before anything is timed.

use std::sync::atomic::AtomicBool;

use crate::device::{Device, host};
use crate::measure::CaseProgress;
use crate::pattern::Case;
use crate::predict::{self, NoPrediction};
use crate::record::RunInfo;

/// Cases with their predictions; what could not be predicted, though it should, is noted.
///
/// The host's loops are native code and no WGSL, so nothing is predicted for them.
pub(super) fn with_predictions(
    cases: Vec<Case>,
    device: &dyn Device,
    interrupted: &AtomicBool,
    info: &mut RunInfo,
) -> Vec<CaseProgress> {
    if device.info().backend == host::BACKEND {
        return cases.into_iter().map(CaseProgress::new).collect();
    }
    let machine = predict::of_device(device.info());
    info.machine = Some(predict::describe(&machine));
    let predictions = predict::predict_all(&cases, device.limits(), device.fill(), &machine, interrupted);
    cases
        .into_iter()
        .zip(predictions)
        .map(|(case, prediction)| {
            let mut progress = CaseProgress::new(case);
            match prediction {
                Ok(prediction) => progress.prediction = Some(prediction),
                Err(NoPrediction::Skip(_) | NoPrediction::Interrupted) => {}
                Err(error) => info.notes.push(format!("no prediction for {}: {error}", progress.id)),
            }
            progress
        })
        .collect()
}
