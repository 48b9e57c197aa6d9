//! A server that is started when it is first needed.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use rmcp::model::{CallToolResult, JsonObject, Tool};
use tokio::sync::Mutex;

use super::{
    declared::{Declared, Era},
    error::{Fate, ServerError},
    known::Known,
    line::{Answer, Line},
    reach::Reach,
    servers::Asking,
    session::Session,
};
use crate::{Cancel, command::Runner, config::Trust};

/// How often a server is started in one run: one that crashes is started once more.
const STARTS: u32 = 2;

/// A server, started or not.
pub struct Server {
    declared: Declared,
    /// Of its declaration here.
    hash: String,
    surroundings: Arc<Surroundings>,
    state: Mutex<State>,
}

/// What servers are started in.
#[derive(Debug)]
pub struct Surroundings {
    /// Starts them, with the variables that every command sees.
    pub runner: Runner,
    /// The workspace.
    pub dir: PathBuf,
    /// Every variable of this process, for those that a declaration names.
    pub variables: Vec<(String, String)>,
    /// What is known of servers from before.
    pub known: Arc<Known>,
}

#[derive(Default)]
struct State {
    session: Option<Session>,
    starts: u32,
    /// Why it ended last.
    ended: Option<ServerError>,
}

impl Server {
    /// A server that is not started yet.
    pub fn new(declared: Declared, surroundings: Arc<Surroundings>) -> Self {
        let hash = declared.brought(&surroundings.dir).hash;
        Self { declared, hash, surroundings, state: Mutex::default() }
    }

    /// Its declaration.
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// Its tools, as it describes them, or as it did not long ago.
    pub(super) async fn tools(&self, asking: Asking) -> Result<Vec<Tool>, ServerError> {
        if asking == Asking::OnceADay
            && let Some(tools) = self.known().tools(&self.hash)
        {
            return Ok(tools);
        }
        let line = self.line().await?;
        match line.tools(self.declared.start_timeout).await {
            Answer::Given(tools) => {
                self.known().keep_tools(&self.hash, Some(&tools));
                Ok(tools)
            }
            Answer::Failed(error) => Err(error),
            Answer::Gone => Err(self.gone().await),
        }
    }

    /// Calls one of its tools. A server of our own is told the `session` that it is for.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: JsonObject,
        session: Option<&str>,
        cancel: &Cancel,
    ) -> Result<CallToolResult, (ServerError, Fate)> {
        let line = tokio::select! {
            biased;
            _ = cancel.cancelled() => {
                let server = self.declared.name.clone();
                return Err((ServerError::Interrupted { server }, Fate::NotSent));
            }
            line = self.line() => line.map_err(|error| (error, Fate::NotSent))?,
        };
        match line.call((tool, arguments), session, self.declared.call_timeout, cancel).await {
            Answer::Given(result) => Ok(result),
            Answer::Failed(error @ ServerError::Answered { .. }) => {
                // Perhaps it has other tools by now.
                self.known().keep_tools(&self.hash, None);
                Err((error, Fate::NotDone))
            }
            Answer::Failed(error) => Err((error, Fate::Unknown)),
            Answer::Gone => Err((self.gone().await, Fate::Unknown)),
        }
    }

    /// Ends it, if it was started.
    pub async fn end(&self) {
        let session = self.state.lock().await.session.take();
        if let Some(session) = session {
            session.end().await;
        }
    }

    /// The way to the server, which is started where it is not running.
    async fn line(&self) -> Result<Line, ServerError> {
        let mut state = self.state.lock().await;
        match state.session.take() {
            Some(session) if session.lives() => {
                let line = session.line();
                state.session = Some(session);
                return Ok(line);
            }
            Some(session) => state.ended = Some(session.end().await),
            None => {}
        }
        if state.starts >= STARTS {
            let words = state.ended.as_ref().map(|why| format!("; the last time {why}"));
            let server = self.declared.name.clone();
            return Err(ServerError::GivenUp { server, words: words.unwrap_or_default() });
        }
        state.starts += 1;
        match self.start().await {
            Ok(session) => Ok(state.session.insert(session).line()),
            Err(error) => {
                state.ended = Some(error.clone());
                Err(error)
            }
        }
    }

    /// Starts a session, in the era that the server was last spoken to in.
    async fn start(&self) -> Result<Session, ServerError> {
        let declared = self.declared.era;
        let before = (declared == Era::Auto).then(|| self.known().era(&self.hash)).flatten();
        let mut session =
            Session::start(&self.declared, before.unwrap_or(declared), &self.surroundings).await;
        if let (Some(_), Err(error)) = (before, &session) {
            // It may have become another one. Where it is silent, its time is up.
            self.known().keep_era(&self.hash, Era::Auto);
            if !matches!(error, ServerError::Silent { .. }) {
                session = Session::start(&self.declared, declared, &self.surroundings).await;
            }
        }
        if let Err(ServerError::Late { .. }) = session {
            // It takes longer to start than the library waits for its first answer.
            session = Session::start(&self.declared, Era::Modern, &self.surroundings).await;
        }
        let session = session?;
        if declared == Era::Auto {
            self.known().keep_era(&self.hash, session.era());
        }
        if let Reach::Http(_) = self.declared.reach {
            // Which parameters have to be repeated as headers, the session learns from the schemas.
            let _ = session.line().tools(self.declared.start_timeout).await;
        }
        Ok(session)
    }

    fn known(&self) -> &Known {
        &self.surroundings.known
    }

    /// Those of its tools that are not what the user has trusted, by name.
    pub(super) fn changed(
        &self,
        seen: &BTreeMap<String, String>,
    ) -> Result<Vec<String>, ServerError> {
        if self.declared.trust == Trust::Full {
            return Ok(Vec::new());
        }
        self.known().changed(&self.hash, seen).map_err(|error| ServerError::Unknown {
            server: self.declared.name.clone(),
            reason: error.to_string(),
        })
    }

    /// Why the server is gone, after it has been seen to that nothing of it is left.
    async fn gone(&self) -> ServerError {
        let mut state = self.state.lock().await;
        let session = state.session.take();
        let why = match session {
            // Somebody else was faster, and it runs again.
            Some(session) if session.lives() => {
                state.session = Some(session);
                None
            }
            Some(session) => Some(session.end().await),
            None => None,
        };
        if let Some(why) = why {
            state.ended = Some(why);
        }
        let server = self.declared.name.clone();
        state.ended.clone().unwrap_or(ServerError::Ended {
            server,
            exit_code: None,
            words: String::new(),
        })
    }
}
