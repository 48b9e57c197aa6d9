//! The model of a replay.

use std::sync::Arc;

use agent_llm::{
    Delta, DeltaStream, Error, ErrorKind, Message, Part, Provider, Request,
    recording::difference,
    script::{Fault, ScriptedReply},
};
use futures_util::stream;

use super::tape::Tape;

/// Gives out the recorded replies, each to the request that it answered.
pub(super) struct Replaying {
    model: String,
    tape: Arc<Tape>,
}

impl Replaying {
    pub(super) fn new(model: String, tape: Arc<Tape>) -> Self {
        Self { model, tape }
    }
}

impl Provider for Replaying {
    fn model(&self) -> &str {
        &self.model
    }

    fn send(&self, request: Request) -> DeltaStream {
        let tape = &self.tape;
        let Some(reply) = tape.next_reply(request.purpose) else {
            if tape.is_cut() {
                tape.cut();
            } else {
                tape.differs("there is one more model call", "", &last(&request));
            }
            return Box::pin(stream::pending());
        };
        let request = tape.place().request_to_recorded(request);
        if let Some(recorded) = &reply.request
            && let Some(difference) = difference(recorded, &request)
        {
            let purpose = request.purpose.name();
            let what = format!("the request for {purpose} is different: {difference}");
            let (was, is) = (shown(recorded, &request), shown(&request, recorded));
            tape.differs(&what, &was, &is);
            return Box::pin(stream::pending());
        }
        Box::pin(stream::iter(deltas(reply)))
    }
}

fn deltas(reply: ScriptedReply) -> Vec<Result<Delta, Error>> {
    if let Some(fault) = reply.fault {
        return vec![Err(match fault {
            Fault::Error(error) => error,
            Fault::Status { .. } | Fault::CutAfter(_) | Fault::Garbage(_) | Fault::Stall(_) => {
                Error::new(ErrorKind::Script, "the recording", "a fault that no session has")
            }
        })];
    }
    let mut deltas = Vec::new();
    for (index, part) in reply.parts.into_iter().flatten().enumerate() {
        match part {
            Part::Text(text) => deltas.push(Delta::Text(text)),
            Part::Opaque(opaque) => deltas.push(Delta::Opaque(opaque)),
            Part::Call(call) => {
                let (id, name) = (Some(call.id), call.name);
                deltas.push(Delta::CallStart { index, id, name });
                deltas.push(Delta::CallArguments { index, fragment: call.arguments });
            }
        }
    }
    deltas.push(Delta::Usage(reply.usage));
    deltas.push(Delta::Finish(reply.finish));
    deltas.into_iter().map(Ok).collect()
}

/// The messages in which a request is not the `other`.
fn shown(request: &Request, other: &Request) -> String {
    let differs = |(index, message): &(usize, &Arc<Message>)| {
        other.messages.get(*index).is_none_or(|other| other != *message)
    };
    let differing = request.messages.iter().enumerate().filter(differs);
    differing.map(|(_, message)| text(message)).collect()
}

fn last(request: &Request) -> String {
    request.messages.last().map(|message| text(message)).unwrap_or_default()
}

fn text(message: &Message) -> String {
    match message {
        Message::System(text) => format!("system:\n{text}\n"),
        Message::User(text) => format!("user:\n{text}\n"),
        Message::Tool(result) => format!("result of {}:\n{}\n", result.name, result.content),
        Message::Assistant(parts) => {
            let parts = serde_json::to_string_pretty(parts).unwrap_or_default();
            format!("assistant:\n{parts}\n")
        }
    }
}
