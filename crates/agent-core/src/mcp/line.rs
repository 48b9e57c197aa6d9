//! Requests to a server, and what becomes of them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ElicitResult, ElicitationAction,
        InputRequest, InputRequiredResult, JsonObject, PaginatedRequestParams, RequestMetaObject,
        Tool,
    },
};
use serde_json::Value;

use super::{
    error::ServerError,
    http::Connection,
    routed::SESSION,
    session::{bounded, shortened},
    watch::Seen,
};
use crate::Cancel;

/// Pages of tools that are asked for, and tools that are taken.
const PAGES: usize = 50;
const TOOLS: usize = 500;

/// How often a call may ask for more than it was given.
const ROUNDS: usize = 5;

/// The way to a session's server, to be used without holding the session.
#[derive(Clone)]
pub(super) struct Line {
    server: String,
    peer: Peer<RoleClient>,
    end: End,
}

/// What there is to say of the other end when something went wrong.
#[derive(Clone)]
pub(super) enum End {
    Process(Arc<Seen>),
    Remote(Connection),
}

/// What became of a request.
pub(super) enum Answer<T> {
    Given(T),
    /// Nothing came, or an error.
    Failed(ServerError),
    /// The server is gone.
    Gone,
}

impl Line {
    pub(super) fn new(server: String, peer: Peer<RoleClient>, end: End) -> Self {
        Self { server, peer, end }
    }

    /// Every tool of the server.
    pub(super) async fn tools(&self, limit: Duration) -> Answer<Vec<Tool>> {
        let listed = async {
            let (mut tools, mut cursor) = (Vec::new(), None);
            for _ in 0..PAGES {
                let mut page = PaginatedRequestParams::default();
                page.cursor = cursor;
                let listed = self.peer.list_tools(Some(page)).await?;
                tools.extend(listed.tools);
                cursor = listed.next_cursor;
                if cursor.is_none() || tools.len() > TOOLS {
                    break;
                }
            }
            tools.truncate(TOOLS);
            Ok(tools)
        };
        self.answer(tokio::time::timeout(limit, listed).await.ok(), limit)
    }

    /// Calls a tool. A call that is given up is taken back.
    pub(super) async fn call(
        &self,
        (tool, arguments): (&str, JsonObject),
        session: Option<&str>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Answer<CallToolResult> {
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        if let Some(session) = session {
            let mut meta = RequestMetaObject::new();
            meta.insert(SESSION.to_owned(), session.into());
            params.meta = Some(meta);
        }
        for _ in 0..ROUNDS {
            let call = self.peer.call_tool_once(params.clone());
            let called = tokio::select! {
                biased;
                _ = cancel.cancelled() => {
                    return Answer::Failed(ServerError::Interrupted { server: self.server.clone() });
                }
                called = tokio::time::timeout(limit, call) => called.ok(),
            };
            let asked = match self.answer(called, limit) {
                Answer::Given(CallToolResponse::Complete(result)) => return Answer::Given(result),
                Answer::Given(CallToolResponse::InputRequired(asked)) => asked,
                // A task, or what a later revision may have in its place.
                Answer::Given(_) => return self.wants("to be asked again later"),
                Answer::Failed(error) => return Answer::Failed(error),
                Answer::Gone => return Answer::Gone,
            };
            params.request_state.clone_from(&asked.request_state);
            params.input_responses = match declined(asked) {
                Some(answers) => Some(answers),
                None => return self.wants("what nobody gives it here"),
            };
        }
        self.wants("to be told more each time")
    }

    fn wants<T>(&self, what: &str) -> Answer<T> {
        Answer::Failed(ServerError::Answered {
            server: self.server.clone(),
            problem: format!("it wants {what}"),
            words: String::new(),
        })
    }

    fn answer<T>(&self, came: Option<Result<T, ServiceError>>, limit: Duration) -> Answer<T> {
        let server = self.server.clone();
        let words = || match &self.end {
            End::Process(seen) => seen.words(),
            End::Remote(_) => String::new(),
        };
        match (came, &self.end) {
            (Some(Ok(answer)), _) => Answer::Given(answer),
            (None, _) => {
                Answer::Failed(ServerError::Silent { server, after: limit, words: words() })
            }
            // One request that came to nothing says nothing of the next.
            (Some(Err(ServiceError::TransportSend(error))), End::Remote(connection)) => {
                Answer::Failed(connection.broken(Some(&error)))
            }
            (Some(Err(ServiceError::TransportClosed | ServiceError::TransportSend(_))), _) => {
                Answer::Gone
            }
            (Some(Err(ServiceError::McpError(error))), _) => {
                Answer::Failed(ServerError::Answered {
                    server,
                    problem: format!("{} ({})", bounded(&error.message), error.code.0),
                    words: String::new(),
                })
            }
            (Some(Err(error)), _) => Answer::Failed(ServerError::Answered {
                server,
                problem: shortened(&error),
                words: words(),
            }),
        }
    }
}

/// An answer to each question that a server asks before it goes on: nobody is there to fill in a
/// form, which it may do without. None where it asks for something else.
fn declined(asked: InputRequiredResult) -> Option<BTreeMap<String, Value>> {
    let questions = asked.input_requests.unwrap_or_default().into_iter();
    let answers = questions.map(|(name, question)| match question {
        InputRequest::Elicitation(_) => {
            let answer = ElicitResult::new(ElicitationAction::Decline);
            Some((name, serde_json::to_value(answer).ok()?))
        }
        // A model to be asked, directories to be named, or what a later revision may have.
        InputRequest::CreateMessage(_) | InputRequest::ListRoots(_) | _ => None,
    });
    answers.collect()
}
