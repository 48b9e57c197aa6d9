//! The tools as programs of their own, beside those that do the same: each is started, works and
//! ends.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use super::{
    super::{milliseconds, table::Row, variable},
    installed,
};
use crate::{Failure, text};

/// Runs of each, in turn.
const RUNS: usize = 15;

/// Files of the tree that is searched, in directories of a hundred, and of a small one.
const FILES: usize = 5000;
const FEW_FILES: usize = 100;

/// The rows of searching, listing, finding and editing.
pub(super) fn rows(agent: &Path) -> Result<Vec<Row>, Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let tree = scratch.path().join("tree");
    plant(&tree, FILES)?;
    let small = scratch.path().join("small");
    plant(&small, FEW_FILES)?;
    let few = Tools { agent, tree: &small, state: &scratch.path().join("state") };
    let place = Tools { agent, tree: &tree, state: &scratch.path().join("state") };
    let sorted = ["rg", "-S", "--hidden", "--sort", "path"];
    Ok(vec![
        place.beside(
            "grep_search, no match",
            ("grep_search", r#"{"query":"nowhere_to_be_found"}"#),
            Some(&["rg", "-S", "--hidden", "nowhere_to_be_found"]),
        )?,
        place.beside(
            "grep_search, a common word, the first 50 in order",
            ("grep_search", r#"{"query":"common"}"#),
            Some(&[&sorted[..], &["common"]].concat()),
        )?,
        place.beside(
            "list_dir",
            ("list_dir", r#"{"relative_workspace_path":"."}"#),
            first_installed(&[&["fd", "--hidden"], &["fdfind", "--hidden"]]),
        )?,
        place.beside(
            "file_search",
            ("file_search", r#"{"query":"d7/f42"}"#),
            first_installed(&[
                &["fd", "--hidden", "--full-path", "d7/f42"],
                &["fdfind", "--hidden", "--full-path", "d7/f42"],
            ]),
        )?,
        few.searching()?,
        place.editing(scratch.path())?,
    ])
}

/// The rows of searching a tree that is there already, whatever its ignore files say.
pub(super) fn tree_rows(agent: &Path, tree: &Path) -> Result<[Row; 3], Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let place = Tools { agent, tree, state: scratch.path() };
    let all = ["rg", "-S", "--hidden", "--no-ignore"];
    Ok([
        place.beside(
            "that tree: grep_search, no match",
            ("grep_search", r#"{"query":"nowhere_to_be_found","include_ignored":true}"#),
            Some(&[&all[..], &["nowhere_to_be_found"]].concat()),
        )?,
        place.beside(
            "that tree: a common word, the first 50 in order",
            ("grep_search", r#"{"query":"return","include_ignored":true}"#),
            Some(&[&all[..], &["--sort", "path", "return"]].concat()),
        )?,
        place.beside(
            "that tree: list_dir",
            ("list_dir", r#"{"relative_workspace_path":".","include_ignored":true}"#),
            first_installed(&[
                &["fd", "--hidden", "--no-ignore"],
                &["fdfind", "--hidden", "--no-ignore"],
            ]),
        )?,
    ])
}

fn first_installed<'a>(commands: &[&'a [&'a str]]) -> Option<&'a [&'a str]> {
    let found = commands.iter().find(|command| installed(command[0]));
    found.or(commands.first()).copied()
}

struct Tools<'a> {
    agent: &'a Path,
    tree: &'a Path,
    state: &'a Path,
}

impl Tools<'_> {
    /// A tool, and a program that does the same where it is there.
    fn beside(
        &self,
        what: &str,
        (tool, params): (&str, &str),
        other: Option<&[&str]>,
    ) -> Result<Row, Failure> {
        let name = other.map_or("", |words| words[0]);
        let other = other.filter(|words| installed(words[0]));
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            ours.push(self.tool(tool, params)?);
            if let Some(words) = other {
                theirs
                    .push(timed(Command::new(words[0]).args(&words[1..]).current_dir(self.tree))?);
            }
        }
        let mut row = Row::new(what, "ms").with("agent", milliseconds(ours));
        row = row.with(name, milliseconds(theirs));
        row.note = other.is_none().then(|| format!("{name} is not installed"));
        Ok(row)
    }

    /// A search, beside a program that is started and ends.
    fn searching(&self) -> Result<Row, Failure> {
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            ours.push(self.tool("grep_search", r#"{"query":"nowhere_to_be_found"}"#)?);
            bare.push(timed(Command::new(self.agent).arg("--version").env_clear())?);
        }
        let row = Row::new(format!("grep_search, no match in {FEW_FILES} files"), "ms");
        Ok(row.with("agent", milliseconds(ours)).with("started and ended", milliseconds(bare)))
    }

    /// The store opened and one edit written down and made, beside a bare replacement of the file
    /// that is as durable.
    fn editing(&self, scratch: &Path) -> Result<Row, Failure> {
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for turn in 0..RUNS {
            let params = format!(
                r#"{{"path":"d0/f0.txt","edits":[{{"start_line":1,"end_line":1,"replacement":"turn {turn}"}}]}}"#
            );
            ours.push(self.tool("apply_patch", &params)?);
            bare.push(replace(scratch).map_err(text)?);
        }
        let row = Row::new("store opened, an edit journalled and made", "ms");
        Ok(row.with("agent", milliseconds(ours)).with("a bare replace", milliseconds(bare)))
    }

    fn tool(&self, tool: &str, params: &str) -> Result<Duration, Failure> {
        let mut command = Command::new(self.agent);
        command.args(["tool", tool, params]).current_dir(self.tree).env_clear();
        command.envs(variable("PATH").map(|path| ("PATH", path)));
        timed(command.env("HOME", self.state).env("AGENT_HOME", self.state))
    }
}

/// How long a program takes, from its start to its end.
fn timed(command: &mut Command) -> Result<Duration, Failure> {
    let begun = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let elapsed = begun.elapsed();
    // A search that finds nothing ends with 1.
    match status.map_err(text)?.code() {
        Some(0 | 1) => Ok(elapsed),
        code => Err(format!("{command:?} ended with {code:?}")),
    }
}

fn replace(directory: &Path) -> std::io::Result<Duration> {
    let begun = Instant::now();
    let (new, old) = (directory.join("bare.new"), directory.join("bare"));
    let mut file = fs::File::create(&new)?;
    file.write_all(b"a line of text\n")?;
    file.sync_all()?;
    fs::rename(&new, &old)?;
    fs::File::open(directory)?.sync_all()?;
    Ok(begun.elapsed())
}

/// A tree that is the same on every machine.
fn plant(tree: &Path, files: usize) -> Result<(), Failure> {
    for number in 0..files {
        let directory = tree.join(format!("d{}", number / 100));
        if number % 100 == 0 {
            fs::create_dir_all(&directory).map_err(text)?;
        }
        let line = format!("line {number} with a common word in it\n");
        fs::write(directory.join(format!("f{}.txt", number % 100)), line.repeat(40))
            .map_err(text)?;
    }
    Ok(())
}
