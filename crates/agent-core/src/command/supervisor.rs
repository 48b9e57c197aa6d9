//! The program, run again to watch over a command.
//!
//! A command can fork, leave its process group, and outlive whoever started it. A supervisor stands
//! above it to whom every orphan of its tree is given, so that all of it can be found and ended.
//! It ends the tree when the command has exited, when it is told to through its standard input,
//! and when that is closed because the program itself is gone, by whatever signal. Then the directory for
//! the command's temporary files goes with it.

use std::{
    ffi::{OsStr, OsString},
    io::{self, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Command, ExitCode, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use rustix::process::{getpid, set_child_subreaper};

use super::{
    DRAIN, END, NO_PLAN, PATIENCE,
    sandbox::{Mechanism, Policy, bubblewrap, enter},
    scratch, tree,
};

/// The first argument of a supervisor; no user types it.
pub(super) const ARGUMENT: &str = "--supervise-command";
/// The first argument of a supervisor that passes its standard input on.
pub(super) const COMPANION: &str = "--supervise-companion";

/// Exit code of a supervisor that could not do its work.
pub(super) const BROKEN: u8 = 125;
/// Exit code for a program that can't be executed, as shells have it.
const NOT_EXECUTABLE: u8 = 126;
/// Exit code for a program that is not there, as shells have it.
const NOT_FOUND: u8 = 127;

/// What the arguments of the process ask for, if they are a supervisor's.
pub(super) fn main(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    match arguments.next()?.to_str() {
        Some(ARGUMENT) => {}
        Some(COMPANION) => {
            let code = arguments.next().map(|program| attend(&program, arguments));
            return Some(ExitCode::from(code.unwrap_or(BROKEN)));
        }
        Some(enter::ARGUMENT) => return Some(enter::main(arguments)),
        Some(_) | None => return None,
    }
    let code = match (arguments.next(), arguments.next()) {
        (Some(plan), Some(program)) => watch(&plan, &program, arguments),
        (_, _) => BROKEN,
    };
    Some(ExitCode::from(code))
}

/// Where `plan` is a sandbox's, the command enters it first.
fn watch(plan: &OsStr, program: &OsStr, arguments: impl Iterator<Item = OsString>) -> u8 {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        complain(&format!("agent: the command can't be watched over: {error}"));
        return BROKEN;
    }
    let (mut command, mechanism) = match wrapped(plan, program) {
        Ok(wrapped) => wrapped,
        Err(error) => {
            complain(&format!("agent: the sandbox can't be entered: {error}"));
            return BROKEN;
        }
    };
    let spawned = command.args(arguments).stdin(Stdio::null()).process_group(0).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return not_started(program, &error),
    };
    // Bubblewrap would take all that is in it along, without a word to it; it goes when that has gone.
    let spared = (mechanism == Some(Mechanism::Bubblewrap)).then(|| child.id());
    let abandoned = Arc::new(AtomicBool::new(false));
    let gone = Arc::clone(&abandoned);
    thread::spawn(move || {
        let mut order = [0];
        let asked = io::stdin().read_exact(&mut order).is_ok() && order == [END];
        thread::spawn(move || {
            // Whoever has asked may go before the command has.
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            gone.store(true, Ordering::SeqCst);
        });
        // Otherwise nobody is there any more who would wait.
        let patience = if asked { PATIENCE } else { DRAIN };
        tree::end(patience, spared);
    });
    let status = child.wait();
    tree::clear(DRAIN);
    if abandoned.load(Ordering::SeqCst) && plan != NO_PLAN {
        remove_scratch();
    }
    status.map_or(BROKEN, code)
}

/// Removes the directory for temporary files, which nobody else will do now.
#[expect(clippy::disallowed_methods, reason = "this process's own environment says where it is")]
fn remove_scratch() {
    if let Some(path) = std::env::var_os("TMPDIR") {
        scratch::remove(Path::new(&path));
    }
}

/// Stands between a program that is spoken to and whoever speaks to it. When nothing more is said,
/// the program has a while to end, is asked to, and then made to.
#[expect(clippy::disallowed_methods, reason = "this is the module's job")]
fn attend(program: &OsStr, arguments: impl Iterator<Item = OsString>) -> u8 {
    if let Err(error) = set_child_subreaper(Some(getpid())) {
        complain(&format!("agent: the program can't be watched over: {error}"));
        return BROKEN;
    }
    let mut command = Command::new(program);
    let spawned = command.args(arguments).stdin(Stdio::piped()).process_group(0).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return not_started(program, &error),
    };
    let said = child.stdin.take();
    // Its output ends when the program closes it, not when this process does.
    if let Ok(nowhere) = std::fs::File::options().write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(nowhere);
    }
    thread::spawn(move || {
        if let Some(mut said) = said {
            // A program that has closed its end is not spoken to any more, and may go on.
            let _ = io::copy(&mut io::stdin(), &mut said);
        }
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        thread::sleep(PATIENCE);
        tree::end(PATIENCE, None);
    });
    let status = child.wait();
    tree::clear(DRAIN);
    status.map_or(BROKEN, code)
}

/// The beginning of the command line, up to the program, and what confines it.
#[expect(clippy::disallowed_methods, reason = "this is the module's job")]
fn wrapped(plan: &OsStr, program: &OsStr) -> io::Result<(Command, Option<Mechanism>)> {
    if plan == NO_PLAN {
        return Ok((Command::new(program), None));
    }
    let parsed = plan.to_str().and_then(|plan| serde_json::from_str(plan).ok());
    let Some((mechanism, policy)): Option<(Mechanism, Policy)> = parsed else {
        return Err(io::Error::other("its plan can't be read"));
    };
    let mut command = match mechanism {
        Mechanism::Landlock => Command::new("/proc/self/exe"),
        Mechanism::Bubblewrap => {
            let bubblewrap = bubblewrap::program().ok_or(io::ErrorKind::NotFound)?;
            let mut command = Command::new(bubblewrap);
            command.args(bubblewrap::arguments(&policy)).arg(std::env::current_exe()?);
            command
        }
    };
    command.arg(enter::ARGUMENT).arg(plan).arg(program);
    Ok((command, Some(mechanism)))
}

/// Says why a program did not start, and gives the exit code that shells have for it.
pub(super) fn not_started(program: &OsStr, error: &io::Error) -> u8 {
    complain(&format!("agent: {}: {error}", program.to_string_lossy()));
    if error.kind() == io::ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE }
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
