//! The built program as a child with an environment of its own.
#![expect(clippy::disallowed_methods, reason = "the harness runs the built program")]

use std::{
    io::Read,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::bed::Bed;

/// A program that is still running after so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a program leaves.
pub(crate) struct Ended {
    /// Its exit code.
    pub(crate) exit: u8,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

/// Runs `agent` in the workspace with the arguments, and with nothing of this process's
/// environment but the search path.
pub(crate) fn run(
    bed: &Bed,
    arguments: &[&str],
    environment: &[(&str, &str)],
) -> Result<Ended, String> {
    let home = bed.home();
    let mut child = Command::new(env!("CARGO_BIN_EXE_agent"))
        .args(arguments)
        .current_dir(bed.workspace())
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("LANG", "C.UTF-8")
        .env("HOME", &home)
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        // What a machine can do to confine commands is no part of what the cases compare.
        .env("AGENT_SANDBOX_MODE", "off")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the program does not start: {error}"))?;
    let stdout = read(child.stdout.take());
    let stderr = read(child.stderr.take());
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(3)),
            Ok(None) => {
                drop(child.kill());
                return Err(format!("the program hangs: {PATIENCE:?} are over"));
            }
            Err(error) => return Err(format!("the program is lost: {error}")),
        }
    };
    let text = |reader: thread::JoinHandle<Vec<u8>>| {
        let bytes = reader.join().map_err(|_| "a reader of the program's output broke")?;
        String::from_utf8(bytes).map_err(|_| "the program's output is not UTF-8")
    };
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    let exit = code.ok_or_else(|| format!("the program was ended: {status}"))?;
    Ok(Ended { exit, stdout: text(stdout)?, stderr: text(stderr)? })
}

fn read(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still worth showing.
            drop(pipe.read_to_end(&mut bytes));
        }
        bytes
    })
}
