//! Where a request departs from a recorded one.

use std::fmt::Debug;

use crate::http::classify::shown;
use crate::{Message, Request};

/// How much is shown before the first character that differs.
const BEFORE: usize = 20;

/// The first thing in which `came` is not `recorded`, in words; `None` where they are the same.
///
/// Messages are compared first and in order, since what follows a different message is bound to
/// differ too.
pub fn difference(recorded: &Request, came: &Request) -> Option<String> {
    if recorded.purpose != came.purpose {
        let (was, is) = (recorded.purpose.name(), came.purpose.name());
        return Some(format!("it was for {was} and is for {is}"));
    }
    let pairs = recorded.messages.iter().zip(&came.messages).zip(1..);
    for ((was, is), number) in pairs {
        if was != is {
            return Some(messages(number, was, is));
        }
    }
    let (was, is) = (recorded.messages.len(), came.messages.len());
    if was != is {
        return Some(format!("it had {was} messages and has {is}"));
    }
    let tools = |request: &Request| -> Vec<String> {
        request.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    if recorded.tools != came.tools {
        return Some(match (tools(recorded), tools(came)) {
            (was, is) if was == is => "the descriptions or parameters of its tools differ".into(),
            (was, is) => format!("its tools were {was:?} and are {is:?}"),
        });
    }
    changed("tool_choice", &recorded.tool_choice, &came.tool_choice)
        .or_else(|| changed("output", &recorded.output, &came.output))
        .or_else(|| changed("temperature", &recorded.temperature, &came.temperature))
        .or_else(|| {
            changed("max_output_tokens", &recorded.max_output_tokens, &came.max_output_tokens)
        })
}

fn changed<T: PartialEq + Debug>(what: &str, was: &T, is: &T) -> Option<String> {
    (was != is).then(|| format!("its {what} was {was:?} and is {is:?}"))
}

fn messages(number: usize, was: &Message, is: &Message) -> String {
    let (who_was, was) = told(was);
    let (who_is, is) = told(is);
    if who_was != who_is {
        return format!("message {number} was of {who_was} and is of {who_is}");
    }
    let same = was.chars().zip(is.chars()).take_while(|(was, is)| was == is).count();
    let from = |text: &str| {
        let start = same.saturating_sub(BEFORE);
        let mark = if start > 0 { "…" } else { "" };
        let rest: String = text.chars().skip(start).take(200).collect();
        format!("{mark}{}", shown(&rest))
    };
    format!("message {number} was {:?} and is {:?}", from(&was), from(&is))
}

/// Who speaks, and all that is said.
fn told(message: &Message) -> (&'static str, String) {
    match message {
        Message::System(text) => ("the system", text.clone()),
        Message::User(text) => ("the user", text.clone()),
        Message::Assistant(parts) => {
            ("the model", serde_json::to_string(parts).unwrap_or_else(|_| format!("{parts:?}")))
        }
        Message::Tool(result) => ("a tool", format!("{}: {}", result.name, result.content)),
    }
}
