//! The real window, under a display without a screen: a check-in by typing, from the first run to the database.

mod desktop;
mod driver;

use std::path::Path;
use std::time::Duration;

use calm_app::{Clock, Conductor, Paths, Secrets};
use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use serde_json::json;

use crate::desktop::Display;
use crate::driver::Driver;

const PATIENCE: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn a_typed_check_in_from_the_first_run_to_the_database() {
    let house = tempfile::tempdir().expect("a folder");
    let data = house.path().join("Данные");
    let display = Display::start();
    let driver = Driver::start(&display, &data);
    let window = Window(driver.window().await);

    let first_run = window.find_soon("first-run-continue").await;
    window.picture("1-first-run").await;
    first_run.click().await.expect("clicks");
    window.find_soon("nav-today").await.click().await.expect("clicks");
    window.find_soon("start-checkin").await;
    window.picture("2-today").await;
    window.find_soon("start-checkin").await.click().await.expect("clicks");
    window.says_something_other_than("").await;
    let greeting = window.find_soon("calm-says").await.text().await.expect("text");
    assert!(greeting.contains('?'), "Calm begins with a question: {greeting}");
    window.picture("3-greeting").await;

    let field = window.typing().await;
    field
        .send_keys("I slept badly and feel a bit nervous, but the plan is two trades with a stop")
        .await
        .expect("types");
    window.find_soon("type-send").await.click().await.expect("clicks");
    window.find_soon("scale-8").await;
    window.picture("4-scale").await;
    window.find_soon("scale-8").await.click().await.expect("clicks");

    let summary = window.find_soon("summary").await.text().await.expect("text");
    window.picture("5-summary").await;
    let readiness = window.find_soon("chip-readiness").await.text().await.expect("text");
    assert!(readiness.contains('8'), "{readiness} in {summary}");
    window.find_soon("felt-yes").await.click().await.expect("clicks");
    window.find_soon("nav-history").await.click().await.expect("clicks");
    tokio::time::sleep(Duration::from_millis(500)).await;
    window.picture("6-history").await;
    window.close().await;
    drop(driver);

    let paths = Paths::find(Some(data)).expect("a folder");
    let conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("the database opens");
    let sessions = conductor.history(10).expect("history");
    assert_eq!(sessions.len(), 1);
    assert!(sessions[0].ended);
    assert_eq!(sessions[0].trading_readiness, Some(8));
    let page = conductor.page(sessions[0].session_id).expect("a page").expect("the session");
    assert!(page.turns.iter().any(|turn| turn.user.as_deref().is_some_and(|said| said.contains("slept badly"))));
    let attributes = page.arguments.expect("an ending").extracted_attributes;
    assert!(attributes.planned_approach.is_some_and(|plan| plan.contains("two trades")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_talk_that_is_broken_off_is_kept() {
    let house = tempfile::tempdir().expect("a folder");
    let data = house.path().join("data");
    let display = Display::start();
    let driver = Driver::start(&display, &data);
    let window = Window(driver.window().await);
    window.find_soon("first-run-continue").await.click().await.expect("clicks");
    window.find_soon("nav-today").await.click().await.expect("clicks");
    window.find_soon("start-checkout").await.click().await.expect("clicks");
    let greeting = window.find_soon("calm-says").await.text().await.expect("text");
    let field = window.typing().await;
    field.send_keys("Closed the day down two hundred dollars").await.expect("types");
    field.send_keys(&Key::Enter.to_string()).await.expect("types");
    window.says_something_other_than(&greeting).await;
    window.find_soon("finish").await.click().await.expect("clicks");
    window.find_soon("summary").await;
    window.picture("7-finished-early").await;
    window.close().await;
    drop(driver);

    let paths = Paths::find(Some(data)).expect("a folder");
    let conductor = Conductor::open(paths, Secrets::File, Clock::System, Box::new(|_| {})).expect("the database opens");
    let sessions = conductor.history(10).expect("history");
    assert!(sessions[0].ended, "closing keeps the session and ends it");
    let page = conductor.page(sessions[0].session_id).expect("a page").expect("the session");
    assert!(page.turns.iter().any(|turn| turn.user.as_deref().is_some_and(|said| said.contains("two hundred"))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_behind_a_passphrase_opens_with_it_and_is_erased_for_good() {
    let house = tempfile::tempdir().expect("a folder");
    let data = house.path().join("data");
    let display = Display::start();
    let driver = Driver::start(&display, &data);
    let window = Window(driver.window().await);
    window.find_soon("first-run-continue").await.click().await.expect("clicks");
    window.press("nav-insights").await;
    window.find_soon("insights-waiting-list").await;
    window.picture("8-insights").await;
    window.press("insights-trades").await;
    window.find_soon("trades-none").await;
    window.picture("9-trades").await;
    window.press("nav-settings").await;
    window.press("settings-data").await;
    window.press("passphrase-set").await;
    for field in ["passphrase-new", "passphrase-again"] {
        window.find_soon(field).await.send_keys("quiet morning").await.expect("types");
    }
    window.press("passphrase-save").await;
    window.find_soon("passphrase-change").await;
    window.picture("10-data").await;
    window.close().await;
    drop(driver);

    let driver = Driver::start(&display, &data);
    let window = Window(driver.window().await);
    window.find_soon("lock-words").await.send_keys("loud morning").await.expect("types");
    window.press("lock-open").await;
    window.says("lock-wrong").await;
    window.picture("11-locked").await;
    window.find_soon("lock-words").await.send_keys("quiet morning").await.expect("types");
    window.press("lock-open").await;
    window.press("nav-settings").await;
    window.press("settings-data").await;
    window.press("erase-ask").await;
    let word = window.find_soon("erase-typed").await;
    word.send_keys("erase").await.expect("types");
    window.press("erase-yes").await;
    let went = window.find_soon("erased").await.text().await.expect("text");
    assert!(went.contains("calm.db"), "{went}");
    window.picture("12-erased").await;
    assert!(!data.join("calm.db").exists() && !data.join("calm.key").exists());
    window.press("begin-anew").await;
    window.find_soon("first-run-continue").await;
    window.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_edited_under_the_window_s_own_rules_and_kept_on_the_disk() {
    let house = tempfile::tempdir().expect("a folder");
    let data = house.path().join("data");
    let display = Display::start();
    let driver = Driver::start(&display, &data);
    let window = Window(driver.window().await);
    window.find_soon("first-run-continue").await.click().await.expect("clicks");
    let watch = "window.refused = []; document.addEventListener('securitypolicyviolation', (event) =>
        window.refused.push(`${event.violatedDirective} ${event.blockedURI}`))";
    window.0.execute(watch, vec![]).await.expect("a script");
    window.press("nav-prompts").await;
    window.find_soon("prompts-findings-none").await;
    window.picture("13-prompts").await;

    let editor = "const editor = document.querySelector('[data-testid=prompt-editor]').shadowRoot;
        const text = editor.querySelector('.cm-content');";
    let write = format!(
        "{editor} text.focus();
        document.execCommand('insertText', false, '{{{{usr.name}}}}')"
    );
    window.0.execute(&write, vec![]).await.expect("a script");
    let finding = window.find_soon("prompts-finding-0").await.text().await.expect("text");
    assert!(finding.contains("front matter"), "what stands before the head is found at once: {finding}");
    let look = format!(
        "{editor} const colours = [...editor.querySelectorAll('.cm-line span')].map((it) => getComputedStyle(it).color);
        return [getComputedStyle(editor.querySelector('.cm-scroller')).display, new Set(colours).size]"
    );
    let look = window.0.execute(&look, vec![]).await.expect("a script");
    assert_eq!(look[0], "flex", "the editor has its styles");
    assert!(look[1].as_u64() > Some(2), "the language is coloured: {look}");
    window.press("prompt-save").await;
    window.says("prompt-state").await;
    window.picture("14-prompts-edited").await;
    let refused = window.0.execute("return window.refused", vec![]).await.expect("a script");
    assert_eq!(refused, json!([]), "the window's rules were kept");
    let edit = std::fs::read_to_string(data.join("prompts/en/root.md")).expect("the edit");
    assert!(edit.starts_with("{{usr.name}}---\n") && edit.contains("{{include base/identity.md}}"), "{edit}");
    window.press("prompts-tab-preview").await;
    let problem = window.find_soon("preview-problem").await.text().await.expect("text");
    assert!(problem.contains("en/root.md:"), "{problem}");
    window.close().await;
}

struct Window(Client);

impl Window {
    /// Waits until the element with this test id is there.
    async fn find_soon(&self, id: &str) -> fantoccini::elements::Element {
        let selector = format!("[data-testid='{id}']");
        let found = self.0.wait().at_most(PATIENCE).for_element(Locator::Css(&selector)).await;
        match found {
            Ok(element) => element,
            Err(error) => {
                self.picture("failed").await;
                panic!("no {id} in the window: {error}")
            }
        }
    }

    async fn press(&self, id: &str) {
        self.find_soon(id).await.click().await.expect("clicks");
    }

    /// Waits until there are words in it.
    async fn says(&self, id: &str) {
        for _ in 0..PATIENCE.as_secs() * 10 {
            if self.find_soon(id).await.text().await.is_ok_and(|now| !now.is_empty()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{id} says nothing");
    }

    /// The text field: without a microphone it is open already.
    async fn typing(&self) -> fantoccini::elements::Element {
        self.find_soon("finish").await;
        if let Ok(open) = self.0.find(Locator::Css("[data-testid='type-open']")).await {
            open.click().await.expect("clicks");
        }
        self.find_soon("type-input").await
    }

    /// Waits for Calm's next words.
    async fn says_something_other_than(&self, before: &str) {
        for _ in 0..PATIENCE.as_secs() * 10 {
            if self.find_soon("calm-says").await.text().await.is_ok_and(|now| now != before) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("Calm does not answer");
    }

    /// Kept for the eyes, in the target folder.
    async fn picture(&self, name: &str) {
        let png = self.0.screenshot().await.expect("a picture");
        std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("window-{name}.png")), png)
            .expect("written");
    }

    async fn close(self) {
        self.0.close().await.expect("closes");
    }
}
