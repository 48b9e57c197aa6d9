//! Requests in terms of those before them.

use std::collections::HashMap;
use std::sync::Arc;

use super::RequestLine;
use crate::{Message, Purpose, Request, ToolSpec};

/// The latest request of each purpose.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    latest: HashMap<Purpose, Request>,
}

/// What the reader of a line has beside it, where many requests begin with that.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The conversation as it stands at the line.
    pub messages: &'a [Arc<Message>],
    /// The tools on offer there.
    pub tools: &'a Arc<[ToolSpec]>,
}

impl Requests {
    /// What there is to be written of a request.
    pub(super) fn shorten(&mut self, request: &Request, known: Option<Known<'_>>) -> RequestLine {
        // In the same order each time, so that the same calls give the same file.
        let before = Purpose::ALL.iter().filter_map(|purpose| self.latest.get(purpose));
        let shared_with = |before: &&Request| shared(&before.messages, &request.messages);
        let like = before.rev().max_by_key(shared_with).filter(|before| shared_with(before) > 0);
        let keep = like.as_ref().map_or(0, shared_with);
        let known = known.map(|known| (shared(known.messages, &request.messages), known));
        let line = match known.filter(|(begins, _)| *begins > 0 && *begins >= keep) {
            Some((begins, known)) => RequestLine {
                known: Some(begins),
                messages: request.messages[begins..].to_vec(),
                tools: other_tools(known.tools, request),
                ..RequestLine::default()
            },
            None => RequestLine {
                like: like.map(|like| like.purpose),
                keep,
                messages: request.messages[keep..].to_vec(),
                tools: other_tools(like.map(|like| &like.tools[..]).unwrap_or_default(), request),
                ..RequestLine::default()
            },
        };
        self.latest.insert(request.purpose, request.clone());
        RequestLine {
            tool_choice: request.tool_choice,
            output: request.output.clone(),
            temperature: request.temperature,
            max_output_tokens: request.max_output_tokens,
            ..line
        }
    }

    /// The request that a line stands for, or what is wrong with the line.
    pub(crate) fn restore(
        &mut self,
        purpose: Purpose,
        line: RequestLine,
    ) -> Result<Request, String> {
        let request = self.resolve(purpose, line, None)?;
        self.latest.insert(purpose, request.clone());
        Ok(request)
    }

    /// The same, without being what later lines lean on.
    pub(super) fn resolve(
        &self,
        purpose: Purpose,
        line: RequestLine,
        known: Option<Known<'_>>,
    ) -> Result<Request, String> {
        let (old, tools, keep) = match (line.known, known, line.like) {
            (Some(begins), Some(known), _) => (known.messages, Some(known.tools), begins),
            (Some(_), None, _) => {
                return Err("the request begins with a conversation that is not here".to_owned());
            }
            (None, _, None) => (&[][..], None, line.keep),
            (None, _, Some(like)) => {
                let like = self.latest.get(&like).ok_or_else(|| {
                    format!("the request is like one of {}, but none stands above it", like.name())
                })?;
                (&like.messages[..], Some(&like.tools), line.keep)
            }
        };
        let Some(kept) = old.get(..keep) else {
            return Err(format!(
                "the request keeps {keep} messages, but the one that it is like has {}",
                old.len()
            ));
        };
        Ok(Request {
            purpose,
            messages: kept.iter().cloned().chain(line.messages).collect(),
            tools: match line.tools {
                Some(tools) => tools.into(),
                None => tools.map(Arc::clone).unwrap_or_default(),
            },
            tool_choice: line.tool_choice,
            output: line.output,
            temperature: line.temperature,
            max_output_tokens: line.max_output_tokens,
        })
    }
}

/// The tools of a request, where they are not the old ones.
fn other_tools(old: &[ToolSpec], request: &Request) -> Option<Vec<ToolSpec>> {
    (*old != *request.tools).then(|| request.tools.to_vec())
}

/// How many messages two conversations begin with alike.
fn shared(old: &[Arc<Message>], new: &[Arc<Message>]) -> usize {
    let pairs = old.iter().zip(new);
    pairs.take_while(|(old, new)| Arc::ptr_eq(old, new) || old == new).count()
}
