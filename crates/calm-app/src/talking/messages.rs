//! The messages of one request: the prompt, the talk so far, the labels, and what was just said.

use calm_agent::{ChatMessage, ToolSpec};
use calm_core::tools;
use calm_prompts::envelope::{Message, Role};

/// What was said, and what came back; the greeting has nothing before it, the newest words have no answer yet.
pub type Exchange = (Option<String>, String);

/// In the order in which a model reads them; `labels` stand last before the newest words (SPEC C4), and before them
/// whatever `memory` brought for these words.
pub fn assembled(
    prompt: &[Message],
    talk: &[Exchange],
    memory: Option<String>,
    labels: &str,
    said: &str,
) -> Vec<ChatMessage> {
    let mut messages: Vec<ChatMessage> = prompt
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| ChatMessage::System(message.content.clone()))
        .collect();
    for (user, calm) in talk {
        messages.extend(user.clone().map(ChatMessage::User));
        if !calm.is_empty() {
            messages.push(ChatMessage::Assistant { text: calm.clone(), calls: Vec::new() });
        }
    }
    messages.extend(memory.map(ChatMessage::System));
    if !labels.is_empty() {
        messages.push(ChatMessage::System(labels.to_owned()));
    }
    messages.push(ChatMessage::User(said.to_owned()));
    messages
}

/// For servers that allow one system message, at the beginning: all of them joined there.
///
/// What comes after the talk has begun moves too: a chat template that refuses it would refuse the whole request.
pub fn with_single_system(messages: Vec<ChatMessage>) -> Vec<ChatMessage> {
    let mut system = Vec::new();
    let mut rest = Vec::with_capacity(messages.len());
    for message in messages {
        match message {
            ChatMessage::System(text) => system.push(text),
            // The greeting before anybody spoke: templates that count turns begin with the user's.
            ChatMessage::Assistant { text, calls } if rest.is_empty() && calls.is_empty() => {
                system.push(format!("Calm: {text}"));
            }
            other => rest.push(other),
        }
    }
    let mut joined = vec![ChatMessage::System(system.join("\n\n"))];
    joined.extend(rest);
    joined
}

/// The tools that this house can carry out now.
pub fn specs(has_plans: bool, has_calendar: bool) -> Vec<ToolSpec> {
    let here = |name: &str| match name {
        "run_trigger" => has_plans,
        "get_market_context" => has_calendar,
        _ => true,
    };
    tools::specs()
        .iter()
        .filter(|spec| here(spec.name))
        .map(|spec| ToolSpec {
            name: spec.name.to_owned(),
            description: spec.description.to_owned(),
            parameters: spec.parameters.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> Vec<Message> {
        vec![
            Message { role: Role::System, content: "base".into() },
            Message { role: Role::System, content: "plans".into() },
        ]
    }

    #[test]
    fn labels_stand_between_the_talk_and_the_newest_words() {
        let talk = [(None, "Как ты?".to_owned()), (Some("норм".to_owned()), "Готовность?".to_owned())];
        let messages = assembled(&prompt(), &talk, None, "[УВЕР: LOW]", "восемь");
        let roles: Vec<&str> = messages
            .iter()
            .map(|message| match message {
                ChatMessage::System(_) => "system",
                ChatMessage::User(_) => "user",
                ChatMessage::Assistant { .. } => "assistant",
                ChatMessage::Tool { .. } => "tool",
            })
            .collect();
        assert_eq!(roles, ["system", "system", "assistant", "user", "assistant", "system", "user"]);
        assert_eq!(messages.last(), Some(&ChatMessage::User("восемь".into())));
    }

    #[test]
    fn a_strict_template_gets_one_system_message_and_then_the_user() {
        let talk = [(None, "Как ты?".to_owned())];
        let messages = with_single_system(assembled(&prompt(), &talk, None, "[УВЕР: LOW]", "восемь"));
        let system = "base\n\nplans\n\nCalm: Как ты?\n\n[УВЕР: LOW]";
        assert_eq!(messages, [ChatMessage::System(system.into()), ChatMessage::User("восемь".into())]);
    }
}
