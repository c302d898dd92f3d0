//! Whatever is said: the rules answer it, with one ending and at most one tool a reply.
#![no_main]

use calm_core::context::{SessionContext, SessionFacts, UserFacts};
use calm_core::{Effect, Event, Format, Kind, Lang, State, step};

libfuzzer_sys::fuzz_target!(|said: (bool, Vec<String>)| {
    let (russian, turns) = said;
    let (kind, lang) = if russian { (Kind::CheckIn, Lang::Ru) } else { (Kind::CheckOut, Lang::En) };
    let context = SessionContext {
        session: SessionFacts {
            kind,
            format: Format::Unlimited,
            has_matching_checkin: false,
            session_number_today: 1,
        },
        user: UserFacts::default(),
        voice_analysis: None,
        previous_checkin: None,
    };
    let mut state = State::new(kind, Format::Unlimited, lang, context);
    let mut endings = 0;
    let heard = turns.into_iter().map(|text| Event::Heard { text, voice: None });
    for event in [Event::Opened].into_iter().chain(heard).chain([Event::Left, Event::Left]) {
        let (next, effects) = step(state, event);
        state = next;
        endings += effects.iter().filter(|effect| matches!(effect, Effect::End { .. })).count();
    }
    assert_eq!(endings, 1);
});
