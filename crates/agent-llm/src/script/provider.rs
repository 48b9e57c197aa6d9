//! The provider whose replies are written down.

use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use async_stream::try_stream;

use super::{Fault, Playback, Script, ScriptError, ScriptedReply};
use crate::call_ids::CallIds;
use crate::http::classify;
use crate::{Delta, DeltaStream, Error, ErrorKind, Part, Provider, Request};

/// Answers from a [`Script`], within the process: for tests, demonstrations and `replay/PATH`.
///
/// It refuses what it does not expect, and every request that [`check`](crate::check) finds fault
/// with, by [`ErrorKind::Script`].
#[derive(Debug, Clone)]
pub struct Scripted {
    model: String,
    playback: Arc<Mutex<Playback>>,
}

impl Scripted {
    /// Plays `script` as the model `replay/NAME`.
    pub fn new(name: &str, script: Script) -> Self {
        let model = format!("replay/{name}");
        let playback = Playback::new(model.clone(), script);
        Self { model, playback: Arc::new(Mutex::new(playback)) }
    }

    /// Plays a recording as the model `replay/NAME`, its replies in their order, and refuses a
    /// request that is not the one that was recorded.
    pub fn exact(name: &str, script: Script) -> Self {
        let model = format!("replay/{name}");
        let playback = Playback::new(model.clone(), script).exact();
        Self { model, playback: Arc::new(Mutex::new(playback)) }
    }

    /// Reads a script and plays it.
    ///
    /// # Errors
    ///
    /// Those of [`Script::parse`].
    pub fn open(name: &str, reader: impl Read) -> Result<Self, ScriptError> {
        Ok(Self::new(name, Script::parse(reader)?))
    }

    /// The replies that nothing has asked for, so that a test can fail on them.
    pub fn unused(&self) -> Vec<ScriptedReply> {
        self.playback().unused()
    }
}

impl Provider for Scripted {
    fn model(&self) -> &str {
        &self.model
    }

    fn send(&self, request: Request) -> DeltaStream {
        let this = self.clone();
        Box::pin(try_stream! {
            let reply = this.reply_to(&request)?;
            if let Some(Fault::Stall(time)) = reply.fault {
                tokio::time::sleep(time).await;
            }
            let (deltas, end) = this.outcome(&reply, &mut CallIds::new(&request));
            for delta in deltas {
                yield delta;
            }
            end?;
        })
    }
}

impl Scripted {
    fn playback(&self) -> MutexGuard<'_, Playback> {
        self.playback.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reply_to(&self, request: &Request) -> Result<ScriptedReply, Error> {
        self.playback().reply_to(request)
    }

    /// What comes of a reply: its deltas, and how the stream ends after them.
    fn outcome(&self, reply: &ScriptedReply, ids: &mut CallIds) -> (Vec<Delta>, Result<(), Error>) {
        match &reply.fault {
            None | Some(Fault::Stall(_)) => (deltas(reply, ids), Ok(())),
            Some(Fault::CutAfter(bytes)) => {
                let message = "the connection was closed before the reply was complete";
                let error = Error::new(ErrorKind::Cut, &self.model, message);
                (cut(deltas(reply, ids), *bytes), Err(error))
            }
            Some(Fault::Error(error)) => (Vec::new(), Err(error.clone())),
            Some(Fault::Garbage(text)) => {
                (Vec::new(), Err(classify::not_a_reply(&self.model, text.as_bytes())))
            }
            Some(Fault::Status { status, headers, body }) => {
                let header = |name: &str| headers.get(name).map(String::as_str);
                let wait = classify::retry_after(header, SystemTime::now());
                let error = classify::classify(&self.model, *status, wait, body.as_bytes());
                (Vec::new(), Err(error))
            }
        }
    }
}

/// The reply as it would stream.
fn deltas(reply: &ScriptedReply, ids: &mut CallIds) -> Vec<Delta> {
    let mut deltas = Vec::new();
    if let Some(text) = &reply.text {
        say(text, &mut deltas);
    }
    for (index, call) in reply.calls.iter().enumerate() {
        let id = Some(ids.assign(call.id.as_deref()));
        deltas.push(Delta::CallStart { index, id, name: call.name.clone() });
        deltas.push(Delta::CallArguments { index, fragment: call.arguments.clone() });
    }
    for (index, part) in reply.parts.iter().flatten().enumerate() {
        match part {
            Part::Text(text) => say(text, &mut deltas),
            Part::Call(call) => {
                let id = Some(ids.assign(Some(&call.id)));
                deltas.push(Delta::CallStart { index, id, name: call.name.clone() });
                deltas.push(Delta::CallArguments { index, fragment: call.arguments.clone() });
            }
            Part::Opaque(opaque) => deltas.push(Delta::Opaque(opaque.clone())),
        }
    }
    deltas.push(Delta::Usage(reply.usage));
    deltas.push(Delta::Finish(reply.finish.clone()));
    deltas
}

fn say(text: &str, deltas: &mut Vec<Delta>) {
    deltas.extend(text.split_inclusive(' ').map(|word| Delta::Text(word.to_owned())));
}

/// What fits into so many bytes of text and arguments.
fn cut(deltas: Vec<Delta>, bytes: usize) -> Vec<Delta> {
    let mut left = bytes;
    let mut kept = Vec::new();
    for mut delta in deltas {
        if left == 0 {
            break;
        }
        if let Delta::Text(words) | Delta::CallArguments { fragment: words, .. } = &mut delta {
            let end = words.floor_char_boundary(left);
            left = if end < words.len() { 0 } else { left - end };
            words.truncate(end);
        }
        kept.push(delta);
    }
    kept.retain(|delta| !matches!(delta, Delta::Usage(_) | Delta::Finish(_)));
    kept
}
