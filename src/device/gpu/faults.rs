//! wgpu reports most errors to whoever listens, and ends the program where nobody does. This listens.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::device::Fault;

/// The fault that a callback has seen and nobody has taken yet.
#[derive(Clone, Default)]
pub(super) struct Faults {
    seen: Arc<Mutex<Option<Fault>>>,
}

impl Faults {
    /// Listens to a device.
    pub(super) fn listen(device: &wgpu::Device) -> Faults {
        let faults = Faults::default();
        let (on_error, on_lost) = (faults.clone(), faults.clone());
        device.on_uncaptured_error(Arc::new(move |error| on_error.note(fault_of(error))));
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                on_lost.note(Fault::Lost(if message.is_empty() {
                    "no reason given".into()
                } else {
                    message
                }));
            }
        });
        faults
    }

    /// Keeps the fault that explains the others: what came first, unless the device was lost since.
    fn note(&self, fault: Fault) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &*seen {
            Some(Fault::Lost(_)) => {}
            Some(_) if !matches!(fault, Fault::Lost(_)) => {}
            _ => *seen = Some(fault),
        }
    }

    /// The fault seen since the last call.
    pub(super) fn take(&self) -> Result<(), Fault> {
        match self.seen.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }

    /// Runs an action whose errors are the caller's: validation, memory, and internal ones.
    pub(super) fn catch<T>(&self, device: &wgpu::Device, action: impl FnOnce() -> T) -> Result<T, Fault> {
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let value = action();
        // Scopes end in the reverse of their order.
        let [validation, memory, internal] =
            [validation, memory, internal].map(|scope| pollster::block_on(scope.pop()));
        self.take()?;
        // What there was no memory for is invalid, and so is whatever is done with it.
        match memory.or(validation).or(internal) {
            Some(error) => Err(fault_of(error)),
            None => Ok(value),
        }
    }

    /// Waits until everything submitted is done.
    pub(super) fn wait(&self, device: &wgpu::Device, timeout: Duration) -> Result<(), Fault> {
        let waited = device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(timeout) });
        self.take()?;
        match waited {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => Err(Fault::Timeout(timeout.as_secs())),
            Err(error) => Err(Fault::Rejected(error.to_string())),
        }
    }
}

fn fault_of(error: wgpu::Error) -> Fault {
    match error {
        wgpu::Error::OutOfMemory { source } => Fault::OutOfMemory(source.to_string()),
        wgpu::Error::Validation { description, .. } | wgpu::Error::Internal { description, .. } => {
            Fault::Rejected(description.trim().replace('\n', " "))
        }
    }
}
