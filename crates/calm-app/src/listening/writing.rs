//! Writes words down while the speaker goes on, on a thread of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use calm_core::Lang;
use calm_voice::{Clip, Draft};

use super::held;
use crate::ears::Ears;
use crate::error::AppError;

/// A stretch of speech.
pub(super) struct Piece {
    pub samples: Vec<f32>,
    /// Where it begins in the recording, in samples.
    pub at: usize,
    /// Nothing more belongs to it: its words are final.
    pub finished: bool,
}

/// Works until nobody hands on pieces any more; gives what it has written.
///
/// Every finished piece is written. Of the others only the newest is looked at, and none once the turn is `over`.
/// `None` if the models fail: the whole recording will say why.
pub(super) fn write_down(
    ears: &Mutex<Ears>,
    language: Lang,
    pieces: &Receiver<Piece>,
    words: &Sender<String>,
    over: &AtomicBool,
) -> Option<Draft> {
    // Loaded while the first words are spoken.
    held(ears).load().inspect_err(quietly).ok()?;
    let mut draft = Draft::default();
    while let Ok(mut piece) = pieces.recv() {
        while !piece.finished
            && let Ok(newer) = pieces.try_recv()
        {
            piece = newer;
        }
        let began = Instant::now();
        if piece.finished {
            held(ears).settle(&mut draft, &piece.samples, piece.at).inspect_err(quietly).ok()?;
        } else if over.load(Ordering::Relaxed) {
            continue;
        } else {
            let glanced = held(ears).glance(&Clip { samples: piece.samples }, language).inspect_err(quietly).ok()?;
            draft.glanced(&glanced);
        }
        tracing::debug!(took = ?began.elapsed(), finished = piece.finished, "words while speaking");
        words.send(draft.text()).ok();
    }
    Some(draft)
}

fn quietly(error: &AppError) {
    tracing::warn!(%error, "nothing is written down while speaking");
}
