//! A process with everything that it started, however far that has gone from it.
//!
//! Only for a process that has made itself the one to which orphans of its tree are given: then
//! nothing can leave the tree, not even what has its own session.

use std::{
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

use rustix::process::{
    self, Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, kill_process_group,
};

/// How often it is looked whether everything is gone.
const PAUSE: Duration = Duration::from_millis(3);

/// Whatever forks faster than it is killed is given up after so many rounds.
const ROUNDS: u32 = 2_000;

/// A process of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    id: i32,
    group: i32,
}

/// Ends everything that this process has started: asks it to end, and after `patience` makes it.
/// `spared` is not asked.
pub(super) fn end(patience: Duration, spared: Option<u32>) {
    let until = Instant::now() + patience;
    let asked = below().into_iter().filter(|process| u32::try_from(process.id).ok() != spared);
    for process in asked {
        send(process.id, Signal::TERM);
    }
    while Instant::now() < until {
        if below().is_empty() {
            return;
        }
        thread::sleep(PAUSE);
    }
    for _ in 0..ROUNDS {
        if !kill() {
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// Waits up to `patience` for everything that this process has started to end by itself, and then
/// kills it. Nothing of it may be waited for elsewhere any more.
pub(super) fn clear(patience: Duration) {
    let until = Instant::now() + patience;
    for _ in 0..ROUNDS {
        // While anything lives, this process has a child. The table of processes is no proof: it
        // changes while it is read.
        loop {
            match process::wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_none) => return,
            }
        }
        if Instant::now() >= until {
            kill();
        }
        thread::sleep(PAUSE);
    }
}

/// Kills what there is, and says whether there was anything.
fn kill() -> bool {
    let own = getpgrp().as_raw_nonzero().get();
    let found = below();
    for process in &found {
        // A group dies at once, and so nothing in it can fork away.
        if process.group != own
            && let Some(group) = Pid::from_raw(process.group)
        {
            let _gone = kill_process_group(group, Signal::KILL);
        }
        send(process.id, Signal::KILL);
    }
    !found.is_empty()
}

fn send(id: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(id) {
        // It may be gone already.
        let _gone = kill_process(pid, signal);
    }
}

/// The living processes below this one.
fn below() -> Vec<Process> {
    let mut children: HashMap<i32, Vec<(Process, bool)>> = HashMap::new();
    for (parent, process, alive) in processes() {
        children.entry(parent).or_default().push((process, alive));
    }
    let mut found = Vec::new();
    let mut parents = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        for (process, alive) in children.remove(&parent).unwrap_or_default() {
            parents.push(process.id);
            if alive {
                found.push(process);
            }
        }
    }
    found
}

#[expect(clippy::disallowed_methods, reason = "this is the table of processes, not a user's file")]
fn processes() -> Vec<(i32, Process, bool)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter_map(|id| {
        let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
        stat_line(id, &String::from_utf8_lossy(&stat))
    })
    .collect()
}

/// Parent, process and whether it is alive, from a line like `12 (a name) S 1 12 …`. The name may
/// hold anything, so what counts begins behind its last parenthesis.
fn stat_line(id: i32, line: &str) -> Option<(i32, Process, bool)> {
    let mut fields = line.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some((parent, Process { id, group }, !matches!(state, "Z" | "X")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_pretend_to_be_fields() {
        for (line, expected) in [
            ("7 (sh) S 1 7 7 0", Some((1, Process { id: 7, group: 7 }, true))),
            ("7 (a) Z 9 9 (b) R 3 4 7", Some((3, Process { id: 7, group: 4 }, true))),
            ("7 (sh) Z 1 7 7 0", Some((1, Process { id: 7, group: 7 }, false))),
            ("7 sh S 1 7", None),
            ("", None),
        ] {
            assert_eq!(stat_line(7, line), expected, "{line}");
        }
    }
}
