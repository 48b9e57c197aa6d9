//! `cargo xtask ci`: everything the gate runs, in order, up to the first step that fails.

use std::{path::Path, time::Instant};

use crate::{
    Failure, bench,
    process::Program,
    repository::{self},
    tidy,
};

/// One step of the gate.
struct Step {
    name: &'static str,
    run: fn(&Path) -> Result<(), Failure>,
}

/// Quick steps stand first, so that a slip shows early. The end-to-end cases are a test of
/// agent-cli and run with the others.
const STEPS: [Step; 6] = [
    Step { name: "format", run: |root| quiet(root, Program::cargo(&["fmt", "--all", "--check"])) },
    Step { name: "tidy", run: tidy::check },
    Step {
        name: "clippy",
        run: |root| {
            let arguments = "clippy --workspace --all-targets --locked -- -D warnings";
            quiet(root, Program::cargo(&words(arguments)))
        },
    },
    Step {
        name: "test",
        run: |root| quiet(root, Program::cargo(&words("test --workspace --locked"))),
    },
    // Runs what the tests have built.
    Step { name: "crash", run: |_| bench::crash::gate() },
    Step {
        name: "doc",
        run: |root| {
            let arguments = words("doc --workspace --no-deps --locked");
            let environment = [("RUSTDOCFLAGS", "-D warnings")];
            quiet(root, Program { environment: &environment, ..Program::cargo(&arguments) })
        },
    },
];

/// Runs the gate.
pub(crate) fn run() -> Result<(), Failure> {
    let root = repository::root();
    let begun = Instant::now();
    for Step { name, run } in STEPS {
        let begun = Instant::now();
        print!("{name:<8}");
        // The name has to be there while the step runs: it may take minutes.
        std::io::Write::flush(&mut std::io::stdout()).map_err(crate::text)?;
        let result = run(&root);
        let seconds = begun.elapsed().as_secs_f64();
        match result {
            Ok(()) => println!("ok      {seconds:7.1} s"),
            Err(failure) => {
                println!("FAILED  {seconds:7.1} s");
                return Err(format!("\n{failure}\n\nci: `{name}` failed"));
            }
        }
    }
    println!("all     ok      {:7.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn quiet(root: &Path, program: Program<'_>) -> Result<(), Failure> {
    program.output(root).map(drop)
}

fn words(arguments: &str) -> Vec<&str> {
    arguments.split(' ').collect()
}
