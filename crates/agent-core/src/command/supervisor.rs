//! The program, run again to watch over a command.
//!
//! A command can fork, leave its process group, and outlive whoever started it. A supervisor stands
//! above it to whom every orphan of its tree is given, so that all of it can be found and ended.
//! It ends the tree when the command has exited, when it is told to through its standard input,
//! and when that is closed because the program itself is gone, by whatever signal.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Command, ExitCode, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use rustix::process::{getpid, set_child_subreaper};

use super::{DRAIN, END, PATIENCE, tree};

/// The first argument of a supervisor; no user types it.
pub(super) const ARGUMENT: &str = "--supervise-command";

/// Exit code of a supervisor that could not do its work.
const BROKEN: u8 = 125;
/// Exit code for a program that can't be executed, as shells have it.
const NOT_EXECUTABLE: u8 = 126;
/// Exit code for a program that is not there, as shells have it.
const NOT_FOUND: u8 = 127;

/// What the arguments of the process ask for, if they are a supervisor's.
pub(super) fn main(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.next()?.to_str() != Some(ARGUMENT) {
        return None;
    }
    let code = arguments.next().map_or(BROKEN, |program| watch(&program, arguments));
    Some(ExitCode::from(code))
}

#[expect(clippy::disallowed_methods, reason = "this is the module's job")]
fn watch(program: &OsString, arguments: impl Iterator<Item = OsString>) -> u8 {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        complain(&format!("agent: the command can't be watched over: {error}"));
        return BROKEN;
    }
    let mut command = Command::new(program);
    let spawned = command.args(arguments).stdin(Stdio::null()).process_group(0).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => {
            complain(&format!("agent: {}: {error}", program.to_string_lossy()));
            let missing = error.kind() == io::ErrorKind::NotFound;
            return if missing { NOT_FOUND } else { NOT_EXECUTABLE };
        }
    };
    thread::spawn(|| {
        let mut order = [0];
        let asked = io::stdin().read_exact(&mut order).is_ok() && order == [END];
        // Otherwise nobody is there any more who would wait.
        let patience = if asked { PATIENCE } else { DRAIN };
        tree::end(patience);
    });
    let status = child.wait();
    tree::wait(DRAIN);
    tree::end(Duration::ZERO);
    tree::reap();
    status.map_or(BROKEN, code)
}

/// The exit code of a command; for one that a signal ended, 128 and the signal's number.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(BROKEN)
}

/// Tells whoever reads the command's standard error; there may be nobody.
fn complain(text: &str) {
    let _told = writeln!(io::stderr(), "{text}");
}
