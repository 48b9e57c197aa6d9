//! Which reply of a script comes next.

use super::expect::last_message;
use super::{Script, ScriptedReply};
use crate::recording::difference;
use crate::{Error, ErrorKind, Purpose, Request, check};

/// A script that is being played: it gives out each reply once, by purpose.
///
/// [`Scripted`](super::Scripted) plays one within the process; a test server that speaks a wire
/// format plays one too, so that both refuse the same requests in the same words.
#[derive(Debug)]
pub struct Playback {
    name: String,
    replies: Vec<ScriptedReply>,
    used: Vec<bool>,
    order: Order,
}

/// In which order replies are given out, and to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Those of one purpose in their order, to whatever request has it.
    ByPurpose,
    /// All in their order, each to the request that it was recorded with.
    Exact,
}

impl Playback {
    /// Begins to play `script`; errors call it `name`.
    pub fn new(name: impl Into<String>, script: Script) -> Self {
        let used = vec![false; script.replies.len()];
        Self { name: name.into(), replies: script.replies, used, order: Order::ByPurpose }
    }

    /// The same, but for the very requests that were recorded, in their order.
    pub fn exact(self) -> Self {
        Self { order: Order::Exact, ..self }
    }

    /// The next unused reply with the request's purpose. It counts as used from now on, also when
    /// its expectation does not hold.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Script`] where the request is malformed, no reply is left for its purpose, or
    /// the reply expects something else. The message says what was expected, what came, and where.
    pub fn reply_to(&mut self, request: &Request) -> Result<ScriptedReply, Error> {
        let problems = check::problems(request);
        if !problems.is_empty() {
            let purpose = request.purpose.name();
            let problems = problems.join("; ");
            return Err(self.error(format!("a malformed request came to {purpose}: {problems}")));
        }
        let Some(index) = self.next(request.purpose) else {
            return Err(self.error(self.nothing_left(request)));
        };
        self.used[index] = true;
        let reply = &self.replies[index];
        if self.order == Order::Exact {
            let blank = Request { purpose: reply.purpose, ..request.clone() };
            let recorded = reply.request.as_ref().unwrap_or(&blank);
            if let Some(difference) = difference(recorded, request) {
                let line = reply.line;
                return Err(
                    self.error(format!("line {line} records a different request: {difference}"))
                );
            }
        }
        let mismatches = reply.expect.mismatches(request);
        if mismatches.is_empty() {
            return Ok(reply.clone());
        }
        Err(self.error(format!(
            "line {} expects a different request: {}; the last message is {}",
            reply.line,
            mismatches.join("; "),
            last_message(request)
        )))
    }

    /// The replies that nothing has asked for yet.
    pub fn unused(&self) -> Vec<ScriptedReply> {
        let replies = self.replies.iter().zip(&self.used);
        replies.filter(|(_, used)| !**used).map(|(reply, _)| reply.clone()).collect()
    }

    fn next(&self, purpose: Purpose) -> Option<usize> {
        let mut replies = self.replies.iter().zip(&self.used);
        replies.position(|(reply, used)| {
            !used && (self.order == Order::Exact || reply.purpose == purpose)
        })
    }

    fn nothing_left(&self, request: &Request) -> String {
        let purpose = request.purpose.name();
        let total = self.replies.iter().filter(|reply| reply.purpose == request.purpose).count();
        let left = self.unused();
        let others = left.iter().map(|reply| format!("{} ({})", reply.line, reply.purpose.name()));
        let others = match left.len() {
            0 => "nothing else is left".to_owned(),
            _ => format!("left are lines {}", others.collect::<Vec<_>>().join(", ")),
        };
        format!(
            "no reply is left for {purpose}: all {total} are used, {others}; the last message is {}",
            last_message(request)
        )
    }

    fn error(&self, message: String) -> Error {
        Error::new(ErrorKind::Script, &self.name, message)
    }
}
