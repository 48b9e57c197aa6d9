//! A client of the scripted server: an agent, or what is to be put beside it, told in a file.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde::Deserialize;

use crate::{Failure, loopback::Dialect, repository, text};

/// How a program is run, and what its tools are called: a file of `xtask/clients`.
///
/// `{url}`, `{agent}`, `{python}`, `{root}`, `{home}`, `{workspace}` and `{task}` are filled in, in the calls
/// also `{line}` and `{turn}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Client {
    pub(super) name: String,
    dialect: Spoken,
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// Files of its home directory, with what they hold.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Whether a request that breaks a vendor's rules is a failure.
    #[serde(default)]
    pub(super) strict: bool,
    pub(super) read: CallForm,
    pub(super) edit: Option<CallForm>,
}

/// A call of one of its tools.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallForm {
    pub(super) name: String,
    pub(super) arguments: String,
}

/// The wire formats by name.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Spoken {
    OpenAi,
    Responses,
    Anthropic,
    Gemini,
    Ollama,
}

/// Where a run takes place.
pub(super) struct Place {
    scratch: tempfile::TempDir,
}

impl Place {
    pub(super) fn new() -> Result<Self, Failure> {
        let place = Self { scratch: tempfile::tempdir().map_err(text)? };
        for directory in ["home", "workspace"] {
            fs::create_dir(place.scratch.path().join(directory)).map_err(text)?;
        }
        let lines = "a line of text\n".repeat(20);
        fs::write(place.scratch.path().join("workspace/a.txt"), lines).map_err(text)?;
        Ok(place)
    }

    /// The file that is read and edited, as it is now.
    pub(super) fn text(&self) -> Result<String, Failure> {
        fs::read_to_string(self.inside("workspace/a.txt")).map_err(text)
    }

    fn inside(&self, name: &str) -> String {
        self.scratch.path().join(name).display().to_string()
    }
}

impl Client {
    /// The client that a file tells of; a bare name stands for one of this repository's files.
    pub(super) fn load(name: &str) -> Result<Self, Failure> {
        let own = repository::root().join("xtask/clients").join(format!("{name}.toml"));
        let path = if own.is_file() { own } else { name.into() };
        let written = fs::read_to_string(&path);
        let written = written.map_err(|error| format!("{}: {error}", path.display()))?;
        toml::from_str(&written).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Whether its program is there.
    pub(super) fn is_installed(&self, agent: &Path) -> bool {
        let program = self.command.first().map(|word| {
            word.replace("{agent}", &shown(agent))
                .replace("{python}", super::python().unwrap_or_default())
        });
        program.is_some_and(|program| super::installed(&program))
    }

    pub(super) fn dialect(&self) -> Dialect {
        match self.dialect {
            Spoken::OpenAi => Dialect::OpenAi,
            Spoken::Responses => Dialect::Responses,
            Spoken::Anthropic => Dialect::Anthropic,
            Spoken::Gemini => Dialect::Gemini,
            Spoken::Ollama => Dialect::Ollama,
        }
    }

    /// Starts it on a `task`, with the server's `url`.
    pub(super) fn start(
        &self,
        agent: &Path,
        url: &str,
        place: &Place,
        task: &str,
    ) -> Result<Child, Failure> {
        let (home, workspace) = (place.inside("home"), place.inside("workspace"));
        let (agent, root) = (shown(agent), shown(&repository::root()));
        let values = [
            ("{url}", url),
            ("{agent}", &agent),
            ("{root}", &root),
            ("{python}", super::python().unwrap_or_default()),
            ("{home}", &home),
            ("{workspace}", &workspace),
            ("{task}", task),
        ];
        let filled = |form: &str| {
            values.iter().fold(form.to_owned(), |form, (name, value)| form.replace(name, value))
        };
        for (file, content) in &self.files {
            let path = Path::new(&home).join(file);
            if let Some(directory) = path.parent() {
                fs::create_dir_all(directory).map_err(text)?;
            }
            fs::write(&path, filled(content)).map_err(text)?;
        }
        let mut words = self.command.iter().map(|word| filled(word));
        let program = words.next().ok_or("a client without a command")?;
        let mut command = Command::new(&program);
        command.args(words).current_dir(&workspace).env_clear();
        for kept in ["PATH", "LANG"] {
            command.envs(super::variable(kept).map(|value| (kept, value)));
        }
        command.env("HOME", &home);
        command.envs(self.environment.iter().map(|(name, value)| (name, filled(value))));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().map_err(|error| format!("{program}: {error}"))
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_of_the_repository_can_be_read() {
        for name in ["agent", "floor", "codex", "opencode", "pi"] {
            let client = Client::load(name).unwrap();
            assert_eq!(client.name, name);
            assert!(client.command.iter().any(|word| word == "{task}"), "{name}");
            assert!(client.read.arguments.contains("{line}"), "{name}");
        }
        assert!(Client::load("nobody").is_err());
    }
}
