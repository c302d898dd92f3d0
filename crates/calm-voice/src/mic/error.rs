//! Why a microphone does not work, in one line each.

use cpal::ErrorKind;
use std::env::consts::OS;

/// How Windows words "access denied" when it comes out of cpal: the privacy switch for microphones is off.
const WINDOWS_DENIES: &str = "-2147024891";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MicError {
    #[error("no microphone is connected")]
    NoDevice,
    #[error("the chosen microphone is not connected")]
    UnknownDevice,
    #[error("the system does not let this program use the microphone: {}", where_to_allow(OS))]
    Denied,
    #[error("another program holds the microphone: {}", where_to_release(OS))]
    Busy,
    #[error("the microphone has stopped delivering sound")]
    Gone,
    #[error("the microphone delivers sound in a form that is not supported")]
    Unsupported,
    #[error("the sound system failed: {0}")]
    System(String),
}

impl From<cpal::Error> for MicError {
    fn from(error: cpal::Error) -> Self {
        match error.kind() {
            ErrorKind::DeviceNotAvailable => Self::NoDevice,
            ErrorKind::PermissionDenied => Self::Denied,
            ErrorKind::DeviceBusy => Self::Busy,
            ErrorKind::UnsupportedConfig | ErrorKind::UnsupportedOperation => Self::Unsupported,
            _ if error.to_string().contains(WINDOWS_DENIES) => Self::Denied,
            _ => Self::System(error.to_string()),
        }
    }
}

/// Where the user lets a program use the microphone, on the system with this [`OS`] name.
fn where_to_allow(os: &str) -> &'static str {
    match os {
        "windows" => "switch it on in Settings, Privacy & security, Microphone, for desktop apps too",
        "macos" => "switch it on in System Settings, Privacy & Security, Microphone, and start the program again",
        _ => "this account may have to join the group `audio`, or the sandbox has to be given the microphone",
    }
}

/// What takes a microphone for itself on the system with this [`OS`] name, and how to get it back.
fn where_to_release(os: &str) -> &'static str {
    match os {
        "windows" => "close it, or switch off exclusive mode in the device's advanced properties",
        "macos" => "close it and try again",
        _ => "close it, or choose the sound server's device in place of the raw one",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::unplugged(ErrorKind::DeviceNotAvailable, "", MicError::NoDevice)]
    #[case::refused(ErrorKind::PermissionDenied, "", MicError::Denied)]
    #[case::refused_on_windows(ErrorKind::BackendError, "Zugriff verweigert (os error -2147024891)", MicError::Denied)]
    #[case::held_by_another(ErrorKind::DeviceBusy, "", MicError::Busy)]
    #[case::odd_format(ErrorKind::UnsupportedConfig, "", MicError::Unsupported)]
    #[case::anything_else(ErrorKind::BackendError, "it broke", MicError::System("it broke".into()))]
    fn what_the_system_says(#[case] kind: ErrorKind, #[case] message: &'static str, #[case] expected: MicError) {
        assert_eq!(MicError::from(cpal::Error::with_message(kind, message)), expected);
    }

    #[rstest]
    fn every_system_has_its_own_line(#[values("linux", "windows", "macos")] os: &str) {
        for line in [where_to_allow(os), where_to_release(os)] {
            assert!(!line.contains('\n') && line.len() > 20, "{line}");
        }
        let others = ["linux", "windows", "macos"].into_iter().filter(|other| *other != os);
        for other in others {
            assert_ne!(where_to_allow(os), where_to_allow(other));
        }
    }
}
