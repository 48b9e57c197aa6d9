//! Changes every file of a directory as one change: all of them, or none if it fails or is killed.
//!
//! `cargo run --example change_together -- STATE_DIRECTORY DIRECTORY` puts a line before each file's
//! text, and `agent undo`, with STATE_DIRECTORY as `AGENT_HOME`, takes them all away again.
#![expect(clippy::print_stdout, reason = "an example says what it did")]

use std::{error::Error, path::PathBuf};

use agent_core::{
    Journal,
    changes::{self, FileChange, Origin},
    new_session_id,
};
use agent_tools::{Workspace, write::Entry};

const LARGEST: u64 = 1024 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(state), Some(directory)) = (arguments.next(), arguments.next()) else {
        return Err("name a state directory and a directory".into());
    };
    let workspace = Workspace::open(&directory)?;
    let mut files = Vec::new();
    for entry in directory.read_dir()? {
        let path = workspace.resolve_os(entry?.file_name().as_ref())?;
        let Entry::File { content, mode } = Entry::read(&workspace, &path, LARGEST)? else {
            continue;
        };
        let after = [&b"together\n"[..], &content].concat();
        let before = Entry::File { content, mode };
        files.push(FileChange::new(
            path,
            before,
            Entry::File { content: after.into(), mode: None },
        ));
    }
    let journal = Journal::at(Some(state));
    journal.prepare()?;
    let origin =
        Origin { session: new_session_id(), tool: "change_together".to_owned(), reverts: None };
    let made = changes::carry_out(&workspace, Some(&journal), &origin, &files)?;
    println!("changed {} files", made.changes.len());
    Ok(())
}
