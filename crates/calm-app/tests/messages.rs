//! What goes into a model's messages is what the user agreed to, and nothing old.
#![allow(clippy::unwrap_used)]

use calm_app::prompting::Request;
use calm_app::settings::ProfileField;
use calm_app::triggers::Action;
use calm_app::{Begin, Clock, Conductor, Format, Kind, Lang, Paths, Secrets, Settings};
use serde_json::{Value, json};

fn house(dir: &tempfile::TempDir) -> Conductor {
    let paths = Paths { data: dir.path().join("data"), models: dir.path().join("models") };
    let mut conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).unwrap();
    let field =
        |name: &str, in_prompts| ProfileField { name: name.into(), value: format!("value of {name}"), in_prompts };
    conductor
        .save_settings(Settings {
            name: Some("Sam".into()),
            location: Some("Lisbon".into()),
            profile_fields: vec![field("broker", true), field("debts", false)],
            ..Settings::fresh(Lang::En)
        })
        .unwrap();
    conductor
}

fn system_message(conductor: &Conductor, context: &Value) -> String {
    let request = Request {
        context,
        language: "en",
        envelope: "en",
        now: None,
        opened_from: Some("window"),
        task: None,
        said: None,
        session: conductor.running(),
        plain: false,
        method: None,
        calendar: Vec::new(),
    };
    let assembly = conductor.prompts().assembly("en", "en").unwrap();
    let rendered = conductor.rendered(conductor.prompts(), &assembly, &request).unwrap();
    rendered.messages.into_iter().map(|message| message.content).collect::<Vec<_>>().join("\n=====\n")
}

#[test]
fn a_profile_field_is_told_only_where_its_owner_agreed() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = house(&dir);
    let text = system_message(&conductor, &json!({"user": {"name": "Sam"}}));
    assert!(text.contains("value of broker") && text.contains("Lisbon") && !text.contains("debts"), "{text}");
    let off = Settings { include_profile_fields: false, ..conductor.settings().clone() };
    conductor.save_settings(off).unwrap();
    assert!(!system_message(&conductor, &json!({})).contains("broker"));
}

#[test]
fn the_user_s_own_rules_are_told_and_stay_here_with_the_rest_of_the_profile() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = house(&dir);
    let mut settings = conductor.settings().clone();
    settings.set("max_trades", "3").unwrap();
    settings.set("stop_rule", "after two losses in a row").unwrap();
    conductor.save_settings(settings).unwrap();
    let text = system_message(&conductor, &json!({}));
    assert!(text.contains("most trades a day: 3") && text.contains("after two losses in a row"), "{text}");
    let off = Settings { include_profile_fields: false, ..conductor.settings().clone() };
    conductor.save_settings(off).unwrap();
    assert!(!system_message(&conductor, &json!({})).contains("two losses"));
}

#[test]
fn a_changed_fact_or_plan_is_in_the_very_next_message_whoever_changed_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut window = house(&dir);
    let text = |window: &Conductor| system_message(window, &json!({}));
    window.set_facts("## Active facts\n- half size until Friday").unwrap();
    assert!(text(&window).contains("half size"));
    window.set_facts("## Active facts\n- full size again").unwrap();
    assert!(text(&window).contains("full size") && !text(&window).contains("half size"));

    let mut terminal = house(&dir);
    terminal.add_plan("pause", "I want to win it back", &[Action::Pause { minutes: 5 }]).unwrap();
    assert!(text(&window).contains("[pause] If I want to win it back"), "another process's change is seen");
    window.switch_plan("pause", false).unwrap();
    assert!(!text(&window).contains("Trigger conditions==>"));
}

#[test]
fn what_a_plan_has_done_is_reported_in_its_own_talk_and_can_be_switched_off() {
    let dir = tempfile::tempdir().unwrap();
    let mut conductor = house(&dir);
    conductor.set_language(Lang::En);
    let begin = Begin::new(Kind::CheckOut, Format::Medium, "window").seeded(1);
    conductor.begin(&begin).unwrap();
    conductor.add_plan("pause", "I want to win it back", &[Action::Pause { minutes: 5 }]).unwrap();
    conductor.run_plan("pause").unwrap();
    let told = |conductor: &Conductor| system_message(conductor, conductor.prompt_context().unwrap());
    assert!(told(&conductor).contains("- pause: a pause of 5 min"), "{}", told(&conductor));
    let off = Settings { include_trigger_context: false, ..conductor.settings().clone() };
    conductor.save_settings(off).unwrap();
    assert!(!told(&conductor).contains("a pause of 5 min"));
    conductor.leave().unwrap();
    conductor.begin(&begin).unwrap();
    assert!(!told(&conductor).contains("a pause of 5 min"));
}
