//! The format of an end-to-end case: a directory with a manifest, the model's replies, and the
//! trees before and after.
#![expect(clippy::disallowed_methods, reason = "cases lie in the repository")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

/// A case.
#[derive(Debug)]
pub(crate) struct Case {
    /// The directory's name: what the case shows, in words.
    pub(crate) name: String,
    /// Where it lies.
    pub(crate) directory: PathBuf,
    /// What `case.toml` says.
    pub(crate) manifest: Manifest,
}

/// `case.toml`. Everything but `why` and `task` may be left out.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// What would be broken if this case failed.
    pub(crate) why: String,
    /// The request to the agent.
    pub(crate) task: String,
    /// Further arguments of `agent run`.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// Environment variables.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// How the case is run; without it in every usual way that fits it.
    #[serde(default)]
    drivers: Vec<Driver>,
    /// The output format that is asked for.
    #[serde(default)]
    pub(crate) format: Format,
    /// The exit code.
    #[serde(default)]
    pub(crate) exit: u8,
    /// The outcome's name.
    #[serde(default = "finished")]
    pub(crate) outcome: String,
    /// The final answer; absent where there is none.
    pub(crate) answer: Option<String>,
    /// What has to occur on standard error.
    #[serde(default)]
    pub(crate) stderr: Vec<String>,
    /// How many replies of the script stay unused.
    #[serde(default)]
    pub(crate) unused: usize,
}

fn finished() -> String {
    "finished".to_owned()
}

/// The ways to run a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Driver {
    /// The library within the test's process.
    Process,
    /// The built program with a recorded model.
    Binary,
    /// The same, with its tools in the hands of its own servers.
    Mcp,
    /// The built program with a key, against a server that speaks OpenAI's chat completions.
    Openai,
    /// The same without a key, as against a server of one's own.
    Compatible,
    /// The built program against a server that speaks OpenAI's Responses API.
    Responses,
    /// The built program against a server that speaks Anthropic's wire format.
    Anthropic,
    /// The built program against a server that speaks Gemini's.
    Gemini,
    /// The built program against a server that speaks Ollama's.
    Ollama,
}

impl Driver {
    /// The drivers of a case that names none: not every case says something about every wire
    /// format, and the gate has to stay quick.
    pub(crate) const USUAL: [Self; 5] =
        [Self::Process, Self::Binary, Self::Mcp, Self::Openai, Self::Ollama];
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    /// The answer alone.
    Text,
    /// The shared memory as one object: compared with `result.json`.
    Json,
    /// Events, one a line: compared with `events.jsonl`.
    #[default]
    StreamJson,
}

impl Format {
    /// The golden file that the output is compared with.
    pub(crate) fn golden(self) -> Option<&'static str> {
        match self {
            Self::Text => None,
            Self::Json => Some("result.json"),
            Self::StreamJson => Some("events.jsonl"),
        }
    }
}

impl Manifest {
    /// The ways in which the case is run.
    pub(crate) fn drivers(&self) -> Vec<Driver> {
        if !self.drivers.is_empty() {
            return self.drivers.clone();
        }
        let fits = |driver: &Driver| *driver != Driver::Process || !self.needs_a_program();
        Driver::USUAL.into_iter().filter(fits).collect()
    }

    /// Whether the case says something that only a process of its own has.
    fn needs_a_program(&self) -> bool {
        self.format != Format::StreamJson || !self.env.is_empty() || !self.stderr.is_empty()
    }

    fn problem(&self) -> Option<&'static str> {
        if self.why.trim().is_empty() || self.task.trim().is_empty() {
            Some("`why` and `task` have to say something")
        } else if self.needs_a_program() && self.drivers.contains(&Driver::Process) {
            Some("`process` has no environment, no standard error and one format only")
        } else {
            None
        }
    }
}

impl Case {
    /// Reads a case and checks that it is complete, and nothing else is there.
    pub(crate) fn load(directory: &Path) -> Result<Self, String> {
        let name =
            directory.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let fail = |problem: String| format!("{name}: {problem}");
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !name.chars().all(legal) {
            return Err(fail("a case's name has only a-z, 0-9 and `-`".to_owned()));
        }
        let manifest = fs::read_to_string(directory.join("case.toml"))
            .map_err(|error| fail(format!("case.toml: {error}")))?;
        let manifest: Manifest =
            toml::from_str(&manifest).map_err(|error| fail(format!("case.toml: {error}")))?;
        if let Some(problem) = manifest.problem() {
            return Err(fail(format!("case.toml: {problem}")));
        }
        let golden = manifest.format.golden();
        let listed = fs::read_dir(directory).map_err(|error| fail(error.to_string()))?;
        for entry in listed {
            let entry = entry.map_err(|error| fail(error.to_string()))?;
            let file = entry.file_name();
            let file = file.to_str().unwrap_or_default();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let belongs = match file {
                "case.toml" | "script.jsonl" => !is_directory,
                "before" | "after" => is_directory,
                file => golden == Some(file),
            };
            if !belongs {
                return Err(fail(format!("{file}: no such file belongs to a case")));
            }
        }
        if !directory.join("script.jsonl").is_file() {
            return Err(fail("script.jsonl: missing".to_owned()));
        }
        Ok(Self { name, directory: directory.to_owned(), manifest })
    }
}
