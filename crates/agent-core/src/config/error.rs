//! What can be wrong with a configuration.

use toml_edit::TomlError;

use super::{
    Origin, Spec,
    file::line_of,
    key, presets,
    value::{Kind, Mismatch},
};

/// A configuration that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file is no TOML.
    #[error("{path}:{line}: not valid TOML: {message}")]
    Syntax {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        message: String,
    },
    /// The key is in no table.
    #[error("{}unknown key `{key}`", place(.origin))]
    UnknownKey {
        /// Where it stands; none for a key that was asked for.
        origin: Option<Origin>,
        /// The key as written.
        key: String,
    },
    /// The value does not suit its key.
    #[error("{}`{key}` must be {expected}, not {found}", place(.origin))]
    WrongValue {
        /// Where it stands; none for a value that was to be set.
        origin: Option<Origin>,
        /// The key.
        key: &'static str,
        /// What the key takes.
        expected: String,
        /// The value as written.
        found: String,
    },
    /// No file has such a preset.
    #[error("{origin}: there is no preset `{name}`")]
    UnknownPreset {
        /// What chose it.
        origin: Origin,
        /// The name as given.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// An MCP server's declaration makes no sense.
    #[error("{origin}: {problem}")]
    BadServer {
        /// Where it stands.
        origin: Origin,
        /// What is wrong with it.
        problem: String,
    },
    /// A rule of the policy makes no sense.
    #[error("{origin}: {problem}")]
    BadRule {
        /// Where it stands.
        origin: Origin,
        /// What is wrong with it.
        problem: String,
    },
}

fn place(origin: &Option<Origin>) -> String {
    origin.as_ref().map(|origin| format!("{origin}: ")).unwrap_or_default()
}

impl Error {
    pub(super) fn syntax(path: &str, text: &str, error: &TomlError) -> Self {
        Self::Syntax {
            path: path.to_owned(),
            line: error.span().map_or(1, |span| line_of(text, span.start)),
            message: error.message().lines().next().unwrap_or_default().to_owned(),
        }
    }

    pub(super) fn wrong_value(origin: Origin, spec: &Spec, Mismatch(found): Mismatch) -> Self {
        let expected = spec.kind.to_string();
        Self::WrongValue { origin: Some(origin), key: spec.name, expected, found }
    }

    /// The same, where the key stands in the table of this name.
    pub(super) fn within(self, table: &str) -> Self {
        match self {
            Self::UnknownKey { origin, key } => {
                Self::UnknownKey { origin, key: format!("{table}.{key}") }
            }
            Self::Syntax { .. }
            | Self::WrongValue { .. }
            | Self::UnknownPreset { .. }
            | Self::BadServer { .. }
            | Self::BadRule { .. } => self,
        }
    }

    pub(super) fn bad_rule(origin: Origin, problem: impl Into<String>) -> Self {
        Self::BadRule { origin, problem: problem.into() }
    }

    pub(super) fn bad_server(origin: Origin, problem: impl Into<String>) -> Self {
        Self::BadServer { origin, problem: problem.into() }
    }

    /// Where the mistake stands, if it stands somewhere.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Syntax { .. } => None,
            Self::UnknownKey { origin, .. } | Self::WrongValue { origin, .. } => origin.as_ref(),
            Self::BadRule { origin, .. }
            | Self::BadServer { origin, .. }
            | Self::UnknownPreset { origin, .. } => Some(origin),
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Syntax { path, line, .. } => format!("mend line {line} of {path}"),
            Self::UnknownKey { key, .. } => match key::nearest(within_preset(key)) {
                _ if is_credential(key) => "keys are read from the environment alone, so that \
                                            no file holds one: set OPENAI_API_KEY"
                    .to_owned(),
                Some(spec) => format!("did you mean `{}`?", spec.name),
                None => "`agent config show` lists every key".to_owned(),
            },
            Self::WrongValue { key, found, .. } => match key::find(key) {
                Some(spec) if spec.kind == Kind::Url => match with_scheme(found) {
                    Some(address) => format!("write {address:?}; `{key}`: {}", spec.doc),
                    None => format!("`{key}`: {}", spec.doc),
                },
                Some(spec) => format!("`{key}`: {}", spec.doc),
                None => "`agent config show` lists every key".to_owned(),
            },
            Self::UnknownPreset { name, known, .. } if known.is_empty() => {
                format!(
                    "write one: [preset.{name}] with its keys, in the file that `agent config path` names"
                )
            }
            Self::UnknownPreset { name, known, .. } => {
                let near = known.iter().max_by(|a, b| {
                    let likeness = |known: &str| strsim::jaro_winkler(known, name);
                    likeness(a).total_cmp(&likeness(b))
                });
                let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
                format!("{near}There are: {}", known.join(", "))
            }
            Self::BadServer { .. } => {
                "mend the server, or declare it anew: `agent mcp add NAME -- COMMAND`".to_owned()
            }
            Self::BadRule { .. } => {
                "mend the rule: [[policy.rules]] with `path`, `tool`, `effect` \
                                     or `command`, and a `verdict`"
                    .to_owned()
            }
        }
    }
}

/// The key as it is called outside of a preset.
fn within_preset(key: &str) -> &str {
    let rest = key.strip_prefix(presets::SECTION).and_then(|rest| rest.strip_prefix('.'));
    rest.and_then(|rest| rest.split_once('.')).map_or(key, |(_, key)| key)
}

fn is_credential(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or(key).to_ascii_lowercase();
    last.ends_with("key") || last.ends_with("token") || last.ends_with("secret")
}

/// The address that was meant by `found`, a value as it is shown, if all that it lacks is how to
/// get there: without encryption to a machine nearby, with it to any other.
fn with_scheme(found: &str) -> Option<String> {
    let address = found.strip_prefix('"')?.strip_suffix('"')?;
    let host = address.split(['/', ':']).next().filter(|host| !host.is_empty())?;
    if address.contains("://") || address.contains([' ', '@', '\\']) || address.contains(":/") {
        return None;
    }
    let has_port = address.split('/').next()?.contains(':');
    let is_near = has_port || !host.contains('.') || host.parse::<std::net::IpAddr>().is_ok();
    Some(format!("http{}://{address}", if is_near { "" } else { "s" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_lacks_its_beginning_is_written_out() {
        for (found, expected) in [
            ("\"localhost:8080\"", Some("http://localhost:8080")),
            ("\"127.0.0.1/v1\"", Some("http://127.0.0.1/v1")),
            ("\"gpu-box:8000/v1\"", Some("http://gpu-box:8000/v1")),
            ("\"api.example.com/v1\"", Some("https://api.example.com/v1")),
            ("\"ftp://h\"", None),
            ("\"http:/h\"", None),
            ("\"me:secret@h\"", None),
            ("\"\"", None),
            ("3", None),
        ] {
            assert_eq!(with_scheme(found).as_deref(), expected, "{found}");
        }
    }
}
