//! The last step into the sandbox: rights are given up, and the process becomes the command.

use std::{
    ffi::OsString,
    io::{self, Write},
    os::unix::process::CommandExt,
    process::{Command, ExitCode},
};

use rustix::thread::{CapabilitySet, capabilities, set_capabilities, set_no_new_privs};

use super::{Mechanism, Policy, filter, landlock};
use crate::command::supervisor;

/// The first argument of a process that is to enter; no user types it.
pub(in crate::command) const ARGUMENT: &str = "--enter-sandbox";

/// What root keeps of being root: what it takes to work on files of others in the workspace.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID);

/// Enters and becomes the command. What it gives is the code of a failure.
pub(in crate::command) fn main(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (Some(plan), Some(program)) = (arguments.next(), arguments.next()) else {
        return ExitCode::from(supervisor::BROKEN);
    };
    let plan = plan.to_str().and_then(|plan| serde_json::from_str(plan).ok());
    let entered = match plan {
        Some((mechanism, policy)) => enter(mechanism, &policy),
        None => Err("its plan can't be read".to_owned()),
    };
    if let Err(reason) = entered {
        let _told = writeln!(io::stderr(), "agent: the sandbox can't be entered: {reason}");
        return ExitCode::from(supervisor::BROKEN);
    }
    #[expect(clippy::disallowed_methods, reason = "this is the command itself")]
    let error = Command::new(&program).args(arguments).exec();
    ExitCode::from(supervisor::not_started(&program, &error))
}

fn enter(mechanism: Mechanism, policy: &Policy) -> Result<(), String> {
    set_no_new_privs(true).map_err(|error| error.to_string())?;
    landlock::restrict(policy, mechanism).or_else(|reason| match mechanism {
        // Mounts do the same there.
        Mechanism::Bubblewrap => Ok(()),
        Mechanism::Landlock => Err(reason),
    })?;
    let mut sets = capabilities(None).map_err(|error| error.to_string())?;
    sets.effective &= KEPT;
    sets.permitted &= KEPT;
    sets.inheritable = CapabilitySet::empty();
    set_capabilities(None, sets).map_err(|error| error.to_string())?;
    filter::install(policy, mechanism)
}
