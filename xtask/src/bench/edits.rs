//! `cargo xtask bench edits`: how the editing tools do on edits from git histories.
//!
//! The scripts in `xtask/edit-bench` write the commits of a history down as models would and put
//! them to `agent tool --jsonl`; what comes back is held against `targets.toml`.
#![expect(clippy::disallowed_methods, reason = "the benchmark lays its corpus out on the disk")]

mod score;
mod table;
mod targets;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use lexopt::prelude::*;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{Failure, process::Program, repository, text};
use score::Score;
use targets::Targets;

/// Where the scripts lie.
const SCRIPTS: &str = "xtask/edit-bench";

/// The oldest Python that runs the scripts.
const PYTHON: (u32, u32) = (3, 11);

/// The ways in which edits are written down, and the tool that takes each.
const FORMATS: [(&str, &str); 5] = [
    ("sketch", "merge_sketch"),
    ("pairs", "merge_patch"),
    ("sr", "merge_patch"),
    ("v4a", "merge_patch"),
    ("udiff", "merge_patch"),
];

const USAGE: &str = "\
cargo xtask bench edits --git DIR [--git DIR ...] [--limit N] [--keep DIR] [--check] [--json]
cargo xtask bench edits --corpus DIR [--check] [--json]

  --git DIR     a git history; consecutive releases of a package, a commit each, will do
  --limit N     at most N edits of a language that histories have much of, fewer of the others
  --keep DIR    keep the corpus there, and what was not right; it holds text of the histories
  --corpus DIR  the corpus that an earlier run has kept
  --check       fail when a target of xtask/edit-bench/targets.toml is missed
  --json        the numbers as one JSON object
";

/// What the command line asks for.
#[derive(Default)]
struct Options {
    histories: Vec<PathBuf>,
    limit: Option<u32>,
    keep: Option<PathBuf>,
    corpus: Option<PathBuf>,
    check: bool,
    as_json: bool,
}

/// What became of a format.
enum Outcome {
    Scored(Box<Score>),
    /// The tool that this build lacks.
    Skipped(&'static str),
}

/// Of what the corpus was made.
#[derive(Deserialize)]
struct Manifest {
    cases: usize,
    items: usize,
    languages: BTreeMap<String, usize>,
}

/// Makes a corpus, scores every format and prints what came out.
pub(super) fn run(arguments: lexopt::Parser) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let root = repository::root();
    let targets = Targets::parse(&repository::read(&root, &format!("{SCRIPTS}/targets.toml"))?)?;
    require_programs(&root)?;
    let agent = super::build()?;

    let scratch = tempfile::tempdir().map_err(text)?;
    let corpus = match (&options.corpus, &options.keep) {
        (Some(directory), _) => directory.clone(),
        (None, Some(directory)) => outside(&root, directory)?,
        (None, None) => scratch.path().join("corpus"),
    };
    // The program sees neither the user's configuration nor a workspace with one.
    let home = scratch.path().join("home");
    fs::create_dir(&home).map_err(text)?;
    let scripts = Scripts { root: &root, corpus: word(&corpus)?, home: word(&home)? };
    if options.corpus.is_none() {
        scripts.generate(&options)?;
    }
    let manifest = corpus.join("manifest.json");
    let manifest =
        fs::read(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let manifest: Manifest = serde_json::from_slice(&manifest).map_err(text)?;

    let agent = word(&agent)?;
    let tools = scripts.tools(agent)?;
    let mut outcomes = Vec::new();
    for (format, tool) in FORMATS {
        let outcome = match tools.iter().any(|name| name == tool) {
            true => Outcome::Scored(Box::new(scripts.score(format, agent)?)),
            false => Outcome::Skipped(tool),
        };
        outcomes.push((format, outcome));
    }
    let missed = targets.missed(&outcomes);
    match options.as_json {
        true => print_json(&manifest, &outcomes, &missed),
        false => table::print(&manifest, &outcomes, &targets, &missed),
    }
    match options.check && !missed.is_empty() {
        true => Err(format!("{} targets missed", missed.len())),
        false => Ok(()),
    }
}

impl Options {
    fn parse(mut arguments: lexopt::Parser) -> Result<Self, Failure> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next().map_err(text)? {
            match argument {
                Long("git") => options.histories.push(directory(&mut arguments)?),
                Long("limit") => {
                    let limit = arguments.value().map_err(text)?.parse().map_err(text)?;
                    options.limit = Some(limit);
                }
                Long("keep") => options.keep = Some(directory(&mut arguments)?),
                Long("corpus") => options.corpus = Some(directory(&mut arguments)?),
                Long("check") => options.check = true,
                Long("json") => options.as_json = true,
                Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
            }
        }
        let made = options.limit.is_some() || options.keep.is_some();
        match (&options.corpus, options.histories.is_empty()) {
            (None, false) => Ok(options),
            (Some(_), true) if !made => Ok(options),
            (None | Some(_), _) => Err(format!("a history or a corpus is needed:\n{USAGE}")),
        }
    }
}

/// An option's directory, whatever the scripts' working directory.
fn directory(arguments: &mut lexopt::Parser) -> Result<PathBuf, Failure> {
    let directory = PathBuf::from(arguments.value().map_err(text)?);
    std::path::absolute(directory).map_err(text)
}

/// The programs that only this chore needs.
fn require_programs(root: &Path) -> Result<(), Failure> {
    let needed = format!("`bench edits` needs git and python3, {}.{} or newer", PYTHON.0, PYTHON.1);
    let git = Program { name: "git", arguments: &["--version"], environment: &[] };
    git.output(root).map_err(|failure| format!("{failure}\n{needed}"))?;
    let print_version = ["-c", "import sys; print(*sys.version_info[:2])"];
    let python = Program { name: "python3", arguments: &print_version, environment: &[] };
    let version = python.output(root).map_err(|failure| format!("{failure}\n{needed}"))?;
    let numbers: Vec<u32> = version.split_whitespace().flat_map(str::parse).collect();
    match numbers[..] {
        [major, minor] if (major, minor) >= PYTHON => Ok(()),
        _ => Err(format!("this python3 is {}; {needed}", version.trim().replace(' ', "."))),
    }
}

/// The directory to keep the corpus in, which the repository must not come to hold.
fn outside(root: &Path, directory: &Path) -> Result<PathBuf, Failure> {
    if directory.starts_with(root) && !directory.starts_with(root.join("target")) {
        let directory = directory.display();
        return Err(format!(
            "{directory}: a corpus holds text of other repositories; keep it outside of this one"
        ));
    }
    Ok(directory.to_owned())
}

/// A path as an argument.
fn word(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| format!("{}: a name that is not UTF-8", path.display()))
}

/// The scripts, and where they find and put things.
struct Scripts<'a> {
    root: &'a Path,
    corpus: &'a str,
    /// An empty directory: home and workspace of the program.
    home: &'a str,
}

impl Scripts<'_> {
    fn generate(&self, options: &Options) -> Result<(), Failure> {
        let script = format!("{SCRIPTS}/generate.py");
        let limit = options.limit.map(|limit| limit.to_string());
        let mut arguments = vec!["-B", &script, "--out", self.corpus];
        for history in &options.histories {
            arguments.extend(["--git", word(history)?]);
        }
        if let Some(limit) = &limit {
            arguments.extend(["--limit", limit]);
        }
        Program { name: "python3", arguments: &arguments, environment: &[] }.attached(self.root)
    }

    fn score(&self, format: &str, agent: &str) -> Result<Score, Failure> {
        let script = format!("{SCRIPTS}/score.py");
        let failures = format!("{}/not-right-{format}.jsonl", self.corpus);
        #[rustfmt::skip]
        let arguments = [
            "-B", &script, "--corpus", self.corpus, "--format", format, "--dialect", "tool",
            "--failures", &failures, "--", agent, "tool", "-C", self.home, "--jsonl",
        ];
        let environment = self.environment();
        let python = Program { name: "python3", arguments: &arguments, environment: &environment };
        serde_json::from_str(&python.output(self.root)?).map_err(text)
    }

    /// The names of the tools that the program has.
    fn tools(&self, agent: &str) -> Result<Vec<String>, Failure> {
        #[derive(Deserialize)]
        struct Tool {
            name: String,
        }
        let arguments = ["tool", "-C", self.home, "--list"];
        let environment = self.environment();
        let agent = Program { name: agent, arguments: &arguments, environment: &environment };
        let tools: Vec<Tool> = serde_json::from_str(&agent.output(self.root)?).map_err(text)?;
        Ok(tools.into_iter().map(|tool| tool.name).collect())
    }

    fn environment(&self) -> [(&'static str, &str); 2] {
        [("XDG_CONFIG_HOME", self.home), ("AGENT_HOME", self.home)]
    }
}

fn print_json(manifest: &Manifest, outcomes: &[(&str, Outcome)], missed: &[String]) {
    let formats = outcomes.iter().map(|(format, outcome)| match outcome {
        Outcome::Scored(score) => json!({ "format": format, "score": score }),
        Outcome::Skipped(tool) => json!({ "format": format, "lacks": tool }),
    });
    let Manifest { cases, items, languages } = manifest;
    println!(
        "{}",
        json!({
            "edits": cases,
            "items": items,
            "languages": languages,
            "formats": formats.collect::<Vec<Json>>(),
            "missed": missed,
        })
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &str) -> Result<Options, Failure> {
        Options::parse(lexopt::Parser::from_args(arguments.split_whitespace()))
    }

    #[test]
    fn a_corpus_is_made_or_was_kept() {
        let made = parsed("--git /a --git /b --limit 5 --keep /c").unwrap();
        assert_eq!(made.histories, [Path::new("/a"), Path::new("/b")]);
        assert_eq!((made.limit, made.keep.as_deref()), (Some(5), Some(Path::new("/c"))));
        let kept = parsed("--corpus /c --check --json").unwrap();
        assert_eq!(kept.corpus.as_deref(), Some(Path::new("/c")));
        assert!(kept.check && kept.as_json);
        for neither in ["", "--check", "--git /a --corpus /c", "--corpus /c --limit 5"] {
            let failure = parsed(neither).err().unwrap();
            assert!(failure.starts_with("a history or a corpus is needed:\n"), "{failure}");
        }
        assert!(parsed("--git /a --limit many").is_err());
    }

    #[test]
    fn a_corpus_is_not_kept_where_it_could_be_committed() {
        let root = Path::new("/repository");
        let kept = |directory: &str| outside(root, Path::new(directory)).is_ok();
        assert!(kept("/elsewhere") && kept("/repository/target/corpus"));
        assert!(!kept("/repository") && !kept("/repository/xtask/edit-bench/corpus"));
    }
}
