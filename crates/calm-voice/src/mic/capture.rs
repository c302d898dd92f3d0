//! One recording through whatever happens to the device: it is opened again by itself, and the recording goes on.

use super::watch::Watch;
use super::{MicError, Microphone};
use crate::millis;
use std::time::{Duration, Instant};

/// How long a device that went away is waited for.
const PATIENCE: Duration = Duration::from_secs(20);
/// So long the chosen device alone is tried; after that the system's choice takes its place.
const OWN_FIRST: Duration = Duration::from_secs(3);
const RETRY: Duration = Duration::from_millis(500);
/// The gap is heard as a short pause: long enough to part two words, too short to end the turn.
const GAP: usize = millis(300);

/// What the user should know while the recording goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Nothing comes from the device any more; it is being waited for.
    Away,
    /// It is back, or another took its place.
    Back,
    /// The chosen device is not there: the system's choice records.
    OtherDevice,
    /// The input is muted, or dead.
    Silent,
    /// The input is so loud that it is torn.
    Clipping,
}

/// A microphone that comes back.
pub struct Capture {
    chosen: Option<String>,
    mic: Option<Microphone>,
    /// Whether the device in use is the chosen one.
    own: bool,
    away: Option<Away>,
    watch: Watch,
    notices: Vec<Notice>,
    lost: u64,
}

struct Away {
    since: Instant,
    last_try: Option<Instant>,
}

impl Capture {
    /// Opens the device with this [`crate::mic::Device::id`], or the system's choice. A chosen device that is not
    /// connected is replaced by the system's choice, with a notice.
    ///
    /// # Errors
    /// No microphone is there, it is taken, or the system forbids it.
    pub fn open(chosen: Option<&str>) -> Result<Self, MicError> {
        let (mic, own) = match Microphone::open(chosen) {
            Err(MicError::UnknownDevice | MicError::NoDevice) if chosen.is_some() => (Microphone::open(None)?, false),
            other => (other?, true),
        };
        Ok(Self {
            chosen: chosen.map(str::to_owned),
            mic: Some(mic),
            own,
            away: None,
            watch: Watch::default(),
            notices: if own { Vec::new() } else { vec![Notice::OtherDevice] },
            lost: 0,
        })
    }

    /// The [`crate::mic::Device::id`] that records; `None` for the system's choice.
    pub fn device(&self) -> Option<&str> {
        self.chosen.as_deref().filter(|_| self.own)
    }

    /// Waits for the next sound, at most for `patience`, and returns what has come; empty where nothing came, also
    /// while the device is away.
    ///
    /// # Errors
    /// The device went away and did not come back in twenty seconds, or the system has forbidden its use. What was
    /// recorded before has been returned already.
    pub fn read(&mut self, patience: Duration) -> Result<Vec<f32>, MicError> {
        let Some(mic) = &mut self.mic else { return self.come_back(patience) };
        match mic.read(patience) {
            Ok(mut block) => {
                if !block.is_empty() && self.away.take().is_some() {
                    self.notices.push(if self.own { Notice::Back } else { Notice::OtherDevice });
                    block.splice(0..0, [0.0; GAP]);
                }
                self.notices.extend(self.watch.hear(&block));
                Ok(block)
            }
            Err(MicError::Gone) => Ok(self.let_go()),
            Err(error) => Err(error),
        }
    }

    /// What has come up since the last call, oldest first.
    pub fn notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Whether sound has begun to arrive: the moment to say "speak now".
    pub fn is_live(&self) -> bool {
        self.watch.is_live()
    }

    /// How loud it is right now: root mean square, 0–1.
    pub fn level(&self) -> f32 {
        self.mic.as_ref().map_or(0.0, Microphone::level)
    }

    /// Samples lost because nobody read for ten seconds, at the device's rate.
    pub fn lost(&self) -> u64 {
        self.lost + self.mic.as_ref().map_or(0, Microphone::lost)
    }

    /// Stops recording and returns what was still on its way.
    ///
    /// # Errors
    /// As [`Microphone::stop`].
    pub fn stop(mut self) -> Result<Vec<f32>, MicError> {
        self.mic.take().map_or(Ok(Vec::new()), Microphone::stop)
    }

    /// Gives up the device, but not what it had delivered.
    fn let_go(&mut self) -> Vec<f32> {
        if self.away.is_none() {
            self.away = Some(Away { since: Instant::now(), last_try: None });
            self.notices.push(Notice::Away);
        }
        let Some(mic) = self.mic.take() else { return Vec::new() };
        self.lost += mic.lost();
        mic.stop().unwrap_or_default()
    }

    fn come_back(&mut self, patience: Duration) -> Result<Vec<f32>, MicError> {
        let Some(away) = &mut self.away else { return Err(MicError::Gone) };
        if away.since.elapsed() > PATIENCE {
            return Err(MicError::Gone);
        }
        if away.last_try.is_some_and(|at| at.elapsed() < RETRY) {
            std::thread::sleep(patience.min(RETRY));
            return Ok(Vec::new());
        }
        let own = self.chosen.is_none() || away.since.elapsed() < OWN_FIRST;
        let opened = Microphone::open(self.chosen.as_deref().filter(|_| own));
        // Opening may take its time.
        away.last_try = Some(Instant::now());
        match opened {
            Ok(mic) => {
                self.mic = Some(mic);
                self.own = own;
            }
            Err(MicError::Denied) => return Err(MicError::Denied),
            Err(error) => tracing::debug!(%error, "the microphone is not back yet"),
        }
        Ok(Vec::new())
    }
}
