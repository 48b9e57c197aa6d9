//! Lines for a reader who has the conversation beside them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::line::{ReplyLine, RequestLine};
use super::requests::{Known, Requests};
use crate::{Error, Purpose, Reply, Request};

/// Calls as lines, whose requests are told in terms of a conversation that is known to the reader,
/// and in terms of the lines before them.
#[derive(Debug, Default)]
pub struct Lines {
    requests: Requests,
}

impl Lines {
    /// The line of a call.
    ///
    /// # Errors
    ///
    /// What can't be told in JSON.
    pub fn of(
        &mut self,
        request: &Request,
        outcome: &Result<Reply, Error>,
        known: Known<'_>,
    ) -> Result<Value, serde_json::Error> {
        let shortened = self.requests.shorten(request, Some(known));
        value(&ReplyLine::new(request, shortened, outcome))
    }

    /// The line as it is for a reader who has nothing but the lines before it. Every line has to
    /// come by here in its order.
    ///
    /// # Errors
    ///
    /// What is wrong with the line.
    pub fn alone(&mut self, mut line: Value, known: Known<'_>) -> Result<Value, String> {
        let Some(request) = line.get_mut("request") else { return Ok(line) };
        let shortened = RequestLine::deserialize(request.take());
        let shortened = shortened.map_err(|error| error.to_string())?;
        let purpose = line.get("purpose").map(Purpose::deserialize);
        let purpose =
            purpose.ok_or("the line has no purpose")?.map_err(|error| error.to_string())?;
        let whole = self.requests.resolve(purpose, shortened, Some(known))?;
        let alone = self.requests.shorten(&whole, None);
        line["request"] = value(&alone).map_err(|error| error.to_string())?;
        Ok(line)
    }
}

/// As it reads in a file: by the shorter way a `0.2` would come out as `0.20000000298023224`.
fn value(line: &impl Serialize) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(line)?)
}
