//! What people say beside the question: to Calm, about the last talk, in a hurry, to put something right.

use calm_core::{Format, Kind, Lang, Question, ToolCall};
use rstest::rstest;

use crate::session::{Session, check_in, check_out, context};

fn medium(kind: Kind, lang: Lang) -> Session {
    Session::open(lang, context(kind, Format::Medium))
}

#[rstest]
#[case::recording(Lang::Ru, "а ты меня записываешь?", "recording_answer")]
#[case::who_listens(Lang::Ru, "кто это слушает, куда уходят данные?", "recording_answer")]
#[case::recording_en(Lang::En, "are you recording me?", "recording_answer")]
#[case::abilities(Lang::Ru, "а что ты умеешь?", "abilities_answer")]
#[case::abilities_en(Lang::En, "what can you do?", "abilities_answer")]
#[case::habit(Lang::Ru, "а как мне перестать овертрейдить?", "habit_answer")]
#[case::habit_en(Lang::En, "how do I stop overtrading?", "habit_answer")]
#[case::quit(Lang::Ru, "как думаешь, стоит ли мне вообще торговать?", "quit_answer")]
#[case::quit_en(Lang::En, "do you think I should quit trading?", "quit_answer")]
#[case::anything_else(Lang::Ru, "а почему небо голубое?", "cannot_answer")]
#[case::anything_else_en(Lang::En, "what's the weather tomorrow?", "cannot_answer")]
fn a_question_to_calm_is_answered_and_the_talk_goes_on(
    #[case] lang: Lang,
    #[case] question: &str,
    #[case] answer: &str,
) {
    let session = check_in(lang).say(question);
    assert_eq!(session.keys().first(), Some(&answer), "{:?}", session.keys());
    assert_eq!(session.asks(), Some(Question::HowAreYou), "asked again, for it was not answered");
    let ending = session.ending_after_leaving();
    assert!(!ending.risk_flags.tilt_risk, "a question about a habit is no tilt");
}

#[rstest]
#[case::said(Lang::Ru, "что я вчера говорил?")]
#[case::plan(Lang::Ru, "а какой у меня был план вчера?")]
#[case::en(Lang::En, "what did I say yesterday?")]
fn the_last_talk_is_looked_up(#[case] lang: Lang, #[case] question: &str) {
    let session = check_in(lang).say(question);
    let call = session.replies.last().and_then(|r| r.tool.clone());
    assert!(matches!(call, Some(ToolCall::GetUserHistory(asked)) if asked.days.is_some()), "{:?}", session.keys());
}

#[rstest]
#[case::ru(Lang::Ru, "как думаешь, я всё делаю не так?")]
#[case::en(Lang::En, "do you think I do it all wrong?")]
fn a_question_is_no_lesson(#[case] lang: Lang, #[case] question: &str) {
    let start =
        if lang == Lang::Ru { "минус двести, мне грустно" } else { "down 200, feeling sad" };
    let session = medium(Kind::CheckOut, lang).say(start);
    assert_eq!(session.asks(), Some(Question::Learnings));
    let session = session.say(question);
    assert!(!session.keys().contains(&"ack_learning"), "{:?}", session.keys());
    assert_eq!(session.state.known().learnings, None);
}

#[rstest]
#[case::got_it(Lang::Ru, "минус двести, мне грустно", "ладно, понял")]
#[case::a_curse(Lang::Ru, "минус двести, мне грустно", "достало всё, злюсь")]
#[case::en(Lang::En, "down 200, feeling sad", "fine, I get it")]
fn neither_is_okay_or_a_curse(#[case] lang: Lang, #[case] start: &str, #[case] said: &str) {
    let session = medium(Kind::CheckOut, lang).say(start).say(said);
    assert!(!session.keys().contains(&"ack_learning"), "{:?}", session.keys());
    assert_eq!(session.state.known().learnings, None);
}

#[rstest]
#[case::ru(Lang::Ru, "готовность семь", "нет, я сказал шесть")]
#[case::misheard(Lang::Ru, "готовность семь", "ты не так услышал, шесть")]
#[case::en(Lang::En, "readiness seven", "no, I said six")]
fn calm_is_put_right(#[case] lang: Lang, #[case] first: &str, #[case] corrected: &str) {
    let session = medium(Kind::CheckIn, lang).say(first).say(corrected);
    assert_eq!(session.state.known().readiness.as_ref().map(|r| r.value), Some(6));
    assert_eq!(session.keys()[..2], ["ack_corrected", "ack_readiness"], "{:?}", session.keys());
}

#[test]
fn a_correction_says_no_to_nothing_else() {
    let mut context = context(Kind::CheckOut, Format::Medium);
    context.session.has_matching_checkin = true;
    let session = Session::open(Lang::Ru, context).say("закрыл день в плюс, спокоен");
    assert_eq!(session.asks(), Some(Question::PlanComparison));
    let session = session.say("нет, я не это имел в виду");
    assert_eq!(session.state.known().plan_adherence, None);
    assert_eq!(session.keys().first(), Some(&"ack_corrected"));
}

#[rstest]
#[case::ru(Lang::Ru, "тревожно, готовность семь, ой нет, шесть")]
#[case::en(Lang::En, "nervous, readiness seven, no wait, six")]
fn the_second_number_of_a_breath_is_meant(#[case] lang: Lang, #[case] said: &str) {
    let session = check_in(lang).say(said);
    let ending = session.ending();
    assert_eq!(ending.extracted_attributes.trading_readiness, Some(6));
    assert_eq!(ending.extracted_attributes.stress_level, None, "the other number is on no other scale");
}

#[rstest]
#[case::ru(Lang::Ru, "слушай, давай быстро")]
#[case::en(Lang::En, "make it quick")]
fn who_has_no_time_is_asked_one_thing(#[case] lang: Lang, #[case] said: &str) {
    let session = medium(Kind::CheckIn, lang).say(said);
    assert_eq!(session.keys(), ["ack_hurry", "ask_readiness"]);
    let session = session.say("7");
    assert_eq!(session.keys(), ["ack_readiness", "close_ready"]);
}

#[rstest]
#[case::ru(Lang::Ru, "ладно мне бежать надо, рынок открылся")]
#[case::en(Lang::En, "gotta run, market's open")]
fn who_has_to_go_is_not_told_to_be_silent(#[case] lang: Lang, #[case] said: &str) {
    let session = check_in(lang).say(said);
    assert_eq!(session.keys(), ["close_in_hurry"]);
    assert!(session.end.is_some());
}

#[test]
fn a_word_for_the_risk_is_no_worry() {
    let session = medium(Kind::CheckIn, Lang::Ru)
        .say("вчера всё отдал")
        .say("досадно, сам виноват")
        .say("спал плохо")
        .say("не знаю")
        .say("не больше двух сделок и выключить терминал");
    assert_eq!(session.asks(), Some(Question::Readiness));
    let session = session.say("низкий");
    assert!(session.state.known().stressors.is_empty(), "{:?}", session.state.known().stressors);
}

#[test]
fn a_pull_to_win_it_back_is_no_yes_to_a_pause() {
    let session = check_out(Lang::Ru).say("слил тысячу, сейчас отыграюсь");
    assert_eq!(session.asks(), Some(Question::Practice));
    let session = session.say("надо отбить деньги");
    assert!(!session.keys().contains(&"practice_start"));
}

#[rstest]
#[case::ru(Lang::Ru, "спокойно, спал хорошо", "да вроде всё")]
#[case::en(Lang::En, "calm, slept well", "I think that's it")]
fn that_is_all_ends_an_open_talk(#[case] lang: Lang, #[case] start: &str, #[case] all: &str) {
    let facts = if lang == Lang::Ru {
        ["ничего", "торговать по тренду", "обычный", "готовность семь"]
    } else {
        ["nothing", "trade the trend", "normal", "readiness seven"]
    };
    let open = Session::open(lang, context(Kind::CheckIn, Format::Unlimited)).say(start);
    let session = facts.into_iter().fold(open, Session::say);
    assert_eq!(session.asks(), Some(Question::More));
    let session = session.say(all);
    assert!(session.end.is_some(), "{:?}", session.keys());
}

#[rstest]
#[case::ru(Lang::Ru, "маме лучше, спасибо")]
#[case::en(Lang::En, "mum is better, thanks")]
fn good_news_is_more_than_a_thank_you(#[case] lang: Lang, #[case] said: &str) {
    assert_eq!(check_in(lang).say(said).keys().first(), Some(&"ack_relief"));
}

#[rstest]
#[case::ru(Lang::Ru, "стресс девять", "поговорить хочу")]
#[case::en(Lang::En, "stress nine", "I'd rather talk")]
fn who_would_rather_talk_gets_no_practice(#[case] lang: Lang, #[case] start: &str, #[case] talk: &str) {
    let session = check_in(lang).say(start);
    assert_eq!(session.asks(), Some(Question::Practice));
    let session = session.say(talk);
    assert_eq!(session.keys(), ["ask_tell"]);
    assert!(session.replies.iter().all(|r| r.tool.is_none()));
    let session = session.say(if lang == Lang::Ru {
        "начальник орёт, дома тоже"
    } else {
        "my boss shouts at me"
    });
    assert!(!session.keys().iter().any(|key| key.starts_with("offer_")), "{:?}", session.keys());
}
