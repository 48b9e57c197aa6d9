//! The JSON of one line of a script.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Expect, Fault, ScriptedCall, ScriptedReply};
use crate::recording::{ErrorLine, RequestLine, Requests};
use crate::{FinishReason, Part, Purpose, Usage};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    purpose: Purpose,
    #[serde(default)]
    expect: Expect,
    text: Option<String>,
    #[serde(default)]
    calls: Vec<CallLine>,
    parts: Option<Vec<Part>>,
    finish: Option<FinishReason>,
    #[serde(default)]
    usage: Usage,
    fault: Option<FaultLine>,
    request: Option<RequestLine>,
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
#[serde(deny_unknown_fields)]
struct FaultLine {
    status: Option<u16>,
    headers: Option<BTreeMap<String, String>>,
    body: Option<String>,
    cut_after_bytes: Option<usize>,
    garbage: Option<String>,
    stall_ms: Option<u64>,
    error: Option<ErrorLine>,
}

/// Reads one line, whose request may lean on those `before` it; the error says what is wrong.
pub(super) fn parse(
    text: &str,
    line: usize,
    before: &mut Requests,
) -> Result<ScriptedReply, String> {
    let raw: Line = serde_json::from_str(text).map_err(|error| in_one_line(&error))?;
    let spoken = raw.text.is_some() || !raw.calls.is_empty();
    if raw.parts.is_some() && spoken {
        return Err("the reply has parts, so its text and calls have to stand among them".into());
    }
    if !spoken && raw.parts.is_none() && raw.fault.is_none() {
        return Err(
            r#"the reply has neither text, calls nor fault; an empty one is "text": """#.to_owned()
        );
    }
    let calls: Vec<_> = raw.calls.into_iter().map(call).collect::<Result<_, _>>()?;
    let is_call = |part: &Part| matches!(part, Part::Call(_));
    let calling = !calls.is_empty() || raw.parts.iter().flatten().any(is_call);
    let usual = if calling { FinishReason::ToolCalls } else { FinishReason::Stop };
    let request = raw.request.map(|request| before.restore(raw.purpose, request)).transpose()?;
    Ok(ScriptedReply {
        line,
        purpose: raw.purpose,
        expect: raw.expect,
        text: raw.text,
        calls,
        parts: raw.parts,
        finish: raw.finish.unwrap_or(usual),
        usage: raw.usage,
        fault: raw.fault.map(fault).transpose()?,
        request,
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
    match (response, raw.cut_after_bytes, raw.garbage, raw.stall_ms, raw.error) {
        (true, None, None, None, None) => {
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
        (false, Some(bytes), None, None, None) => Ok(Fault::CutAfter(bytes)),
        (false, None, Some(text), None, None) => Ok(Fault::Garbage(text)),
        (false, None, None, Some(millis), None) => Ok(Fault::Stall(Duration::from_millis(millis))),
        (false, None, None, None, Some(error)) => Ok(Fault::Error(error.into())),
        _ => {
            Err("a fault is one of status, cut_after_bytes, garbage, stall_ms and error".to_owned())
        }
    }
}

/// serde_json counts lines within the text that it got, which here is always one.
fn in_one_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}
