//! What a configuration says of a server.

use std::{collections::BTreeMap, mem::take, path::Path, time::Duration};

use serde::Deserialize;
use serde_json::Value;

use super::reach::{Launch, Reach, Remote};
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
    /// How it is reached.
    pub reach: Reach,
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
    #[serde(rename = "type")]
    kind: Option<String>,
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    url: Option<String>,
    #[serde(default, alias = "http_headers")]
    headers: BTreeMap<String, String>,
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

impl Fields {
    /// How the server is reached; what is wrong with that, behind the server's name.
    fn reach(&mut self) -> Result<Reach, String> {
        let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let (command, url) = (given(self.command.take()), given(self.url.take()));
        match (command, url) {
            (Some(_), Some(_)) => Err("has a `command` and a `url`: one is enough".to_owned()),
            (Some(command), None) => Ok(Reach::Process(Launch {
                command,
                args: take(&mut self.args),
                env: take(&mut self.env),
                cwd: self.cwd.take(),
            })),
            (None, Some(_)) if self.kind.as_deref() == Some("sse") => Err("is reached over HTTP \
                 with SSE, the transport before Streamable HTTP: ask for the newer address of it, \
                 or name a `command` that connects to it, such as `npx mcp-remote URL`"
                .to_owned()),
            (None, Some(url)) => Ok(Reach::Http(Remote { url, headers: take(&mut self.headers) })),
            (None, None) => Err("needs a `command`, or a `url`".to_owned()),
        }
    }
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
        let mut fields: Fields = serde_path_to_error::deserialize(value).map_err(|error| {
            format!("the server `{name}`: `{}`: {}", error.path(), error.inner())
        })?;
        if others == Others::Refused
            && let Some(other) = fields.others.keys().next()
        {
            return Err(format!(
                "the server `{name}` has no `{other}`; it has command, args, env and cwd, or url and \
                 headers, and era, start_timeout_seconds, call_timeout_seconds, trusted and \
                 disabled"
            ));
        }
        if fields.disabled {
            return Ok(None);
        }
        let reach = fields.reach().map_err(|problem| format!("the server `{name}` {problem}"))?;
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
            reach,
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
            reach: Reach::Process(Launch { command: program.to_owned(), args, env, cwd: None }),
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

    /// Everything that decides what is executed, or sent and where to, in one workspace: what the user trusts.
    pub fn brought(&self, workspace: &Path) -> Brought {
        let mut all = vec![Value::from(workspace.to_string_lossy())];
        all.extend(self.reach.content());
        let hash = agent_tools::sha256(Value::from(all).to_string().as_bytes());
        Brought { hash, what: self.line() }
    }

    /// The command line or the address, for people.
    pub fn line(&self) -> String {
        self.reach.line()
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
        let Reach::Process(launch) = &git.reach else { panic!("{git:?}") };
        assert_eq!(launch.env["TOKEN"], "${GIT_TOKEN}");
        assert_eq!(git.origin.to_string(), ".mcp.json:3");
        assert_eq!(
            (git.era, git.hints, git.trust),
            (Era::Auto, Hints::Distrusted, Trust::Workspace)
        );
        assert_eq!((git.start_timeout, git.call_timeout), (START, CALL));
    }

    #[test]
    fn a_server_may_be_somewhere_else() {
        let text = r#"{"mcpServers": {"far": { "type": "http", "url": "https://h/mcp?k=${KEY}",
            "headers": { "Authorization": "Bearer ${TOKEN}" } } } }"#;
        let (declared, problems) = servers(text);
        assert_eq!(problems, Vec::<String>::new());
        let Reach::Http(remote) = &declared[0].reach else { panic!("{declared:?}") };
        assert_eq!(remote.headers["Authorization"], "Bearer ${TOKEN}");
        assert_eq!(declared[0].line(), "https://h/mcp");
        let hash = |text: &str| servers(text).0[0].brought(Path::new("/w")).hash;
        assert_eq!(hash(text), hash(&text.replace("far", "near")));
        assert_ne!(hash(text), hash(&text.replace("TOKEN", "OPENAI_API_KEY")));
        assert_ne!(hash(text), hash(&text.replace("https://h/", "https://evil/")));
    }

    #[test]
    fn what_makes_no_sense_is_left_out_and_named() {
        for (text, problem) in [
            ("{", ".mcp.json is ignored: EOF"),
            ("[]", "it holds no object `mcpServers`"),
            (r#"{"mcpServers": []}"#, "it holds no object `mcpServers`"),
            (r#"{"mcpServers": {"a": {}}}"#, "the server `a` needs a `command`, or a `url`"),
            (r#"{"mcpServers": {"a": {"command": " "}}}"#, "needs a `command`"),
            (r#"{"mcpServers": {"a": {"command": 3}}}"#, "`command`: invalid type"),
            (r#"{"mcpServers": {"a": 3}}"#, "the server `a`"),
            (r#"{"mcpServers": {"a b": {"command": "x"}}}"#, "needs another name"),
            (r#"{"mcpServers": {"a__b": {"command": "x"}}}"#, "needs another name"),
            (r#"{"mcpServers": {"": {"command": "x"}}}"#, "needs another name"),
            (r#"{"mcpServers": {"a": {"url": "https://x", "command": "x"}}}"#, "one is enough"),
            (r#"{"mcpServers": {"a": {"url": "https://x", "type": "sse"}}}"#, "with SSE"),
            (r#"{"mcpServers": {"a": {"url": "https://x", "headers": {"A": 1}}}}"#, "`headers.A`"),
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
