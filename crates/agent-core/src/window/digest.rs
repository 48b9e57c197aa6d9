//! The message that stands in the place of the oldest part of a conversation.

use std::sync::Arc;

use agent_llm::{Message, Part};
use agent_tools::limit;

use super::facts::Facts;

const HEAD: &str = "(The conversation before this point was left out to make room. What there is \
                    to know of it stands here.)\n\n";
const STORY: &str = "What happened, in short:\n";

/// Bytes of a step in the story that is told without a model.
const STEP: usize = 200;

/// Its text, in at most about `bytes` bytes. `summary` is a model's; without one the story is told
/// from the messages that are left out, one line a step.
pub(crate) fn text(
    facts: &Facts,
    summary: Option<&str>,
    left_out: &[Arc<Message>],
    bytes: usize,
) -> String {
    let facts = facts.text(bytes / 2);
    let story = summary.map_or_else(|| story(left_out), str::to_owned);
    let room = bytes.saturating_sub(HEAD.len() + facts.len() + STORY.len());
    format!("{HEAD}{facts}{STORY}{}\n", limit::head_tail(story.trim_end(), room))
}

/// What was done, one line a call, with the story of an earlier digest before it.
fn story(messages: &[Arc<Message>]) -> String {
    let mut lines = Vec::new();
    for message in messages {
        match &**message {
            Message::User(text) if text.starts_with(HEAD) => {
                lines.extend(text.split_once(STORY).map(|(_, story)| story.trim_end().to_owned()));
            }
            Message::System(_) | Message::User(_) => {}
            Message::Assistant(parts) => lines.extend(parts.iter().filter_map(step)),
            Message::Tool(result) => {
                if result.content.starts_with(r#"{"success":false"#)
                    && let Some(call) = lines.last_mut()
                {
                    call.push_str(" (failed)");
                }
            }
        }
    }
    lines.join("\n")
}

fn step(part: &Part) -> Option<String> {
    let line = match part {
        Part::Text(text) => format!("- said: {text}"),
        Part::Call(call) => format!("- {} {}", call.name, call.arguments),
        Part::Opaque(_) => return None,
    };
    let line = line.replace('\n', " ");
    Some(match line.len() > STEP {
        true => format!("{}…", &line[..line.floor_char_boundary(STEP)]),
        false => line,
    })
}
