//! What the agent itself costs: one table, each row beside a baseline that was measured in the same
//! run, in turn with it.
//!
//! Every client does the same against the same scripted server. The baseline is a bare loop in
//! Python, where it is there; `--against` puts other agents beside it.

mod cache;
mod client;
mod course;
mod disk;
mod large;
mod process;
mod tools;

use std::{fs, path::Path, sync::OnceLock, time::Instant};

use client::Client;
use course::{Course, Job};
pub(super) use large::Share;

use super::{
    median, milliseconds,
    table::{self, Row},
    variable,
};
use crate::{Failure, process::Program, repository, text};

/// Tool calls in a long run, in that of another agent, and in one that edits.
const LONG: usize = 1000;
const LONG_OF_OTHERS: usize = 100;
const EDITS: usize = 20;

/// The turns that are shown, and how many around one stand for it.
const SHOWN: [usize; 3] = [10, 100, 1000];
const AROUND: usize = 10;

/// Runs of each client, in turn, so that a busy machine is busy for all.
const SHORT_RUNS: usize = 9;
const LONG_RUNS: usize = 3;

/// What is asked for.
#[derive(Default)]
pub(super) struct Options {
    pub(super) as_json: bool,
    /// Clients of `xtask/clients`, or files that tell of others.
    pub(super) against: Vec<String>,
    /// The program that is measured; without it, it is built.
    pub(super) agent: Option<std::path::PathBuf>,
    /// Tool calls in a long run; a thousand where nobody says.
    pub(super) turns: Option<usize>,
    /// A tree that is searched beside the one that is made.
    pub(super) tree: Option<std::path::PathBuf>,
    /// How large what is large is made.
    pub(super) share: Share,
    pub(super) build: Build,
}

/// Whether building the program is measured too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Build {
    /// It takes minutes, and says little on a busy machine.
    #[default]
    Untimed,
    Timed,
}

/// A client with its runs.
struct Measured {
    client: Client,
    answers: Vec<Course>,
    long: Vec<Course>,
    edits: Vec<Course>,
}

/// Measures and prints.
pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let agent = match &options.agent {
        Some(agent) => fs::canonicalize(agent).map_err(text)?,
        None => super::build()?,
    };
    let mut clients = vec![Measured::new(Client::load("agent")?)];
    let mut missing = Vec::new();
    for name in ["floor"].into_iter().chain(options.against.iter().map(String::as_str)) {
        let client = Client::load(name)?;
        match client.is_installed(&agent) {
            true => clients.push(Measured::new(client)),
            false => missing.push(client.name),
        }
    }
    let syncs = measure(&mut clients, &agent, options.turns.unwrap_or(LONG))?;
    let mut rows = rows(&clients);
    rows.push(Row::new("a change's syncs, and nothing else", "ms").with("bare", syncs));
    rows.extend(tools::rows(&agent)?);
    rows.extend(cache::rows(&agent)?);
    if let Some(tree) = &options.tree {
        rows.extend(tools::tree_rows(&agent, tree)?);
    }
    rows.extend(large::rows(&agent, options.share)?);
    rows.extend(sizes(&agent)?);
    if options.build == Build::Timed {
        rows.push(built_anew()?);
    }
    match options.as_json {
        true => println!("{}", table::json(&rows)),
        false => table::print(&rows),
    }
    for name in missing {
        eprintln!("{name}: not installed, so it is left out");
    }
    Ok(())
}

/// Runs the clients in turn, and between them what a change waits for, whose median is given back.
fn measure(clients: &mut [Measured], agent: &Path, long: usize) -> Result<Option<f64>, Failure> {
    let mut syncs = Vec::new();
    for _ in 0..SHORT_RUNS {
        for one in &mut *clients {
            one.answers.push(course::run(&one.client, agent, Job::Answer)?);
        }
    }
    for _ in 0..LONG_RUNS {
        for one in &mut *clients {
            let calls = if one.client.strict { long } else { long.min(LONG_OF_OTHERS) };
            one.long.push(course::run(&one.client, agent, Job::Read(calls))?);
            if one.client.edit.is_some() {
                one.edits.push(course::run(&one.client, agent, Job::Edit(EDITS))?);
            }
        }
        syncs.extend(disk::syncs(EDITS)?);
    }
    Ok(milliseconds(syncs))
}

impl Measured {
    fn new(client: Client) -> Self {
        Self { client, answers: Vec::new(), long: Vec::new(), edits: Vec::new() }
    }

    /// The overhead around a turn; none where no run is as long.
    fn turn(&self, turn: usize) -> Option<f64> {
        let around = self.long.iter().filter_map(|run| {
            let last = (turn + AROUND / 2).min(run.turns.len());
            let first = last.checked_sub(AROUND).filter(|_| turn <= run.turns.len())?;
            Some(run.turns[first..last].to_vec())
        });
        milliseconds(around.flatten().collect())
    }
}

fn rows(clients: &[Measured]) -> Vec<Row> {
    let row = |what: &str, unit, of: &dyn Fn(&Measured) -> Option<f64>| {
        clients.iter().fold(Row::new(what, unit), |row, one| row.with(&one.client.name, of(one)))
    };
    let of = |runs: &[Course], part: fn(&Course) -> f64| {
        median(&mut runs.iter().map(part).collect::<Vec<_>>())
    };
    let mut rows = vec![row("start to the first request", "ms", &|one| {
        of(&one.answers, |run| run.start.as_secs_f64() * 1000.0)
    })];
    for turn in SHOWN {
        rows.push(row(&format!("a turn that reads, at turn {turn}"), "ms", &|one| one.turn(turn)));
    }
    rows.extend([
        row("a turn that edits, journalled", "ms", &|one| {
            milliseconds(one.edits.iter().flat_map(|run| run.turns.clone()).collect())
        }),
        row("teardown", "ms", &|one| of(&one.answers, |run| run.teardown.as_secs_f64() * 1000.0)),
        row("peak memory, one answer", "MB", &|one| memory(&one.answers)),
        row("peak memory, long run", "MB", &|one| memory(&one.long)),
        row("processor, one answer", "ms", &|one| processor(&one.answers)),
        row("processor, for each turn of a long run", "ms", &|one| {
            let turns = one.long.first()?.turns.len() as f64;
            processor(&one.long).map(|all| all / turns)
        }),
        row("first request", "bytes", &|one| of(&one.answers, |run| run.first as f64)),
        row("sent in each turn of a long run", "bytes", &|one| {
            of(&one.long, |run| run.sent as f64 / (run.turns.len() + 1) as f64)
        }),
        row("of a request, the next begins with", "%", &|one| {
            of(&one.long, |run| run.shared * 100.0)
        }),
    ]);
    rows
}

fn memory(runs: &[Course]) -> Option<f64> {
    let used = runs.iter().filter_map(|run| run.used);
    median(&mut used.map(|used| used.memory as f64 / 1e6).collect::<Vec<_>>())
}

fn processor(runs: &[Course]) -> Option<f64> {
    let used: Vec<f64> = runs
        .iter()
        .filter_map(|run| run.used)
        .map(|used| used.processor.as_secs_f64() * 1000.0)
        .collect();
    // The system counts in steps of ten, so that a mean says more than a median.
    (!used.is_empty()).then(|| used.iter().sum::<f64>() / used.len() as f64)
}

/// What the program weighs.
fn sizes(agent: &Path) -> Result<[Row; 2], Failure> {
    let binary = fs::metadata(agent).map_err(text)?.len() as f64 / 1e6;
    let lock = repository::read(&repository::root(), "Cargo.lock")?;
    let crates = lock.lines().filter(|line| *line == "[[package]]").count() as f64;
    Ok([
        Row::new("binary", "MB").with("agent", Some(binary)),
        Row::new("crates, ours and others'", "").with("agent", Some(crates)),
    ])
}

/// How long it takes to build the program and all that it is made of, as the README's first command
/// does.
fn built_anew() -> Result<Row, Failure> {
    let target = tempfile::tempdir().map_err(text)?;
    let directory = target.path().display().to_string();
    let arguments = ["build", "--release", "--package", "agent-cli", "--bin", "agent", "--locked"];
    let environment = [("CARGO_TARGET_DIR", directory.as_str())];
    let cargo = Program { name: "cargo", arguments: &arguments, environment: &environment };
    let begun = Instant::now();
    cargo.output(&repository::root())?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let what = format!("building everything anew, {cores} cores");
    Ok(Row::new(what, "s").with("agent", Some(begun.elapsed().as_secs_f64())))
}

/// Whether a program can be started by this name.
fn installed(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = variable("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}

/// The interpreter itself: what stands on the path may be a script that looks for it.
fn python() -> Option<&'static str> {
    static PYTHON: OnceLock<Option<String>> = OnceLock::new();
    let found = PYTHON.get_or_init(|| {
        let arguments = ["-c", "import sys; print(sys.executable)"];
        let python = Program { name: "python3", arguments: &arguments, environment: &[] };
        Some(python.output(&repository::root()).ok()?.trim().to_owned())
    });
    found.as_deref()
}
