//! The same fact in another light: a little of it, a death and not an errand, a loss that was taken evenly.

use calm_core::context::{SessionResult, Streak, StreakKind};
use calm_core::turn::Earlier;
use calm_core::{Event, Format, Kind, Lang, Question, State};
use rstest::rstest;

use crate::session::{Session, check_in, check_out, context};

fn medium(kind: Kind, lang: Lang) -> Session {
    Session::open(lang, context(kind, Format::Medium))
}

#[rstest]
#[case::ru(Lang::Ru, "немного устал")]
#[case::en(Lang::En, "a bit nervous I guess")]
fn a_little_of_it_is_called_a_little(#[case] lang: Lang, #[case] said: &str) {
    let session = check_in(lang).say(said);
    assert_eq!(session.keys().first(), Some(&"ack_mild"), "{:?}", session.keys());
}

#[rstest]
#[case::death(Lang::Ru, "бабушка умерла на той неделе", "ack_grief")]
#[case::death_en(Lang::En, "my dad died last week", "ack_grief")]
#[case::illness(Lang::Ru, "жена болеет, дома дурдом", "ack_illness")]
#[case::illness_en(Lang::En, "wife's sick, kids are home", "ack_illness")]
#[case::money(Lang::Ru, "кредит платить скоро", "ack_money")]
#[case::work(Lang::Ru, "на работе завал, дедлайн", "ack_work")]
#[case::family(Lang::Ru, "дочка в школу не хочет ходить", "ack_family")]
fn a_worry_is_answered_as_what_it_is(#[case] lang: Lang, #[case] worry: &str, #[case] answer: &str) {
    let start = if lang == Lang::Ru { "спокойно, спал хорошо" } else { "calm, slept well" };
    let session = medium(Kind::CheckIn, lang).say(start);
    assert_eq!(session.asks(), Some(Question::Stressors));
    let session = session.say(worry);
    assert_eq!(session.keys().first(), Some(&answer), "{:?}", session.keys());
    assert_eq!(session.slot("stressor"), None, "no quotation of it");
}

#[test]
fn no_worries_and_the_usual_risk_are_answers_too() {
    let session = medium(Kind::CheckIn, Lang::Ru).say("спокойно, спал хорошо").say("нет");
    assert_eq!(session.keys(), ["ack_nothing", "ask_plan"]);
    let session = session.say("торговать по тренду").say("обычный");
    assert_eq!(session.keys(), ["ack_risk_medium", "ask_readiness"]);
}

#[test]
fn what_is_known_is_not_praised_twice() {
    let session = medium(Kind::CheckOut, Lang::Ru).say("плюс сто, всё по плану");
    assert!(session.keys().contains(&"ack_followed"));
    let session = session.say("спокойно, по плану же");
    assert!(!session.keys().contains(&"ack_followed"), "{:?}", session.keys());
}

#[rstest]
#[case::evenly("минус 100, по плану", "нормально", "close_loss_even")]
#[case::hard("минус 100, по плану", "расстроен", "close_loss")]
fn a_loss_is_as_hard_as_it_is_said_to_be(#[case] result: &str, #[case] felt: &str, #[case] goodbye: &str) {
    let session = check_out(Lang::Ru).say(result).say(felt);
    let session = if session.end.is_some() { session } else { session.say("нет") };
    assert_eq!(session.keys().last(), Some(&goodbye));
}

#[rstest]
#[case::ru(Lang::Ru, "сегодня не торговал, решил отдохнуть", "спокойно", "без сделок")]
#[case::no_setup(Lang::Ru, "не было сделок, сетапа не дождался", "нормально", "без сделок")]
#[case::en(Lang::En, "didn't trade today, no setup", "fine, bit bored", "without trades")]
fn a_day_without_trades_is_asked_neither_result_nor_plan(
    #[case] lang: Lang,
    #[case] day: &str,
    #[case] felt: &str,
    #[case] noted: &str,
) {
    let mut context = context(Kind::CheckOut, Format::Medium);
    context.session.has_matching_checkin = true;
    let session = Session::open(lang, context).say(day);
    assert!(session.keys().contains(&"ack_no_trades"), "{:?}", session.keys());
    let session = if session.end.is_some() { session } else { session.say(felt) };
    assert_eq!(session.keys().last(), Some(&"close_no_trades"));
    assert!(!session.replies.iter().any(|r| matches!(r.asks, Some(Question::Result | Question::PlanComparison))));
    let ending = session.ending();
    assert_eq!(ending.extracted_attributes.plan_adherence, None, "no trade breaks no plan");
    assert!(ending.session_summary.to_lowercase().contains(noted), "{}", ending.session_summary);
}

#[test]
fn a_win_ends_a_losing_streak() {
    let mut context = context(Kind::CheckOut, Format::Short);
    context.user.streak = Some(Streak { kind: StreakKind::Losing, count: 3 });
    let session = Session::open(Lang::Ru, context).say("плюс 50, всё по плану");
    assert_eq!(session.keys()[..2], ["ack_streak_broken", "ack_followed"]);
    assert_eq!(session.slot("amount").as_deref(), Some("+50"));
    let session = session.say("легче стало");
    assert!(!session.everything_said().contains(&"process_over_result"), "the streak is over");
}

#[rstest]
#[case::better(Lang::Ru, "чуть лучше", "practice_better")]
#[case::no_better(Lang::Ru, "лучше не стало", "practice_same")]
#[case::same(Lang::Ru, "так же", "practice_same")]
#[case::better_en(Lang::En, "a bit better", "practice_better")]
#[case::no_help(Lang::En, "didn't really help", "practice_same")]
fn what_a_practice_did_is_heard(#[case] lang: Lang, #[case] said: &str, #[case] answer: &str) {
    let (start, yes) =
        if lang == Lang::Ru { ("стресс девять", "давай") } else { ("stress nine", "yes please") };
    let session = check_in(lang).say(start).say(yes).say(said);
    assert_eq!(session.keys().first(), Some(&answer), "{:?}", session.keys());
}

fn next_morning(mut earlier: Earlier, last: Option<SessionResult>) -> Session {
    let mut context = context(Kind::CheckIn, Format::Short);
    context.user.last_session_result = last;
    earlier.won = last == Some(SessionResult::Win);
    let state = State::new(Kind::CheckIn, Format::Short, Lang::Ru, context).at_hour(9).with_earlier(earlier);
    Session { state, replies: Vec::new(), end: None, model_asked: None }.on(Event::Opened)
}

#[test]
fn the_next_morning_remembers() {
    let said = |words: &str| Some(words.to_owned());
    let learned = Earlier { learning: said("что терпение работает"), ..Earlier::default() };
    let session = next_morning(learned.clone(), Some(SessionResult::Win));
    assert_eq!(session.keys().last(), Some(&"open_checkin_learning"));
    assert_eq!(session.slot("learning").as_deref(), Some("терпение работает"), "without the joint of the answer");

    let session = next_morning(learned, Some(SessionResult::Loss));
    assert_eq!(session.keys().last(), Some(&"open_checkin_after_loss"));
    assert_eq!(session.slot("learning").as_deref(), Some("терпение работает"));

    let session = next_morning(Earlier::default(), None);
    assert_eq!(session.keys().last(), Some(&"open_checkin_morning"), "nothing is known, nothing is remembered");

    let worried = |words: &str| Earlier { stressor: said(words), ..Earlier::default() };
    assert_eq!(next_morning(worried("жена болеет"), None).keys().last(), Some(&"open_checkin_stressor"));
    let session = next_morning(worried("бабушка умерла"), None);
    assert_eq!(session.keys().last(), Some(&"open_checkin_morning"), "a death is no opening line");
    let session = next_morning(worried(&"очень длинная история ".repeat(9)), Some(SessionResult::Win));
    assert_eq!(session.keys().last(), Some(&"open_checkin_after_win"));
}
