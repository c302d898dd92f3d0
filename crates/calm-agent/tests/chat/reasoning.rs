//! Reasoning is never shown.

use super::*;

#[test]
fn reasoning_without_an_opening_tag_is_never_shown() {
    let thinks =
        || starts("Okay, he is angry at the market. ").says("</think>\n\n").says(SAID).event(&finish("stop")).done();
    let server = Server::new([thinks(), thinks()]);
    let new = Endpoint { learned: Learned::default(), ..endpoint(&server) };
    let (reply, shown) = ask(&new);
    let reply = reply.expect("a reply");
    assert_eq!((shown.as_str(), reply.text.as_str()), (SAID, SAID), "not even the first time");
    assert_eq!(reply.learned.reasoning, Reasoning::Implicit);
    let (_, shown) = ask(&Endpoint { learned: reply.learned, ..new });
    assert_eq!(shown, SAID);
}

#[test]
fn a_model_that_begins_to_reason_is_noticed() {
    let server = Server::new([starts("Okay, he is angry. ").says("</think>").says(SAID).event(&finish("stop")).done()]);
    let (reply, shown) = ask(&endpoint(&server));
    let reply = reply.expect("a reply");
    assert!(shown.starts_with("Okay"), "it was known for marking its reasoning");
    assert_eq!((reply.text.as_str(), reply.learned.reasoning), (SAID, Reasoning::Implicit));
    assert!(reply.notes.contains(&Note::ReasoningShown));
}

#[test]
fn a_first_reply_is_held_back_and_the_second_is_not() {
    let server = Server::new([says(SAID), says(SAID)]);
    let new = Endpoint { learned: Learned::default(), ..endpoint(&server) };
    let http = http();
    let mut learned = Learned::default();
    for pieces_expected in [1..=1, 2..=100] {
        let mut pieces = 0;
        let reply = http.chat(&Endpoint { learned, ..new.clone() }, &chat(&talk(), &[]), &Cancel::new(), &mut |_| {
            pieces += 1;
            ControlFlow::Continue(())
        });
        learned = reply.expect("a reply").learned;
        assert!(pieces_expected.contains(&pieces), "{pieces}");
    }
}

#[rstest]
#[case::unclosed("<think>He is angry and", "stop")]
#[case::cut_off_while_it_may_have_reasoned("Okay, he is angry and", "length")]
fn all_reasoning_is_an_empty_reply(#[case] said: &str, #[case] reason: &str) {
    let server = Server::new([starts(said).event(&finish(reason)).done()]);
    let (reply, shown) = ask(&Endpoint { learned: Learned::default(), ..endpoint(&server) });
    let reply = reply.expect("a reply");
    assert_eq!((shown.as_str(), reply.text.as_str(), &reply.notes[..]), ("", "", &[Note::ReasoningStripped][..]));
}
