//! Configuration in layers, each value with its origin.
//!
//! [`Layer`]s come from texts and lookups that the caller hands in; [`Config::layered`] puts later
//! ones on top of earlier ones. What keys there are, and what each may hold, stands in one table:
//! [`table::TABLE`].
//!
//! ```
//! use agent_core::config::{Config, Key, Layer, Trust};
//!
//! let user = Layer::file("config.toml", "max_turns = 40 # long jobs", Trust::Full)?;
//! let environment = Layer::environment(|name| (name == "AGENT_MODEL").then(|| "ollama/x".into()))?;
//! let config = Config::layered([user, environment]);
//!
//! assert_eq!(config.count(Key::MaxTurns), Some(40));
//! assert_eq!(config.setting(Key::MaxTurns).origin.to_string(), "config.toml:1");
//! assert_eq!(config.text(Key::Model), Some("ollama/x"));
//! # Ok::<(), agent_core::config::Error>(())
//! ```

use std::{fmt, time::Duration};

mod edit;
mod error;
mod file;
pub mod key;
mod presets;
mod reference;
mod rules;
mod servers;
pub mod table;
#[cfg(test)]
mod tests;
mod value;

pub use edit::set;
pub use error::Error;
pub use key::{FromWorkspace, Key, Spec};
pub use presets::{Chosen, with_preset};
pub use reference::default_file;
pub use servers::{add_server, remove_server};
pub use value::{Kind, Value};

use presets::Preset;

use crate::{
    mcp::Declared,
    policy::{Rule, Source, Verdict},
};

/// Where a value was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere: it is built in.
    Default,
    /// In a configuration file.
    File {
        /// The file, as the user would name it.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// In an environment variable.
    Environment(String),
    /// In a flag on the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::File { path, line } => write!(formatter, "{path}:{line}"),
            Self::Environment(name) => formatter.write_str(name),
            Self::Flag(name) => formatter.write_str(name),
        }
    }
}

/// Whether a file's author is the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The user wrote it: every key counts.
    Full,
    /// It came with a workspace, whoever wrote it: what [`Spec::from_workspace`] does not permit is
    /// inert.
    Workspace,
}

/// The values that one source gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layer {
    entries: Vec<Entry>,
    /// The rules of the policy, the first first.
    rules: Vec<Rule>,
    /// MCP servers. Those of a workspace's file need the user's trust before they are started.
    servers: Vec<Declared>,
    presets: Vec<Preset>,
    inert: Vec<Inert>,
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    key: Key,
    value: Value,
    origin: Origin,
}

/// A value that a workspace's file gave and that does not count. It displays as a warning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inert {
    /// The key; none for a rule of the policy.
    pub key: Option<Key>,
    /// Where it stands.
    pub origin: Origin,
    /// What it says: a value or a rule.
    pub said: String,
}

impl fmt::Display for Inert {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, origin, said: _ } = self;
        let Some(spec) = key.map(Key::spec) else {
            return write!(
                formatter,
                "{origin}: a rule is ignored: a file that came with the workspace must not permit \
                 anything; write the rule into your own file (`agent config path`), or trust the \
                 whole file as it stands (`agent config trust`)",
            );
        };
        write!(
            formatter,
            "{origin}: `{}` is ignored: a file that came with the workspace must not {}; \
             `agent config set {} VALUE` sets it for you, `agent config trust` trusts the whole file \
             as it stands",
            spec.name,
            spec.from_workspace.reason(),
            spec.name,
        )
    }
}

impl Layer {
    /// A configuration file's layer. `path` only names it.
    ///
    /// # Errors
    ///
    /// The text is no TOML, or holds a key or value that the table does not know. The error names
    /// file, line and key.
    pub fn file(path: &str, text: &str, trust: Trust) -> Result<Self, Error> {
        let file::Said { entries, rules, servers, presets } = file::read(path, text, trust)?;
        let (entries, inert) = permitted(entries, trust);
        let presets = presets.into_iter().map(|(name, entries)| {
            let (entries, inert) = permitted(entries, trust);
            Preset { name, entries, inert }
        });
        let presets = presets.collect();
        let mut layer = Self { entries, servers, presets, inert, ..Self::default() };
        for rule in rules {
            // To ask where otherwise something is refused would permit more, too.
            let tightens = matches!(rule.verdict, Verdict::Refuse | Verdict::Stop);
            match (trust, &rule.source) {
                (Trust::Workspace, Source::Given(origin)) if !tightens => {
                    let said = format!("a rule: {rule}");
                    layer.inert.push(Inert { key: None, origin: origin.clone(), said });
                }
                (Trust::Workspace | Trust::Full, _) => layer.rules.push(rule),
            }
        }
        Ok(layer)
    }

    /// The environment's layer: `AGENT_MAX_TURNS` gives `max_turns`, and the vendors' own variables
    /// give what they mean. An empty variable counts as absent.
    ///
    /// # Errors
    ///
    /// A value that its key does not take.
    pub fn environment(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let mut layer = Self::default();
        for spec in &table::TABLE {
            let mut names = std::iter::once(spec.variable()).chain(spec.alias.map(str::to_owned));
            let found = names.find_map(|name| {
                let text = lookup(&name).filter(|text| !text.is_empty())?;
                Some((name, text))
            });
            if let Some((name, text)) = found {
                layer.push(spec, &text, Origin::Environment(name))?;
            }
        }
        Ok(layer)
    }

    /// Adds a value given by a flag.
    ///
    /// # Errors
    ///
    /// A value that the key does not take.
    pub fn flag(mut self, flag: &'static str, key: Key, text: &str) -> Result<Self, Error> {
        self.push(key.spec(), text, Origin::Flag(flag))?;
        Ok(self)
    }

    /// Adds a rule of the policy behind those that are there.
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// What the file said in vain.
    pub fn inert(&self) -> &[Inert] {
        &self.inert
    }

    /// What the file said in vain, its presets included: what would count if the file were trusted.
    pub fn withheld(&self) -> Vec<String> {
        let own = self.inert.iter().map(|inert| inert.said.clone());
        let of_presets = self.presets.iter().flat_map(|preset| {
            let name = &preset.name;
            preset.inert.iter().map(move |inert| format!("[preset.{name}] {}", inert.said))
        });
        own.chain(of_presets).collect()
    }

    fn push(&mut self, spec: &Spec, text: &str, origin: Origin) -> Result<(), Error> {
        let value = spec
            .kind
            .parse(text)
            .map_err(|mismatch| Error::wrong_value(origin.clone(), spec, mismatch))?;
        self.entries.push(Entry { key: spec.key, value, origin });
        Ok(())
    }
}

/// The values that count, and those that do not because their file came with a workspace.
fn permitted(entries: Vec<Entry>, trust: Trust) -> (Vec<Entry>, Vec<Inert>) {
    let (kept, inert): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| {
        trust == Trust::Full || entry.key.spec().from_workspace.permits(&entry.value)
    });
    let inert = inert.into_iter().map(|Entry { key, value, origin }| {
        let said = format!("{} = {value}", key.spec().name);
        Inert { key: Some(key), origin, said }
    });
    (kept, inert.collect())
}

/// A key with the value that holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The key.
    pub key: Key,
    /// Its value; none where none was given and none is built in.
    pub value: Option<Value>,
    /// Where the value comes from.
    pub origin: Origin,
}

/// All layers on top of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// One for each row of the table, in its order.
    settings: Vec<Setting>,
    /// Those of the last layer first.
    rules: Vec<Rule>,
    /// Each name once.
    servers: Vec<Declared>,
}

impl Config {
    /// Puts `layers` over the defaults, the last one on top.
    pub fn layered(layers: impl IntoIterator<Item = Layer>) -> Self {
        let defaults = table::TABLE.iter().map(|spec| Setting {
            key: spec.key,
            // That every default suits its kind is tested.
            value: spec.default.and_then(|text| spec.kind.parse(text).ok()),
            origin: Origin::Default,
        });
        let mut settings: Vec<Setting> = defaults.collect();
        let (mut rules, mut servers) = (Vec::new(), Vec::new());
        for layer in layers {
            add_servers(&mut servers, layer.servers);
            for Entry { key, value, origin } in layer.entries {
                settings[key.row()] = Setting { key, value: Some(value), origin };
            }
            rules.splice(0..0, layer.rules);
        }
        Self { settings, rules, servers }
    }

    /// The rules of the policy, in the order in which they are tried: those of the last layer
    /// first.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The MCP servers that are declared.
    pub fn servers(&self) -> &[Declared] {
        &self.servers
    }

    /// The same with servers of another file that came with the workspace.
    pub fn with_servers(mut self, servers: Vec<Declared>) -> Self {
        add_servers(&mut self.servers, servers);
        self
    }

    /// Every setting, in the table's order.
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// One setting.
    pub fn setting(&self, key: Key) -> &Setting {
        &self.settings[key.row()]
    }

    /// The text that `key` holds.
    pub fn text(&self, key: Key) -> Option<&str> {
        match self.setting(key).value.as_ref()? {
            Value::Text(text) => Some(text),
            Value::Count(_) | Value::Number(_) => None,
        }
    }

    /// The whole number that `key` holds.
    pub fn count(&self, key: Key) -> Option<u64> {
        match self.setting(key).value.as_ref()? {
            Value::Count(count) => Some(*count),
            Value::Text(_) | Value::Number(_) => None,
        }
    }

    /// The number that `key` holds.
    pub fn number(&self, key: Key) -> Option<f64> {
        match self.setting(key).value.as_ref()? {
            Value::Number(number) => Some(*number),
            Value::Text(_) | Value::Count(_) => None,
        }
    }

    /// The time that `key` holds in seconds.
    pub fn seconds(&self, key: Key) -> Option<Duration> {
        self.count(key).map(Duration::from_secs)
    }
}

/// Adds servers whose names are not taken: what came with a workspace can't stand in for a server
/// of the user's.
fn add_servers(servers: &mut Vec<Declared>, more: Vec<Declared>) {
    for server in more {
        if servers.iter().all(|known| known.name != server.name) {
            servers.push(server);
        }
    }
}
