//! `cargo xtask bench [edits|crash|tasks]`: measurements.
//!
//! Alone: how long the agent takes from a complete reply to its next request, and
//! whether that grows with the turn. A bare loop in the same run shows what sending alone costs.
#![expect(
    clippy::disallowed_methods,
    reason = "the benchmark runs the built program in a scratch directory"
)]

mod bare;
pub(crate) mod crash;
mod edits;
mod tasks;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use lexopt::prelude::*;
use serde_json::{Value, json};

use crate::{
    Failure,
    loopback::{Answer, Asked, Call, Dialect, Exchange, Loopback, Said},
    process::Program,
    repository, text,
};

/// Tool calls in a run.
const TURNS: usize = 1000;
/// The turns that are shown.
const SHOWN: [usize; 3] = [10, 200, 1000];
/// Turns around a shown one whose median stands for it.
const AROUND: usize = 10;
/// Runs of each client, in turn, so that a busy machine is busy for both.
const RUNS: usize = 3;

/// The median overhead at each of the [`SHOWN`] turns.
struct Row {
    client: &'static str,
    medians: [Duration; 3],
}

/// Measures what is asked for and prints a table, or JSON with `--json`.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut as_json = false;
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Long("json") => as_json = true,
            Value(what) if what == "edits" && !as_json => return edits::run(arguments),
            Value(what) if what == "crash" && !as_json => return crash::run(arguments),
            Value(what) if what == "tasks" && !as_json => return tasks::run(arguments),
            Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
        }
    }
    let agent = build()?;
    let (mut by_agent, mut by_bare) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        by_agent.push(measure(|url| drive_agent(&agent, url))?);
        by_bare.push(measure(bare::drive)?);
    }
    let rows = [
        Row { client: "agent", medians: SHOWN.map(|turn| median(&by_agent, turn)) },
        Row { client: "bare loop", medians: SHOWN.map(|turn| median(&by_bare, turn)) },
    ];
    if as_json {
        print_json(&rows);
    } else {
        print_table(&rows);
    }
    Ok(())
}

/// Builds the program as users run it.
fn build() -> Result<PathBuf, Failure> {
    let root = repository::root();
    let arguments = ["build", "--release", "--package", "agent-cli", "--bin", "agent"];
    Program::cargo(&arguments).attached(&root)?;
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(root.join("Cargo.toml"))
        .no_deps()
        .exec()
        .map_err(text)?;
    Ok(metadata.target_directory.join("release/agent").into_std_path_buf())
}

/// The overhead before each turn but the first: from the reply's last byte to the request's.
fn measure(client: impl Fn(&str) -> Result<(), Failure>) -> Result<Vec<Duration>, Failure> {
    let mut turn = 0;
    let model = move |_: &Asked| {
        turn += 1;
        Ok(Answer::Whole(said(turn)))
    };
    let server = Loopback::start(Dialect::OpenAi, Box::new(model)).map_err(text)?;
    client(&server.base_url())?;
    let seen = server.stop();
    if !seen.problems.is_empty() || seen.exchanges.len() != TURNS + 1 {
        let requests = seen.exchanges.len();
        return Err(format!("{requests} requests; {}", seen.problems.join("\n")));
    }
    let overhead = |pair: &[Exchange]| pair[1].asked.saturating_duration_since(pair[0].answered);
    Ok(seen.exchanges.windows(2).map(overhead).collect())
}

/// What the model says in a turn: read on, and in the end finish.
fn said(turn: usize) -> Said {
    let line = turn % 20 + 1;
    let (name, arguments) = match turn > TURNS {
        true => ("finish", json!({ "response": "All read." })),
        false => {
            ("read_file", json!({ "target_file": "a.txt", "start_line": line, "end_line": line }))
        }
    };
    let (id, name) = (format!("call_{turn}"), name.to_owned());
    let call = Call { id, name, arguments: arguments.to_string() };
    Said { calls: vec![call], usage: [100, 0, 10], ..Said::default() }
}

fn drive_agent(agent: &Path, url: &str) -> Result<(), Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let workspace = scratch.path().join("workspace");
    fs::create_dir(&workspace).map_err(text)?;
    fs::write(workspace.join("a.txt"), "a line of text\n".repeat(20)).map_err(text)?;
    let output = Command::new(agent)
        .args(["run", "-q", "-m", "openai/scripted", "--max-turns", "1100", "--", "Read on."])
        .current_dir(&workspace)
        .env_clear()
        .env("HOME", scratch.path())
        .env("OPENAI_BASE_URL", url)
        // A window that never fills: what is measured is that the conversation grows.
        .env("AGENT_CONTEXT_WINDOW", "10000000")
        .output()
        .map_err(text)?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "the agent ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}

fn median(runs: &[Vec<Duration>], turn: usize) -> Duration {
    let last = turn.saturating_add(AROUND / 2).min(TURNS);
    let window = last - AROUND..last;
    let mut times: Vec<Duration> =
        runs.iter().flat_map(|run| &run[window.clone()]).copied().collect();
    times.sort();
    times[times.len() / 2]
}

impl Row {
    fn growth(&self) -> f64 {
        self.medians[2].as_secs_f64() / self.medians[0].as_secs_f64()
    }
}

fn print_table(rows: &[Row]) {
    println!("per-turn overhead (reply complete to next request), medians in milliseconds\n");
    println!("{:<10} {:>9} {:>9} {:>9} {:>9}", "", "turn 10", "turn 200", "turn 1000", "1000/10");
    for row in rows {
        let [first, middle, last] = row.medians.map(|time| time.as_secs_f64() * 1000.0);
        println!("{:<10} {first:>9.3} {middle:>9.3} {last:>9.3} {:>9.2}", row.client, row.growth());
    }
}

fn print_json(rows: &[Row]) {
    let rows = rows.iter().map(|row| {
        let medians = SHOWN.iter().zip(row.medians).map(
            |(turn, time)| json!({ "turn": turn, "milliseconds": time.as_secs_f64() * 1000.0 }),
        );
        json!({
            "client": row.client,
            "overhead": medians.collect::<Vec<Value>>(),
            "turn_1000_to_turn_10": row.growth(),
        })
    });
    println!("{}", json!({ "runs": RUNS, "rows": rows.collect::<Vec<Value>>() }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_loop_is_a_well_behaved_client() {
        assert_eq!(measure(bare::drive).map(|times| times.len()), Ok(TURNS));
    }

    #[test]
    fn a_client_that_stops_early_is_no_measurement() {
        let failure = measure(|_| Ok(())).unwrap_err();
        assert_eq!(failure, "0 requests; ");
    }

    #[test]
    fn the_median_is_that_of_the_turns_around() {
        let run: Vec<Duration> = (1..=1000).map(Duration::from_millis).collect();
        let medians = SHOWN.map(|turn| median(std::slice::from_ref(&run), turn).as_millis());
        assert_eq!(medians, [11, 201, 996]);
    }
}
