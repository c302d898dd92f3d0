//! Where a label changes the guide's reply, and where it must not (SPEC C4).

use calm_core::contour::{Mind, Topic};
use calm_core::{Event, Format, Kind, Lang, State, step};
use rstest::rstest;

use super::session::{Session, check_in, check_out, context};

fn distrustful() -> Mind {
    Mind { trust: 0.2, ..Mind::default() }
}

fn missed(topic: Topic) -> Mind {
    Mind { risk_topics: vec![topic], ..Mind::default() }
}

const DAY: &str = "закрыл день в минус двести, злюсь, план нарушил";

#[test]
fn low_trust_gives_back_one_thing_and_asks_to_be_put_right() {
    let usual = check_out(Lang::Ru).say_to(&Mind::default(), DAY).keys();
    let careful = check_out(Lang::Ru).say_to(&distrustful(), DAY).keys();
    assert!(!usual.contains(&"check_hearing"));
    assert_eq!(careful.iter().filter(|key| **key == "check_hearing").count(), 1);
    let given_back = |keys: &[&str]| keys.iter().filter(|key| key.starts_with("ack_")).count();
    assert!(given_back(&careful) < given_back(&usual), "{careful:?} beside {usual:?}");
}

#[test]
fn it_asks_to_be_put_right_once_and_not_with_every_reply() {
    let mind = distrustful();
    let lines = ["спал плохо", "жена болеет", "план такой: две сделки", "риск обычный"];
    let open = Session::open(Lang::Ru, context(Kind::CheckIn, Format::Medium));
    let session = lines.iter().fold(open, |session, line| session.say_to(&mind, line));
    assert_eq!(session.everything_said().iter().filter(|key| **key == "check_hearing").count(), 1);
}

#[rstest]
#[case::its_own_topic(Topic::Result, true)]
#[case::another_one(Topic::Sleep, false)]
fn a_risk_topic_counts_where_it_is_spoken_of(#[case] topic: Topic, #[case] careful: bool) {
    let keys = check_out(Lang::Ru).say_to(&missed(topic), "закрыл день в минус двести").keys();
    assert_eq!(keys.contains(&"check_hearing"), careful, "{keys:?}");
}

#[rstest]
#[case(Lang::Ru, "прилетел маржин-колл по евро")]
#[case(Lang::En, "got a margin call on the euro")]
fn something_on_fire_slows_the_talk_down(#[case] lang: Lang, #[case] text: &str) {
    let keys = check_out(lang).say_to(&Mind::default(), text).keys();
    assert!(keys.contains(&"slow_down"), "{keys:?}");
}

#[test]
fn a_named_risk_is_slow_enough() {
    let keys = check_out(Lang::Ru).say_to(&Mind::default(), "минус двести, срочно хочу отыграться").keys();
    assert!(keys.contains(&"name_revenge") && !keys.contains(&"slow_down"), "{keys:?}");
}

#[test]
fn a_long_talk_is_summed_up_before_the_goodbye() {
    let lines = [
        "закрыл день в минус 500 долларов, две сделки",
        "злюсь на себя",
        "план нарушил",
        "вывод такой: не двигать стоп",
        "довольство днём на тройку",
        "спал плохо и стресс на семь",
        "нет, всё",
        "не надо",
    ];
    let tell = |mind: &Mind| {
        let open = Session::open(Lang::Ru, context(Kind::CheckOut, Format::Unlimited));
        lines
            .iter()
            .fold(open, |session, line| if session.end.is_some() { session } else { session.say_to(mind, line) })
    };
    let session = tell(&Mind::default());
    assert!(session.state.short_term().anchors().len() > 3);
    assert!(session.everything_said().contains(&"sum_up"), "{:?}", session.everything_said());
    let figures = session.slot("figures").unwrap_or_default();
    assert!(figures.contains("−500") && figures.contains("сделок 2"), "{figures}");
}

#[rstest]
#[case::trust(Mind { trust: 0.9, ..Mind::default() })]
#[case::a_known_topic(Mind { familiarity: 0.95, ..Mind::default() })]
#[case::a_topic_nobody_spoke_of(missed(Topic::Advice))]
fn these_labels_change_no_reply(#[case] mind: Mind) {
    let tell = |mind: &Mind| {
        let session = check_in(Lang::Ru).say_to(mind, "спал нормально, план две сделки по 1%");
        session.say_to(mind, "готовность восемь").everything_said()
    };
    assert_eq!(tell(&mind), tell(&Mind::default()));
}

#[test]
fn a_crisis_sounds_the_same_whatever_the_labels() {
    let text = "не хочу больше жить";
    let usual = check_out(Lang::Ru).say_to(&Mind::default(), text).keys();
    assert_eq!(check_out(Lang::Ru).say_to(&distrustful(), text).keys(), usual);
}

#[test]
fn questions_and_what_is_known_do_not_depend_on_a_label() {
    let lines = ["закрыл день в минус двести, прилетел маржин-колл", "злюсь", "план нарушил", "вывод: меньше лот"];
    let tell = |mind: Option<&Mind>| {
        let state = State::new(Kind::CheckOut, Format::Medium, Lang::Ru, context(Kind::CheckOut, Format::Medium));
        let (mut state, _) = step(state, Event::Opened);
        for line in lines {
            if let Some(mind) = mind {
                let said = calm_core::read(line, Lang::Ru, state.pending());
                let background = state.background(mind, &said);
                state.sensed(Some(calm_core::contour::sense(line, &said, None, &background)));
            }
            state = step(state, Event::Heard { text: line.to_owned(), voice: None }).0;
        }
        (state.pending(), state.known().clone())
    };
    assert_eq!(tell(Some(&distrustful())), tell(None));
}
