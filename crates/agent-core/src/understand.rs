//! What a reply was meant to say: calls that were written as text, and arguments with flaws.

use agent_llm::{
    FinishReason, Part, Reply, ToolCall,
    repair::{self, Mend, Written},
};
use serde_json::Value;

use crate::Toolbox;

/// The form in which the model was asked to decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Tool calls.
    Calls,
    /// JSON in the text.
    Json,
}

/// A reply as it was meant.
#[derive(Debug, Default)]
pub(crate) struct Understood {
    /// The parts that take the place of the reply's own, where something was mended.
    pub(crate) meant: Option<Vec<Part>>,
    /// What was mended, a sentence each.
    pub(crate) mended: Vec<String>,
    /// Why the reply can't be taken for anything.
    pub(crate) problem: Option<String>,
    /// Calls stood in the text.
    pub(crate) calls_as_text: bool,
}

impl Understood {
    fn problem(problem: impl Into<String>) -> Self {
        Self { problem: Some(problem.into()), ..Self::default() }
    }
}

/// Makes calls of what is meant as one. Only a known tool counts, and mended arguments only where
/// the tool takes them.
pub(crate) fn understand(reply: &Reply, toolbox: &Toolbox, form: Form) -> Understood {
    if reply.calls().next().is_some() {
        let mut parts = reply.parts.clone();
        let mut mended = Vec::new();
        for part in &mut parts {
            if let Part::Call(call) = part {
                mended.extend(mend_arguments(call, toolbox));
            }
        }
        let meant = (!mended.is_empty()).then_some(parts);
        return Understood { meant, mended, ..Understood::default() };
    }
    // What was cut off is not what was meant.
    if reply.finish == FinishReason::Length {
        return Understood::default();
    }
    let is_known = |name: &str| toolbox.resolve(name).is_ok();
    match repair::calls(&reply.text(), &is_known) {
        Written::Words => Understood::default(),
        Written::Echo => Understood::problem(
            "that is the description of a tool and calls nothing. Call the tool itself, with \
             values for its parameters.",
        ),
        Written::Broken(unclear) => Understood::problem(format!(
            "the reply seems to be meant as a call, but its arguments {unclear}; nothing was run. \
             Make the call as a tool call, with a JSON object."
        )),
        Written::Calls { calls, mut mends, words } => {
            mends.retain(|mend| form == Form::Calls || *mend != Mend::CallAsText);
            let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
            let mended = match mends.is_empty() {
                true => Vec::new(),
                false => vec![said(&names.join(", "), &mends)],
            };
            let words = (!words.is_empty()).then_some(Part::Text(words));
            let calls = calls.into_iter().map(|call| {
                let arguments = call.arguments.to_string();
                Part::Call(ToolCall { id: String::new(), name: call.name, arguments })
            });
            let meant = Some(words.into_iter().chain(calls).collect());
            Understood { meant, mended, problem: None, calls_as_text: true }
        }
    }
}

/// Mends the arguments of a call, if they need it and then fit.
fn mend_arguments(call: &mut ToolCall, toolbox: &Toolbox) -> Option<String> {
    let text = call.arguments.trim();
    let is_fine = text.is_empty()
        || serde_json::from_str::<Value>(text)
            .is_ok_and(|value| value.is_object() || value.is_null());
    if is_fine {
        return None;
    }
    let mended = repair::json(text).ok()?;
    if !mended.value.is_object() || !toolbox.accepts(&call.name, &mended.value) {
        return None;
    }
    call.arguments = mended.value.to_string();
    Some(said(&call.name, &mended.mends))
}

fn said(what: &str, mends: &[Mend]) -> String {
    let mut words: Vec<String> = Vec::new();
    for mend in mends.iter().map(ToString::to_string) {
        if !words.contains(&mend) {
            words.push(mend);
        }
    }
    format!("mended the reply ({what}): {}", words.join(", "))
}

#[cfg(test)]
mod tests;
