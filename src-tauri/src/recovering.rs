//! After a crash: the session that it cut off goes on, with the recordings that were under way.

use calm_app::ears::Ears;
use calm_app::listening::{self, Leftover};
use calm_app::{AppError, Conductor, SessionId, Spoken};

use crate::desk::Desk;

/// Goes on with a session that a crash cut off today.
pub fn recover(desk: &Desk) {
    let resumed = desk.with(Conductor::pick_up);
    if !matches!(resumed, Ok(true)) {
        return;
    }
    if let Err(error) = desk.show_everything() {
        desk.report(error);
    }
    let Ok(Some(session)) = desk.with(|conductor| Ok(conductor.running())) else { return };
    let left = desk.with(|conductor| listening::leftovers(conductor.store(), session)).unwrap_or_default();
    hear(desk, session, left, |ears, one| ears.hear(&one.clip, listening::DEFAULT_MICROPHONE, Some(one.recording)));
}

/// All of it is heard before the goodbye, as it was said before the crash.
fn hear(
    desk: &Desk,
    session: SessionId,
    left: Vec<Leftover>,
    words: impl Fn(&mut Ears, &Leftover) -> Result<Spoken, AppError>,
) {
    let mut left = left.into_iter();
    while let Some(one) = left.next() {
        match desk.hear(Some(session), left.len() > 0, |ears| words(ears, &one)) {
            // Said when it was spoken; once is enough.
            Err(error) if error.code == AppError::NoWords.code() => {}
            Err(error) => desk.report(error),
            Ok(()) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use calm_app::{Format, Kind, Lang};

    #[test]
    fn everything_that_was_said_before_a_crash_is_heard_before_the_goodbye() {
        let desk = House::new();
        desk.with(|conductor| {
            conductor.set_language(Lang::En);
            Ok(())
        })
        .expect("open");
        desk.begin(Kind::CheckIn, Format::Short, "main").expect("begun");
        let session = desk.with(|conductor| Ok(conductor.running())).expect("open").expect("a talk");
        let said = ["readiness eight", "slept badly", "keeping it small today"];
        let left = desk.with(|conductor| {
            for _ in said {
                let recording = conductor.start_recording()?;
                conductor.store().append_chunk(recording, 0, &[0; 160])?;
            }
            listening::leftovers(conductor.store(), session)
        });
        let left = left.expect("recordings");
        let order: Vec<_> = left.iter().map(|one| one.recording).collect();
        hear(&desk, session, left, |_, one| {
            let nth = order.iter().position(|recording| *recording == one.recording).unwrap_or_default();
            Ok(spoken(said[nth], one))
        });
        let page = desk.with(|conductor| conductor.page(session)).expect("open").expect("the talk");
        let heard: Vec<&str> = page.turns.iter().filter_map(|turn| turn.user.as_deref()).collect();
        assert_eq!(heard, said);
        assert!(page.arguments.is_some() && !desk.is_running(), "then it says goodbye");
    }

    fn spoken(text: &str, one: &Leftover) -> Spoken {
        Spoken {
            text: text.to_owned(),
            emotion: None,
            seconds: 1.0,
            speech_seconds: 1.0,
            asr_ms: 0,
            ser_ms: 0,
            microphone: listening::DEFAULT_MICROPHONE.to_owned(),
            recording: Some(one.recording),
            session: None,
        }
    }
}
