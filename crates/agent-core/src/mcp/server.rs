//! A server that is started when it is first needed.

use std::{path::PathBuf, sync::Arc};

use rmcp::model::{CallToolResult, JsonObject, Tool};
use tokio::sync::Mutex;

use super::{
    declared::Declared,
    error::{Fate, ServerError},
    session::{Answer, Line, Session},
};
use crate::{Cancel, command::Runner};

/// How often a server is started in one run: one that crashes is started once more.
const STARTS: u32 = 2;

/// A server, started or not.
pub struct Server {
    declared: Declared,
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
        Self { declared, surroundings, state: Mutex::default() }
    }

    /// Its declaration.
    pub fn declared(&self) -> &Declared {
        &self.declared
    }

    /// Its tools, as it describes them.
    pub(super) async fn tools(&self) -> Result<Vec<Tool>, ServerError> {
        let line = self.line().await?;
        match line.tools(self.declared.start_timeout).await {
            Answer::Given(tools) => Ok(tools),
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
            Answer::Failed(error @ ServerError::Answered { .. }) => Err((error, Fate::NotDone)),
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
        let Surroundings { runner, dir, .. } = self.surroundings.as_ref();
        let session = Session::start(&self.declared, runner, self.environment()?, dir).await;
        match session {
            Ok(session) => Ok(state.session.insert(session).line()),
            Err(error) => {
                state.ended = Some(error.clone());
                Err(error)
            }
        }
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

    /// The variables of its declaration, with those that they name.
    fn environment(&self) -> Result<Vec<(String, String)>, ServerError> {
        let server = &self.declared.name;
        let pairs = self.declared.env.iter();
        pairs
            .map(|(name, value)| Ok((name.clone(), self.expanded(value)?)))
            .collect::<Result<_, _>>()
            .map_err(|variable| ServerError::NoVariable { server: server.clone(), variable })
    }

    /// `${NAME}` and `${NAME:-otherwise}` in the place of which the variable stands.
    fn expanded(&self, text: &str) -> Result<String, String> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, named)) = rest.split_once("${") {
            let Some((name, after)) = named.split_once('}') else { break };
            let (name, otherwise) = match name.split_once(":-") {
                Some((name, otherwise)) => (name, Some(otherwise)),
                None => (name, None),
            };
            let mut variables = self.surroundings.variables.iter();
            let value = variables.find(|(known, _)| known == name).map(|(_, value)| value.as_str());
            expanded.push_str(before);
            expanded.push_str(value.or(otherwise).ok_or_else(|| name.to_owned())?);
            rest = after;
        }
        Ok(expanded + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_name_variables() {
        let (declared, _) = Declared::of_json("f", r#"{"mcpServers": {"a": {"command": "x"}}}"#);
        let surroundings = Surroundings {
            runner: Runner::default(),
            dir: PathBuf::from("/"),
            variables: vec![("A".to_owned(), "1".to_owned())],
        };
        let server = Server::new(declared[0].clone(), Arc::new(surroundings));
        for (text, expanded) in [
            ("", Ok("")),
            ("plain", Ok("plain")),
            ("${A}", Ok("1")),
            ("x${A}y${A}z", Ok("x1y1z")),
            ("${B:-2}", Ok("2")),
            ("${A:-2}", Ok("1")),
            ("${B:-}", Ok("")),
            ("${B}", Err("B")),
            ("${A", Ok("${A")),
            ("$A", Ok("$A")),
        ] {
            let expected = expanded.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(server.expanded(text), expected, "{text}");
        }
    }
}
