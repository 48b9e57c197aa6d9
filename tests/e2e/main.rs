//! The end-to-end cases of `fixtures/cases`, each run in every way that fits it.
//!
//! A trial is named after its driver and its case: `openai::rename-a-function`. With
//! `AGENT_E2E_BLESS` in the environment golden files are rewritten instead of compared.

mod bed;
mod broken;
#[path = "../support/case.rs"]
mod case;
mod driver;
mod golden;
mod long_run;
#[path = "../support/loopback/mod.rs"]
#[expect(dead_code, reason = "times are for the benchmark")]
mod loopback;
mod program;
mod replay;
#[path = "../support/schema.rs"]
mod schema;
mod tree;
mod undo;
mod verdict;
mod wire;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use libtest_mimic::{Arguments, Failed, Trial};

use crate::{
    bed::Bed,
    case::{Case, Driver},
    golden::Bless,
};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = broken::trials();
    trials.extend(long_run::trials());
    trials.extend(cases());
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A trial for each case and driver. A case that can't be read is a trial that fails.
#[expect(
    clippy::disallowed_methods,
    reason = "cases lie in the repository; blessing is asked for by its environment"
)]
fn cases() -> Vec<Trial> {
    let bless = if std::env::var_os("AGENT_E2E_BLESS").is_some() { Bless::Yes } else { Bless::No };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/cases");
    let mut directories: Vec<PathBuf> = match std::fs::read_dir(&root) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(error) => return vec![failing("cases", format!("{}: {error}", root.display()))],
    };
    directories.sort();
    let mut trials = Vec::new();
    for directory in directories {
        match Case::load(&directory) {
            Ok(case) => {
                let case = Arc::new(case);
                let mut drivers = case.manifest.drivers();
                if bless == Bless::Yes {
                    // They share a golden file, and only one of them may write it.
                    drivers.truncate(1);
                }
                let drivers = drivers.into_iter();
                trials.extend(drivers.map(|driver| trial(driver, &case, bless)));
            }
            Err(problem) => trials.push(failing(&directory.display().to_string(), problem)),
        }
    }
    trials
}

fn trial(driver: Driver, case: &Arc<Case>, bless: Bless) -> Trial {
    let name = match driver {
        Driver::Process => "process",
        Driver::Binary => "binary",
        Driver::Mcp => "mcp",
        Driver::Openai => "openai",
        Driver::Compatible => "compatible",
        Driver::Responses => "responses",
        Driver::Anthropic => "anthropic",
        Driver::Gemini => "gemini",
        Driver::Ollama => "ollama",
    };
    let case = Arc::clone(case);
    Trial::test(format!("{name}::{}", case.name), move || {
        let problems = play(driver, &case, bless)?;
        if problems.is_empty() { Ok(()) } else { Err(Failed::from(problems.join("\n"))) }
    })
}

/// Runs a case; what is wrong with it.
fn play(driver: Driver, case: &Case, bless: Bless) -> Result<Vec<String>, String> {
    let bed = Bed::new(case).map_err(|error| error.to_string())?;
    let modes = undo::modes(&bed).map_err(|error| error.to_string())?;
    let ran = driver::run(driver, case, &bed)?;
    let mut problems = verdict::problems(case, &bed, &ran, bless)?;
    if problems.is_empty() && driver == Driver::Binary {
        problems.extend(replay::problems(&bed)?);
    }
    if problems.is_empty() {
        problems.extend(undo::problems(driver, case, &bed, &modes)?);
    }
    if !problems.is_empty() && !ran.stderr.is_empty() {
        problems.push(format!("standard error:\n{}", ran.stderr));
    }
    Ok(problems)
}

fn failing(name: &str, problem: String) -> Trial {
    Trial::test(name.to_owned(), move || Err(Failed::from(problem)))
}
