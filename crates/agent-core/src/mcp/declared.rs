//! What a configuration says of a server.

use std::{collections::BTreeMap, path::Path, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    StoreError,
    config::{Origin, Trust},
    trust::{Brought, Trusted},
};

/// How long a server may take until it has said what it can do.
const START: Duration = Duration::from_secs(30);

/// How long one call may take.
const CALL: Duration = Duration::from_secs(120);

/// The longest that either may be set to, in seconds.
const LONGEST: f64 = 3600.0;

/// The characters that a name may have beside letters and digits.
const IN_NAMES: [char; 3] = ['-', '_', '.'];

/// A server as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its name, with which the names of its tools begin.
    pub name: String,
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that it sees beside those that every command does. A value may name a variable of
    /// this process: `${TOKEN}`.
    pub env: BTreeMap<String, String>,
    /// Its working directory, from the workspace; without one the workspace.
    pub cwd: Option<String>,
    /// How it is spoken to.
    pub era: Era,
    /// How long it may take until it has said what it can do.
    pub start_timeout: Duration,
    /// How long one call may take.
    pub call_timeout: Duration,
    /// What its own words about its tools are worth.
    pub hints: Hints,
    /// Where it is declared.
    pub origin: Origin,
    /// Whether the user wrote that.
    pub trust: Trust,
}

/// The two ways in which the protocol begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Era {
    /// The newer one is tried first.
    #[default]
    Auto,
    /// `server/discover`, since 2026-07-28.
    Modern,
    /// `initialize`, up to 2025-11-25.
    Legacy,
}

/// What a server's annotations of its tools are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hints {
    /// Nothing: every tool may do anything.
    Distrusted,
    /// The user says that they are true: what only reads is called without asking.
    Trusted,
}

/// The fields as they are written, by hosts of all kinds.
#[derive(Debug, Deserialize)]
struct Fields {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    #[serde(default)]
    era: Era,
    #[serde(alias = "startup_timeout_sec")]
    start_timeout_seconds: Option<f64>,
    #[serde(alias = "tool_timeout_sec")]
    call_timeout_seconds: Option<f64>,
    #[serde(default)]
    trusted: bool,
    #[serde(default)]
    disabled: bool,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

/// What is done with keys that mean nothing here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// The file is shared with other programs, which know them.
    Ignored,
    /// The file is this program's own: they are slips.
    Refused,
}

impl Declared {
    /// Reads one server; none where it is switched off.
    ///
    /// # Errors
    ///
    /// What is wrong with it, as a sentence without its full stop.
    pub(crate) fn read(
        name: &str,
        value: Value,
        (origin, trust): (Origin, Trust),
        others: Others,
    ) -> Result<Option<Self>, String> {
        let named = name.chars().all(|c| c.is_ascii_alphanumeric() || IN_NAMES.contains(&c));
        if name.is_empty() || name.len() > 40 || !named || name.contains("__") {
            return Err(format!(
                "the server `{}` needs another name: letters, digits, `-`, `_` and `.`, at most 40 \
                 and no `__`",
                name.escape_debug()
            ));
        }
        let fields: Fields = serde_path_to_error::deserialize(value).map_err(|error| {
            format!("the server `{name}`: `{}`: {}", error.path(), error.inner())
        })?;
        if others == Others::Refused
            && let Some(other) = fields.others.keys().next()
        {
            return Err(format!(
                "the server `{name}` has no `{other}`; it has command, args, env, cwd, era, \
                 start_timeout_seconds, call_timeout_seconds, trusted and disabled"
            ));
        }
        if fields.disabled {
            return Ok(None);
        }
        let Some(command) = fields.command.filter(|command| !command.trim().is_empty()) else {
            return Err(match fields.others.contains_key("url") {
                true => format!(
                    "the server `{name}` is reached over HTTP, which is not supported: name a \
                     `command` that connects to it, such as `npx mcp-remote URL`"
                ),
                false => format!("the server `{name}` needs a `command`"),
            });
        };
        let seconds = |given: Option<f64>, otherwise: Duration| match given {
            None => Ok(otherwise),
            Some(seconds) if seconds > 0.0 && seconds <= LONGEST => {
                Ok(Duration::from_secs_f64(seconds))
            }
            Some(_) => Err(format!("the server `{name}`: a time-out is 1 to {LONGEST} seconds")),
        };
        Ok(Some(Self {
            start_timeout: seconds(fields.start_timeout_seconds, START)?,
            call_timeout: seconds(fields.call_timeout_seconds, CALL)?,
            name: name.to_owned(),
            command,
            args: fields.args,
            env: fields.env,
            cwd: fields.cwd,
            era: fields.era,
            // Nobody vouches for themselves.
            hints: match (fields.trusted, trust) {
                (true, Trust::Full) => Hints::Trusted,
                (true, Trust::Workspace) | (false, _) => Hints::Distrusted,
            },
            origin,
            trust,
        }))
    }

    /// A server of this program itself.
    pub fn own(
        part: &str,
        program: &str,
        args: Vec<String>,
        env: BTreeMap<String, String>,
    ) -> Self {
        Self {
            name: part.to_owned(),
            command: program.to_owned(),
            args,
            env,
            cwd: None,
            era: Era::Legacy,
            start_timeout: START,
            // Tools have time limits of their own.
            call_timeout: Duration::from_secs_f64(LONGEST + 60.0),
            hints: Hints::Trusted,
            origin: Origin::Default,
            trust: Trust::Full,
        }
    }

    /// The servers of a `.mcp.json`, those that make sense, and what is wrong with the others.
    pub fn of_json(path: &str, text: &str) -> (Vec<Self>, Vec<String>) {
        let parsed: Result<Value, _> = serde_json::from_str(text);
        let servers = match parsed {
            Err(error) => return (Vec::new(), vec![format!("{path} is ignored: {error}")]),
            Ok(Value::Object(mut file)) => file.shift_remove("mcpServers"),
            Ok(_) => None,
        };
        let Some(Value::Object(servers)) = servers else {
            let wrong = format!("{path} is ignored: it holds no object `mcpServers`");
            return (Vec::new(), vec![wrong]);
        };
        let (mut declared, mut problems) = (Vec::new(), Vec::new());
        for (name, value) in servers {
            let origin = Origin::File { path: path.to_owned(), line: line_of(text, &name) };
            match Self::read(&name, value, (origin, Trust::Workspace), Others::Ignored) {
                Ok(server) => declared.extend(server),
                Err(problem) => problems.push(format!("{path}: {problem}; it is left out")),
            }
        }
        (declared, problems)
    }

    /// Whether it may be started: the user wrote it, or trusts what it executes, to the letter.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn is_permitted(&self, workspace: &Path, trusted: &Trusted) -> Result<bool, StoreError> {
        Ok(self.trust == Trust::Full || trusted.holds(&self.brought(workspace))?)
    }

    /// Everything that decides what is executed, in one workspace: what the user trusts.
    pub fn brought(&self, workspace: &Path) -> Brought {
        let Self { command, args, env, cwd, .. } = self;
        let workspace = workspace.to_string_lossy();
        let all = json!([workspace, command, args, env, cwd]).to_string();
        Brought { hash: agent_tools::sha256(all.as_bytes()), what: self.line() }
    }

    /// The command line, for people.
    pub fn line(&self) -> String {
        let words = std::iter::once(&self.command).chain(&self.args);
        let quoted = |word: &String| match word.contains(char::is_whitespace) || word.is_empty() {
            true => format!("{word:?}"),
            false => word.clone(),
        };
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// The line at which a key seems to stand. Only people read it.
fn line_of(text: &str, name: &str) -> usize {
    let key = Value::from(name).to_string();
    let before = text.find(&key).map_or("", |at| &text[..at]);
    before.matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(text: &str) -> (Vec<Declared>, Vec<String>) {
        Declared::of_json(".mcp.json", text)
    }

    #[test]
    fn the_file_of_other_hosts_is_read() {
        let (declared, problems) = servers(
            r#"{
              "mcpServers": {
                "git": { "type": "stdio", "command": "uvx", "args": ["mcp-server-git", "a b"],
                         "env": { "TOKEN": "${GIT_TOKEN}" }, "autoApprove": [], "trusted": true },
                "off": { "command": "x", "disabled": true }
              }, "inputs": []
            }"#,
        );
        assert_eq!(problems, Vec::<String>::new());
        let [git] = declared.as_slice() else { panic!("{declared:?}") };
        assert_eq!(git.line(), "uvx mcp-server-git \"a b\"");
        assert_eq!(git.env["TOKEN"], "${GIT_TOKEN}");
        assert_eq!(git.origin.to_string(), ".mcp.json:3");
        assert_eq!(
            (git.era, git.hints, git.trust),
            (Era::Auto, Hints::Distrusted, Trust::Workspace)
        );
        assert_eq!((git.start_timeout, git.call_timeout), (START, CALL));
    }

    #[test]
    fn what_makes_no_sense_is_left_out_and_named() {
        for (text, problem) in [
            ("{", ".mcp.json is ignored: EOF"),
            ("[]", "it holds no object `mcpServers`"),
            (r#"{"mcpServers": []}"#, "it holds no object `mcpServers`"),
            (r#"{"mcpServers": {"a": {}}}"#, "the server `a` needs a `command`"),
            (r#"{"mcpServers": {"a": {"command": " "}}}"#, "needs a `command`"),
            (r#"{"mcpServers": {"a": {"command": 3}}}"#, "`command`: invalid type"),
            (r#"{"mcpServers": {"a": 3}}"#, "the server `a`"),
            (r#"{"mcpServers": {"a b": {"command": "x"}}}"#, "needs another name"),
            (r#"{"mcpServers": {"a__b": {"command": "x"}}}"#, "needs another name"),
            (r#"{"mcpServers": {"": {"command": "x"}}}"#, "needs another name"),
            (r#"{"mcpServers": {"a": {"url": "https://x"}}}"#, "over HTTP"),
            (r#"{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}"#, "`env.A`"),
            (r#"{"mcpServers": {"a": {"command": "x", "start_timeout_seconds": 0}}}"#, "time-out"),
            (r#"{"mcpServers": {"a": {"command": "x", "era": "old"}}}"#, "`era`"),
        ] {
            let (declared, problems) = servers(text);
            assert_eq!((declared.len(), problems.len()), (0, 1), "{text} {problems:?}");
            assert!(problems[0].contains(problem), "{text}: {}", problems[0]);
        }
    }

    #[test]
    fn the_hash_is_of_what_is_executed_and_where() {
        let one = |text: &str| servers(text).0.remove(0);
        let here = Path::new("/w");
        let base =
            one(r#"{"mcpServers": {"a": {"command": "x", "args": ["1"], "env": {"A": "1"}}}}"#);
        for (text, same) in [
            (r#"{"mcpServers": {"b": {"command": "x", "args": ["1"], "env": {"A": "1"}}}}"#, true),
            (r#"{"mcpServers": {"a": {"command": "y", "args": ["1"], "env": {"A": "1"}}}}"#, false),
            (r#"{"mcpServers": {"a": {"command": "x", "args": ["2"], "env": {"A": "1"}}}}"#, false),
            (r#"{"mcpServers": {"a": {"command": "x", "args": ["1"], "env": {"A": "2"}}}}"#, false),
            (r#"{"mcpServers": {"a": {"command": "x 1", "env": {"A": "1"}}}}"#, false),
        ] {
            assert_eq!(one(text).brought(here).hash == base.brought(here).hash, same, "{text}");
        }
        assert_ne!(base.brought(here).hash, base.brought(Path::new("/v")).hash);
    }
}
