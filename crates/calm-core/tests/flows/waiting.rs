//! Nobody is sent off while words of theirs wait to be heard.

use calm_core::end_session::{EndSession, NextAction, SleepQuality};
use calm_core::{Effect, Event, Format, Kind, Lang, Question, ToolCall, step};

use crate::session::{Session, check_in, check_out, context};

#[test]
fn a_short_check_in_hears_what_follows_the_number() {
    let session = check_in(Lang::Ru).say_and_more("готовность восемь");
    assert_eq!(session.keys(), ["ack_readiness"]);
    assert_eq!(session.asks(), None, "an answer is on its way already");
    let session = session.say("спал плохо");
    assert_eq!(session.keys().last(), Some(&"close_ready"));
    let known = &session.ending().extracted_attributes;
    assert_eq!((known.trading_readiness, known.sleep_quality), (Some(8), Some(SleepQuality::Poor)));
}

#[test]
fn a_cry_for_help_behind_a_finished_check_in_is_heard() {
    let session = check_in(Lang::En).say_and_more("eight out of ten").say("i don't want to live any more");
    assert_eq!(session.asks(), Some(Question::Safety));
    let ending = session.ending_after_leaving();
    assert_eq!(ending.recommended_next_action, NextAction::SeekSupport);
}

#[test]
fn a_wish_to_stop_is_respected_and_what_comes_after_it_heard() {
    let session = check_out(Lang::Ru).say_and_more("не хочу говорить");
    assert_eq!((session.keys(), session.asks()), (vec!["respect_silence"], None));
    let session = session.say_and_more("ладно, минус пятьсот");
    assert_eq!(session.asks(), None, "nobody who asked for silence is asked on");
    let ending = session.say("больше ничего").ending().clone();
    assert!(ending.extracted_attributes.session_result.is_some());
}

#[test]
fn a_model_does_not_end_over_words_that_wait() {
    let end = || {
        let ended = check_out(Lang::Ru).leave().ending().clone();
        ToolCall::EndSession(Box::new(EndSession { session_summary: "done".to_owned(), ..ended }))
    };
    let mut session = Session::open(Lang::Ru, context(Kind::CheckOut, Format::Short));
    session.state.more_waits(true);
    let mut session = session.tell_model("минус по плану, злюсь немного").model_calls("Понимаю.", end());
    assert_eq!(session.tool(), None);
    session.state.more_waits(false);
    let session = session.tell_model("всё").model_calls("До завтра.", end());
    assert!(!session.forced());
}

#[test]
fn without_more_words_a_finished_check_in_ends_as_before() {
    let session = check_in(Lang::Ru).say("готовность восемь");
    let (_, effects) = step(session.state, Event::Left);
    assert!(effects.iter().all(|effect| !matches!(effect, Effect::End { .. })), "it has ended already");
}
