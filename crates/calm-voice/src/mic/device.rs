//! Which microphones there are. Nothing is recorded here, and no permission is asked for.

use super::MicError;
use cpal::traits::{DeviceTrait, HostTrait};

/// A microphone that could be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// For [`crate::Microphone::open`]; stays the same over restarts where the system allows it.
    pub id: String,
    /// For people.
    pub name: String,
    /// Whether the system would choose it.
    pub default: bool,
}

/// The microphones that are connected.
///
/// # Errors
/// The sound system cannot be asked. No microphone at all is an empty list.
pub fn devices() -> Result<Vec<Device>, MicError> {
    keep_off_stderr();
    let host = cpal::default_host();
    let chosen = host.default_input_device().and_then(|device| device.id().ok());
    let devices = host.input_devices()?.filter_map(|device| {
        let id = device.id().ok()?;
        let name = device.description().map_or_else(|_| id.to_string(), |description| description.to_string());
        Some(Device { default: chosen.as_ref() == Some(&id), id: id.to_string(), name })
    });
    Ok(devices.collect())
}

/// Whether the system's choice of microphone is there.
pub fn is_connected() -> bool {
    keep_off_stderr();
    cpal::default_host().default_input_device().is_some_and(|device| device.default_input_config().is_ok())
}

/// The device with this [`Device::id`], or the system's choice.
pub(super) fn find(id: Option<&str>) -> Result<cpal::Device, MicError> {
    keep_off_stderr();
    let host = cpal::default_host();
    match id {
        None => host.default_input_device().ok_or(MicError::NoDevice),
        Some(id) => {
            let id = id.parse().map_err(|_| MicError::UnknownDevice)?;
            host.device_by_id(&id).ok_or(MicError::UnknownDevice)
        }
    }
}

/// ALSA prints each of its attempts that fails, over whatever stands in the terminal; the error itself comes to us too.
///
/// Holds for the calling thread.
#[cfg(target_os = "linux")]
fn keep_off_stderr() {
    if let Err(error) = alsa::Output::local_error_handler() {
        tracing::debug!(%error, "ALSA prints its errors itself");
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_off_stderr() {}
