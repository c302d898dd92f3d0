//! The system's own voice: Speech Dispatcher on Linux, `say` on macOS, System.Speech on Windows.
//!
//! Text goes through a socket or a pipe, never into the arguments of a process, where every user of the machine could
//! read it. Speaking returns at once; a word can be cut off in the middle.

use crate::asr::Tongue;

#[derive(Debug, thiserror::Error)]
pub enum AloudError {
    #[error("this system has no voice: {0}")]
    NoVoice(&'static str),
    #[error("the system's voice failed: {0}")]
    Failed(String),
}

/// A voice that says one thing at a time.
pub struct Aloud(system::Voice);

impl Aloud {
    /// Finds the system's voice, and starts its server where it has one.
    ///
    /// # Errors
    /// There is none, or it does not answer.
    pub fn find() -> Result<Self, AloudError> {
        system::Voice::find().map(Self)
    }

    /// Begins to say `text` in place of what is being said.
    ///
    /// # Errors
    /// The voice has gone; another [`Aloud::find`] may bring it back.
    pub fn say(&mut self, text: &str, tongue: Tongue) -> Result<(), AloudError> {
        // One line: a line with a single dot would end the text for some voices.
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.trim_start_matches(['.', '!']);
        self.hush();
        if line.chars().any(char::is_alphanumeric) { self.0.say(line, tongue) } else { Ok(()) }
    }

    /// Is quiet at once.
    pub fn hush(&mut self) {
        self.0.hush();
    }
}

impl Drop for Aloud {
    fn drop(&mut self) {
        self.hush();
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::AloudError;
    use crate::asr::Tongue;
    use ssip_client_async::fifo::synchronous::{Builder, UnixStream};
    use ssip_client_async::{Client, ClientError, ClientName, ClientScope, MessageScope, OK_LANGUAGE_SET};
    use std::time::Duration;

    /// A server that takes longer hangs.
    const PATIENCE: Duration = Duration::from_secs(3);
    const ADVICE: &str = "install speech-dispatcher and a voice for it";

    pub struct Voice(Client<UnixStream>);

    impl Voice {
        pub fn find() -> Result<Self, AloudError> {
            let mut builder = Builder::new();
            builder.timeout(PATIENCE);
            let connected = builder.build().or_else(|_| builder.with_spawn().and_then(Builder::build));
            let mut client = connected.map_err(|_| AloudError::NoVoice(ADVICE))?;
            client
                .set_client_name(ClientName::new("user", "calmtrader"))
                .and_then(|client| client.check_client_name_set())
                .map_err(|error| failed(&error))?;
            Ok(Self(client))
        }

        pub fn say(&mut self, line: &str, tongue: Tongue) -> Result<(), AloudError> {
            let client = &mut self.0;
            client
                .set_language(ClientScope::Current, tongue.code())
                .and_then(|client| client.check_status(OK_LANGUAGE_SET))
                .and_then(|client| client.speak())
                .and_then(|client| client.check_receiving_data())
                .and_then(|client| client.send_line(line))
                .and_then(|client| client.receive_message_id())
                .map_err(|error| failed(&error))?;
            Ok(())
        }

        pub fn hush(&mut self) {
            // Ours alone: a screen reader may be speaking through the same server.
            let hushed = self.0.cancel(MessageScope::Last).and_then(|client| client.receive());
            if let Err(error) = hushed {
                tracing::debug!(%error, "the voice could not be stopped");
            }
        }
    }

    fn failed(error: &ClientError) -> AloudError {
        AloudError::Failed(error.to_string())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::AloudError;
    use crate::asr::Tongue;
    use std::io::Write;
    use std::process::{Child, Command, Stdio};

    /// The program that is speaking; it ends with its text.
    #[derive(Default)]
    pub struct Voice(Option<Child>);

    impl Voice {
        pub fn find() -> Result<Self, AloudError> {
            Ok(Self::default())
        }

        pub fn say(&mut self, line: &str, tongue: Tongue) -> Result<(), AloudError> {
            let quiet = |command: &mut Command| {
                command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
            };
            let mut child = quiet(&mut program(tongue)).map_err(|error| AloudError::Failed(error.to_string()))?;
            if let Some(mut stdin) = child.stdin.take() {
                stdin.write_all(line.as_bytes()).map_err(|error| AloudError::Failed(error.to_string()))?;
            }
            self.0 = Some(child);
            Ok(())
        }

        pub fn hush(&mut self) {
            if let Some(mut child) = self.0.take() {
                child.kill().ok();
                child.wait().ok();
            }
        }
    }

    #[cfg(target_os = "macos")]
    fn program(tongue: Tongue) -> Command {
        let mut say = Command::new("/usr/bin/say");
        say.args(["-v", if tongue == Tongue::Ru { "Milena" } else { "Samantha" }, "-f", "-"]);
        say
    }

    #[cfg(target_os = "windows")]
    fn program(tongue: Tongue) -> Command {
        const SCRIPT: &str = "Add-Type -AssemblyName System.Speech; \
            $voice = New-Object System.Speech.Synthesis.SpeechSynthesizer; \
            $voice.SelectVoiceByHints('NotSet', 'NotSet', 0, [Globalization.CultureInfo]'LANGUAGE'); \
            [Console]::InputEncoding = [Text.Encoding]::UTF8; $voice.Speak([Console]::In.ReadToEnd())";
        let mut powershell = Command::new("powershell.exe");
        powershell.args(["-NoProfile", "-NonInteractive", "-Command", &SCRIPT.replace("LANGUAGE", tongue.code())]);
        powershell
    }
}
