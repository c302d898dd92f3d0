//! The sandbox: scenarios against the guide or a model, beside everything else.

use calm_app::backend::GUIDE;
use calm_app::prompting::edits;
use calm_app::scenarios::{self, Scenario, Trying};
use calm_app::talking::Cancel;
use calm_app::{AppError, Lent};
use tauri::State;

use crate::desk::Desk;
use crate::trying;
use crate::wire::{PromptCoverage, ScenarioCard, ScenarioRan, WireError, WireEvent};

/// Every scenario that comes with the program.
#[tauri::command(async)]
#[specta::specta]
pub fn prompt_scenarios() -> Result<Vec<ScenarioCard>, WireError> {
    Ok(shipped()?.iter().map(|(id, scenario)| ScenarioCard::of(id, scenario)).collect())
}

/// Runs scenarios, all of them where none is named; what becomes of each comes as an event. A run before it is over.
#[tauri::command(async)]
#[specta::specta]
pub fn try_prompts(desk: State<'_, Desk>, ids: Vec<String>, backend: String, edits: bool) -> Result<(), WireError> {
    let run = Run::prepare(&desk, &ids, &backend, edits)?;
    let desk = desk.inner().clone();
    std::thread::spawn(move || run.go(&desk));
    Ok(())
}

/// Cuts off the model that is being waited for, too.
#[tauri::command(async)]
#[specta::specta]
pub fn stop_trying_prompts(desk: State<'_, Desk>) {
    desk.stop_sandbox();
}

struct Run {
    list: Vec<(String, Scenario)>,
    set: calm_app::prompts::PromptSet,
    banned: Vec<String>,
    lent: Option<Lent>,
    stop: Cancel,
}

impl Run {
    fn prepare(desk: &Desk, ids: &[String], backend: &str, edits: bool) -> Result<Run, WireError> {
        let mut list = shipped()?;
        list.retain(|(id, _)| ids.is_empty() || ids.contains(id));
        let (in_use, banned, lent) = desk.with(|conductor| {
            let lent = (backend != GUIDE).then(|| conductor.lend(backend, None)).transpose()?;
            Ok((conductor.prompts().clone(), conductor.banned_words()?, lent))
        })?;
        let set = if edits { edits::edited_set(&desk.paths().data)? } else { in_use };
        Ok(Run { list, set, banned, lent, stop: desk.begin_sandbox() })
    }

    fn go(self, desk: &Desk) {
        let Run { list, set, banned, lent, stop } = &self;
        let trying = Trying { set, banned, backend: lent.as_ref(), stop: Some(stop) };
        let ran = scenarios::run_all(list, trying, &mut |progress| {
            desk.send(&WireEvent::ScenarioRan { ran: Box::new(ScenarioRan::from(progress)) });
        });
        // Whoever began another run hears of that one only.
        if !desk.end_sandbox(stop) {
            return;
        }
        let coverage = match ran {
            Ok(coverage) => coverage,
            Err(error) => {
                desk.report(trying::failed(&error));
                None
            }
        };
        desk.send(&WireEvent::SandboxOver { coverage: coverage.as_ref().map(PromptCoverage::from) });
    }
}

fn shipped() -> Result<Vec<(String, Scenario)>, WireError> {
    Ok(scenarios::shipped().map_err(AppError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use calm_app::backend::Server;
    use std::sync::{Arc, Mutex, PoisonError};
    use tauri::ipc::{Channel, InvokeResponseBody};

    /// What a window hears, as it comes over the wire.
    fn listened(desk: &Desk) -> Arc<Mutex<Vec<serde_json::Value>>> {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        let channel = Channel::new(move |body| {
            if let InvokeResponseBody::Json(text) = body {
                let event = serde_json::from_str(&text).expect("an event");
                ears.lock().unwrap_or_else(PoisonError::into_inner).push(event);
            }
            Ok(())
        });
        desk.subscribe("main", channel).expect("subscribed");
        heard
    }

    fn of(heard: &Mutex<Vec<serde_json::Value>>, kind: &str) -> Vec<serde_json::Value> {
        let all = heard.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|event| event["type"] == kind).cloned().collect()
    }

    #[test]
    fn a_scenario_is_run_with_its_transcript_and_what_it_reached() {
        let desk = House::new();
        let heard = listened(&desk);
        let id = shipped().expect("scenarios")[0].0.clone();
        Run::prepare(&desk, std::slice::from_ref(&id), GUIDE, false).expect("prepared").go(&desk);
        let ran = of(&heard, "scenario_ran");
        assert_eq!(ran.len(), 1);
        let one = &ran[0]["ran"];
        assert_eq!(
            (&one["id"], &one["done"], &one["total"], &one["passed"]),
            (&id.into(), &1.into(), &1.into(), &true.into())
        );
        assert!(one["turns"][0]["calm"].as_str().is_some_and(|greeting| greeting.contains('?')), "{one}");
        let over = of(&heard, "sandbox_over");
        assert!(over[0]["coverage"]["sides_taken"].as_u64() > Some(0), "{over:?}");
        assert!(
            desk.with(|conductor| conductor.history(5)).expect("history").is_empty(),
            "nothing of it is the user's"
        );
    }

    #[test]
    fn a_run_that_is_stopped_says_so_and_reached_nothing() {
        let desk = House::new();
        let heard = listened(&desk);
        let run = Run::prepare(&desk, &[], GUIDE, false).expect("prepared");
        desk.stop_sandbox();
        run.go(&desk);
        assert_eq!(of(&heard, "scenario_ran").len(), 0);
        assert_eq!(of(&heard, "sandbox_over")[0]["coverage"], serde_json::Value::Null);
    }

    #[test]
    fn stopping_lets_go_of_a_model_that_does_not_answer() {
        use std::io::Read;

        let desk = House::new();
        let heard = listened(&desk);
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let base_url = format!("http://{}/v1", server.local_addr().expect("an address"));
        let slow = Server { name: "slow".into(), base_url, model: "any".into(), ..Server::default() };
        desk.with(|conductor| conductor.add_server(slow.fit_for_its_place())).expect("added");
        let run = Run::prepare(&desk, &[], "slow", false).expect("prepared");
        let held = desk.clone();
        let running = std::thread::spawn(move || run.go(&held));
        let (mut asked, _) = server.accept().expect("a request");
        let mut request = [0; 25];
        asked.read_exact(&mut request).expect("the beginning of a request");
        assert_eq!(&request, b"POST /v1/chat/completions");
        desk.stop_sandbox();
        // The rest comes to its end only when the other side hangs up.
        asked.read_to_end(&mut Vec::new()).ok();
        running.join().expect("the run ends");
        assert_eq!((of(&heard, "scenario_ran").len(), of(&heard, "sandbox_over").len()), (0, 1));
        let sent = desk.with(|conductor| conductor.ledger(5)).expect("the ledger");
        assert_eq!(sent.len(), 1, "what was sent stands in this house's ledger");
    }

    #[test]
    fn an_unknown_server_is_refused_before_anything_runs() {
        let desk = House::new();
        let refused = Run::prepare(&desk, &[], "elsewhere", false).err().expect("refused");
        assert_eq!(refused.code, "bad_backend");
    }
}
