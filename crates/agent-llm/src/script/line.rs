//! The JSON of one line of a script.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Expect, Fault, ScriptedCall, ScriptedReply};
use crate::{FinishReason, Purpose, Usage};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    purpose: Purpose,
    #[serde(default)]
    expect: Expect,
    text: Option<String>,
    #[serde(default)]
    calls: Vec<CallLine>,
    finish: Option<FinishLine>,
    #[serde(default)]
    usage: Usage,
    fault: Option<FaultLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallLine {
    name: String,
    arguments: Option<Map<String, Value>>,
    raw_arguments: Option<String>,
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum FinishLine {
    Stop,
    ToolCalls,
    Length,
    Filter,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultLine {
    status: Option<u16>,
    headers: Option<BTreeMap<String, String>>,
    body: Option<String>,
    cut_after_bytes: Option<usize>,
    garbage: Option<String>,
    stall_ms: Option<u64>,
}

/// Reads one line; the error says what is wrong with it.
pub(super) fn parse(text: &str, line: usize) -> Result<ScriptedReply, String> {
    let raw: Line = serde_json::from_str(text).map_err(|error| in_one_line(&error))?;
    if raw.text.is_none() && raw.calls.is_empty() && raw.fault.is_none() {
        return Err(
            r#"the reply has neither text, calls nor fault; an empty one is "text": """#.to_owned()
        );
    }
    let calls: Vec<_> = raw.calls.into_iter().map(call).collect::<Result<_, _>>()?;
    let finish = match raw.finish {
        Some(FinishLine::Stop) => FinishReason::Stop,
        Some(FinishLine::ToolCalls) => FinishReason::ToolCalls,
        Some(FinishLine::Length) => FinishReason::Length,
        Some(FinishLine::Filter) => FinishReason::Filter,
        None if calls.is_empty() => FinishReason::Stop,
        None => FinishReason::ToolCalls,
    };
    Ok(ScriptedReply {
        line,
        purpose: raw.purpose,
        expect: raw.expect,
        text: raw.text,
        calls,
        finish,
        usage: raw.usage,
        fault: raw.fault.map(fault).transpose()?,
    })
}

fn call(raw: CallLine) -> Result<ScriptedCall, String> {
    let CallLine { name, arguments, raw_arguments, id } = raw;
    let arguments = match (arguments, raw_arguments) {
        (Some(arguments), None) => Value::Object(arguments).to_string(),
        (None, Some(text)) => text,
        (None, None) | (Some(_), Some(_)) => {
            return Err(format!(
                "the call of {name:?} needs arguments or raw_arguments, one of them"
            ));
        }
    };
    Ok(ScriptedCall { id, name, arguments })
}

fn fault(raw: FaultLine) -> Result<Fault, String> {
    let response = raw.status.is_some() || raw.headers.is_some() || raw.body.is_some();
    match (response, raw.cut_after_bytes, raw.garbage, raw.stall_ms) {
        (true, None, None, None) => {
            let status = raw.status.filter(|status| (300..=599).contains(status));
            let status =
                status.ok_or("a fault with headers or body needs a status of 300 to 599")?;
            let headers = raw.headers.unwrap_or_default().into_iter();
            Ok(Fault::Status {
                status,
                headers: headers.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect(),
                body: raw.body.unwrap_or_default(),
            })
        }
        (false, Some(bytes), None, None) => Ok(Fault::CutAfter(bytes)),
        (false, None, Some(text), None) => Ok(Fault::Garbage(text)),
        (false, None, None, Some(millis)) => Ok(Fault::Stall(Duration::from_millis(millis))),
        _ => Err("a fault is one of status, cut_after_bytes, garbage and stall_ms".to_owned()),
    }
}

/// serde_json counts lines within the text that it got, which here is always one.
fn in_one_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}
