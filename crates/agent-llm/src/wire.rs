//! What the wire formats have in common.

pub(crate) mod chat;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod turns;

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::{
    Delta, Dialect, Error, ErrorKind, FinishReason, Message, Part, ToolResult, ToolSpec, Usage,
};

/// A tool as OpenAI and Ollama want it told.
#[derive(Serialize)]
pub(crate) struct WireTool<'r> {
    r#type: &'static str,
    function: &'r ToolSpec,
}

/// The tools of a request; empty lists are refused by some servers and left out by the caller.
pub(crate) fn tools(specs: &[ToolSpec]) -> Vec<WireTool<'_>> {
    specs.iter().map(|function| WireTool { r#type: "function", function }).collect()
}

/// A piece of a message, ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece<'m> {
    /// Standing instructions.
    System(&'m str),
    /// The user's words.
    User(&'m str),
    /// The model's words, never without a visible character.
    Words(&'m str),
    /// The model's call of a tool.
    Call(Call<'m>),
    /// What came in this dialect and goes back as it came.
    Opaque(&'m Value),
    /// What a call gave.
    Result(CallResult<'m>),
}

/// A call that every server accepts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call<'m> {
    pub(crate) id: &'m str,
    pub(crate) name: Cow<'m, str>,
    arguments: &'m str,
}

impl<'m> Call<'m> {
    /// The arguments as JSON text.
    pub(crate) fn text(&self) -> Cow<'m, str> {
        arguments_text(self.arguments)
    }

    /// The arguments as a JSON object, spelt as the model spelt it.
    pub(crate) fn object(&self) -> Result<Box<RawValue>, serde_json::Error> {
        RawValue::from_string(arguments_text(self.arguments).into_owned())
    }
}

/// The result of a call, with the name that the call was sent with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallResult<'m> {
    pub(crate) id: &'m str,
    pub(crate) name: Cow<'m, str>,
    pub(crate) content: &'m str,
}

/// The one walk over a message: its pieces in order, without what belongs to another dialect or
/// model. There is always at least one, since no format has a place for nothing.
pub(crate) fn pieces<'m>(message: &'m Message, dialect: Dialect, model: &str) -> Vec<Piece<'m>> {
    let parts = match message {
        Message::System(text) => return vec![Piece::System(text)],
        Message::User(text) => return vec![Piece::User(text)],
        Message::Tool(ToolResult { call_id, name, content }) => {
            return vec![Piece::Result(CallResult {
                id: call_id,
                name: legal_name(name),
                content,
            })];
        }
        Message::Assistant(parts) => parts,
    };
    let pieces = parts.iter().filter_map(|part| match part {
        Part::Text(text) => (!text.trim().is_empty()).then_some(Piece::Words(text)),
        Part::Call(call) => Some(Piece::Call(Call {
            id: &call.id,
            name: legal_name(&call.name),
            arguments: &call.arguments,
        })),
        Part::Opaque(opaque) => {
            let ours = opaque.dialect == dialect && opaque.model == model;
            ours.then_some(Piece::Opaque(&opaque.value))
        }
    });
    let mut pieces: Vec<_> = pieces.collect();
    if pieces.iter().all(|piece| matches!(piece, Piece::Opaque(_))) {
        pieces.push(Piece::Words("(no words)"));
    }
    pieces
}

/// Ends a reply: what it cost where that was told, and why it ended. A server that gives no reason
/// has stopped.
///
/// # Errors
///
/// As [`conclude`].
pub(crate) fn end(
    provider: &str,
    finish: Option<FinishReason>,
    calls: Calls,
    usage: Option<Usage>,
    deltas: &mut Vec<Delta>,
) -> Result<(), Error> {
    let finish = conclude(provider, finish.unwrap_or(FinishReason::Stop), calls)?;
    deltas.extend(usage.map(Delta::Usage));
    deltas.push(Delta::Finish(finish));
    Ok(())
}

/// What ends a reply, beside what it holds.
///
/// # Errors
///
/// [`ErrorKind::Filtered`] where a filter ended it: what came before is no answer, and a call among
/// it may be cut.
fn conclude(provider: &str, finish: FinishReason, calls: Calls) -> Result<FinishReason, Error> {
    match (finish, calls) {
        (FinishReason::Filter, _) => {
            let message = "the provider's content filter stopped the reply";
            Err(Error::new(ErrorKind::Filtered, provider, message))
        }
        // Servers say "stop" also where they stopped to have tools run, and the other way round.
        (FinishReason::Stop, Calls::Some) => Ok(FinishReason::ToolCalls),
        (FinishReason::ToolCalls, Calls::None) => Ok(FinishReason::Stop),
        (finish, Calls::None | Calls::Some) => Ok(finish),
    }
}

/// Whether a reply calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    None,
    Some,
}

impl Calls {
    pub(crate) fn of(count: usize) -> Self {
        if count == 0 { Self::None } else { Self::Some }
    }
}

/// A tool's name as a server accepts it. Models make up names, and a conversation that holds one
/// must still be sent: what no name may hold becomes `_`.
pub(crate) fn legal_name(name: &str) -> Cow<'_, str> {
    if crate::check::is_legal_name(name) {
        return Cow::Borrowed(name);
    }
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(64).map(legal).collect();
    Cow::Owned(if name.is_empty() { "_".to_owned() } else { name })
}

/// Arguments as JSON text. Servers parse them, and some fail with 500 where they are no object;
/// such text is sent inside one, so that the model sees what it wrote.
fn arguments_text(arguments: &str) -> Cow<'_, str> {
    if arguments.trim().is_empty() {
        return Cow::Borrowed("{}");
    }
    if is_object(arguments) {
        return Cow::Borrowed(arguments);
    }
    Cow::Owned(json!({ "malformed": arguments }).to_string())
}

/// Whether a text is a JSON object.
pub(crate) fn is_object(text: &str) -> bool {
    serde_json::from_str::<HashMap<String, IgnoredAny>>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_always_an_object() {
        for kept in ["{}", r#"{ "a" : [1, {"b": null}] }"#, "\n{\"a\": 1e400}"] {
            assert_eq!(arguments_text(kept), kept);
        }
        let cases = [
            ("", "{}"),
            (" \n", "{}"),
            ("{not json", r#"{"malformed":"{not json"}"#),
            ("[1]", r#"{"malformed":"[1]"}"#),
            ("\"text\"", r#"{"malformed":"\"text\""}"#),
            (r#"{"a": 1"#, r#"{"malformed":"{\"a\": 1"}"#),
            ("{} {}", r#"{"malformed":"{} {}"}"#),
            ("null", r#"{"malformed":"null"}"#),
        ];
        for (arguments, sent) in cases {
            assert_eq!(arguments_text(arguments), sent);
        }
    }

    #[test]
    fn a_message_is_walked_in_one_dialect() {
        let opaque = |dialect, model: &str, value: Value| {
            Part::Opaque(crate::Opaque { dialect, model: model.to_owned(), value })
        };
        let message = Message::Assistant(vec![
            opaque(Dialect::Anthropic, "m", json!(1)),
            opaque(Dialect::Gemini, "m", json!(2)),
            opaque(Dialect::Gemini, "another", json!(3)),
            Part::Text(" \n".to_owned()),
            Part::Text("a".to_owned()),
        ]);
        assert_eq!(
            pieces(&message, Dialect::Gemini, "m"),
            [Piece::Opaque(&json!(2)), Piece::Words("a")]
        );
        let message = Message::Assistant(vec![opaque(Dialect::Gemini, "m", json!(2))]);
        assert_eq!(pieces(&message, Dialect::OpenAiChat, "m"), [Piece::Words("(no words)")]);
    }

    #[test]
    fn the_end_fits_what_was_said() {
        use FinishReason::{Filter, Length, Other, Stop, ToolCalls};
        let table = [
            (Stop, Calls::None, Ok(Stop)),
            (Stop, Calls::Some, Ok(ToolCalls)),
            (ToolCalls, Calls::None, Ok(Stop)),
            (ToolCalls, Calls::Some, Ok(ToolCalls)),
            (Length, Calls::None, Ok(Length)),
            (Length, Calls::Some, Ok(Length)),
            (Filter, Calls::None, Err(ErrorKind::Filtered)),
            (Filter, Calls::Some, Err(ErrorKind::Filtered)),
            (Other("x".to_owned()), Calls::Some, Ok(Other("x".to_owned()))),
        ];
        for (finish, calls, expected) in table {
            let told = conclude("p", finish.clone(), calls).map_err(|error| error.kind);
            assert_eq!(told, expected, "{finish:?} {calls:?}");
        }
    }

    #[test]
    fn names_are_made_legal() {
        assert_eq!(legal_name("read_file-2"), "read_file-2");
        assert_eq!(legal_name("functions.read file"), "functions_read_file");
        assert_eq!(legal_name(""), "_");
        assert_eq!(legal_name("é"), "_");
        assert_eq!(legal_name(&"a".repeat(70)), "a".repeat(64));
    }
}
