//! `cargo xtask bench crash [N]`: runs are killed at N different moments, with no warning. After
//! each, every file has to be byte for byte old or new, a session has to go on, no temporary file may be left once the next
//! run has started, and `agent undo` has to bring the starting tree back.

mod work;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use lexopt::prelude::*;
use work::Work;

use crate::{Failure, process::Program, repository, text};

/// Kills in the gate.
const KILLS: usize = 200;
/// Runs at a time: most of the time they wait for the disk.
const AT_ONCE: usize = 4;

/// The programs that are killed.
struct Programs {
    agent: PathBuf,
    /// Makes one change of all files.
    together: PathBuf,
}

/// Kills as often as is asked for.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let kills = match arguments.next().map_err(text)? {
        None => KILLS,
        Some(Value(kills)) => kills.parse().map_err(text)?,
        Some(other) => return Err(text(other.unexpected())),
    };
    if let Some(more) = arguments.next().map_err(text)? {
        return Err(text(more.unexpected()));
    }
    check(kills).map(|summary| println!("{summary}"))
}

/// The gate's share.
pub(crate) fn gate() -> Result<(), Failure> {
    check(KILLS).map(drop)
}

fn check(kills: usize) -> Result<String, Failure> {
    let programs = build()?;
    // How long the work takes when nobody interrupts it, to spread the kills over that time.
    let whole = Work::ALL.map(|work| whole(&programs, work));
    let [single, session, together] = whole;
    let whole = [single?, session?, together?];
    let (next, begun) = (AtomicUsize::new(0), Instant::now());
    let worker = || -> Result<usize, Failure> {
        let mut cut_off = 0;
        loop {
            let kill = next.fetch_add(1, Ordering::Relaxed);
            if kill >= kills {
                return Ok(cut_off);
            }
            // Every fourth run makes the change of all files, and every fourth is a session.
            let (work, whole) = match kill % 4 {
                1 => (Work::Session, whole[1]),
                3 => (Work::Together, whole[2]),
                _ => (Work::OneByOne, whole[0]),
            };
            let after = whole.mul_f64((kill as f64 + 0.5) / kills as f64 * 1.1);
            let trial = trial(&programs, work, Some(after));
            let trial = trial.map_err(|failure| {
                format!("{work:?} killed after {after:?} (number {kill}): {failure}")
            })?;
            cut_off += usize::from(trial.cut_off);
        }
    };
    let results: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let mut cut_off = 0;
    for result in results {
        cut_off += result.map_err(|_| "a worker broke down".to_owned())??;
    }
    Ok(format!(
        "{kills} kills, {cut_off} of them in the middle of work: nothing lost, nothing torn, nothing \
         left behind ({:.1} s)",
        begun.elapsed().as_secs_f64()
    ))
}

fn build() -> Result<Programs, Failure> {
    let root = repository::root();
    // Of the whole workspace, as the tests are built: nothing is compiled once more for this.
    let programs = "build --quiet --locked --workspace --bin agent --example change_together";
    Program::cargo(&programs.split(' ').collect::<Vec<_>>()).attached(&root)?;
    let target = repository::target_directory()?.join("debug");
    Ok(Programs { agent: target.join("agent"), together: target.join("examples/change_together") })
}

fn whole(programs: &Programs, work: Work) -> Result<Duration, Failure> {
    let trial = trial(programs, work, None)?;
    if trial.cut_off {
        return Err(format!("{work:?} did not succeed"));
    }
    Ok(trial.elapsed)
}

/// What a run came to.
struct Trial {
    cut_off: bool,
    elapsed: Duration,
}

/// One run in a place of its own, killed after a while, and what has to be true afterwards.
fn trial(programs: &Programs, work: Work, kill: Option<Duration>) -> Result<Trial, Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let (workspace, state) = (scratch.path().join("ws"), scratch.path().join("state"));
    work::lay_out(&workspace)?;
    let start = work::tree(&workspace)?;
    let input = scratch.path().join("calls.jsonl");
    fs::write(&input, work.calls()).map_err(text)?;
    let mut command = match work {
        Work::OneByOne => {
            let mut command = Command::new(&programs.agent);
            command.args(["tool", "--jsonl"]).current_dir(&workspace);
            command
        }
        Work::Session => {
            let mut command = Command::new(&programs.agent);
            let model = format!("replay/{}", input.display());
            let arguments = ["run", "-q", "--max-turns", "100", "-m", &model, "--", "Work."];
            command.args(arguments).current_dir(&workspace);
            command
        }
        Work::Together => {
            let mut command = Command::new(&programs.together);
            command.arg(&state).arg(&workspace);
            command
        }
    };
    let begun = Instant::now();
    let mut child = command
        .env_clear()
        .env("AGENT_HOME", &state)
        .stdin(match work {
            Work::OneByOne | Work::Together => fs::File::open(&input).map_err(text)?.into(),
            Work::Session => Stdio::null(),
        })
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(text)?;
    if let Some(after) = kill {
        thread::sleep(after);
        // It may have ended by itself.
        drop(child.kill());
    }
    let status = child.wait().map_err(text)?;
    let elapsed = begun.elapsed();
    if work == Work::Session {
        resume(programs, &workspace, &state, scratch.path())?;
    }
    agent(programs, &workspace, &state, &["changes"])?;
    work.check(&workspace)?;
    agent(programs, &workspace, &state, &["undo", "1000"])?;
    let end = work::tree(&workspace)?;
    if end != start {
        return Err(format!("undone, the tree differs: {}", work::difference(&start, &end)));
    }
    Ok(Trial { cut_off: !status.success(), elapsed })
}

/// Goes on with the session that was killed, if it had begun and not ended.
fn resume(
    programs: &Programs,
    workspace: &Path,
    state: &Path,
    scratch: &Path,
) -> Result<(), Failure> {
    let listed = Command::new(&programs.agent)
        .arg("sessions")
        .current_dir(workspace)
        .env_clear()
        .env("AGENT_HOME", state)
        .output()
        .map_err(text)?;
    if !String::from_utf8_lossy(&listed.stdout).contains("unfinished") {
        return Ok(());
    }
    let last = scratch.join("last.jsonl");
    fs::write(&last, Work::LAST).map_err(text)?;
    let model = format!("replay/{}", last.display());
    agent(programs, workspace, state, &["resume", "-q", "-m", &model])
}

/// Runs a command that may find nothing to do.
fn agent(
    programs: &Programs,
    workspace: &Path,
    state: &Path,
    arguments: &[&str],
) -> Result<(), Failure> {
    let output = Command::new(&programs.agent)
        .args(arguments)
        .current_dir(workspace)
        .env_clear()
        .env("AGENT_HOME", state)
        .output()
        .map_err(text)?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Ok(()),
        Some(1) if said.contains("::nothing") => Ok(()),
        _ => Err(format!("`agent {}`: {}: {said}", arguments.join(" "), output.status)),
    }
}
