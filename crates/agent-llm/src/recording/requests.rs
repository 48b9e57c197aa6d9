//! Requests in terms of those before them.

use std::collections::HashMap;
use std::sync::Arc;

use super::RequestLine;
use crate::{Message, Purpose, Request};

/// The latest request of each purpose.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    latest: HashMap<Purpose, Request>,
}

impl Requests {
    /// What there is to be written of a request.
    pub(super) fn shorten(&mut self, request: &Request) -> RequestLine {
        // In the same order each time, so that the same calls give the same file.
        let known = Purpose::ALL.iter().filter_map(|purpose| self.latest.get(purpose));
        let shared = |known: &Request| shared(&known.messages, &request.messages);
        let like = known.rev().max_by_key(|known| shared(known)).filter(|known| shared(known) > 0);
        let keep = like.map_or(0, shared);
        let old_tools = like.map(|like| &like.tools[..]).unwrap_or_default();
        let line = RequestLine {
            like: like.map(|like| like.purpose),
            keep,
            messages: request.messages[keep..].to_vec(),
            tools: (*old_tools != *request.tools).then(|| request.tools.to_vec()),
            tool_choice: request.tool_choice,
            output: request.output.clone(),
            temperature: request.temperature,
            max_output_tokens: request.max_output_tokens,
        };
        self.latest.insert(request.purpose, request.clone());
        line
    }

    /// The request that a line stands for, or what is wrong with the line.
    pub(crate) fn restore(
        &mut self,
        purpose: Purpose,
        line: RequestLine,
    ) -> Result<Request, String> {
        let like = match line.like {
            None => None,
            Some(like) => Some(self.latest.get(&like).ok_or_else(|| {
                format!("the request is like one of {}, but none stands above it", like.name())
            })?),
        };
        let old = like.map(|like| &like.messages[..]).unwrap_or_default();
        let Some(kept) = old.get(..line.keep) else {
            return Err(format!(
                "the request keeps {} messages, but the one that it is like has {}",
                line.keep,
                old.len()
            ));
        };
        let request = Request {
            purpose,
            messages: kept.iter().cloned().chain(line.messages).collect(),
            tools: match line.tools {
                Some(tools) => tools.into(),
                None => like.map(|like| Arc::clone(&like.tools)).unwrap_or_default(),
            },
            tool_choice: line.tool_choice,
            output: line.output,
            temperature: line.temperature,
            max_output_tokens: line.max_output_tokens,
        };
        self.latest.insert(purpose, request.clone());
        Ok(request)
    }
}

/// How many messages two conversations begin with alike.
fn shared(old: &[Arc<Message>], new: &[Arc<Message>]) -> usize {
    let pairs = old.iter().zip(new);
    pairs.take_while(|(old, new)| Arc::ptr_eq(old, new) || old == new).count()
}
