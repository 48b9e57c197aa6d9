//! Files of the program's own that the disk has damaged: cut off at 300 places, with 300 bits
//! flipped. Each gives a clear error or does no harm. The database's changes are in the tests of the
//! journal.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk themselves")]

mod configuration;
mod recording;
mod session;

use std::{path::Path, sync::Arc};

use agent_core::{Agent, Cancel, Journal, Report, Sessions, Settings, Silent};
use agent_llm::script::Scripted;
use agent_tools::Workspace;

/// How many places, and how many bits.
const PLACES: usize = 300;

/// The content cut off at each of the places, with where that is.
fn cut(whole: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    (0..PLACES).map(move |place| {
        let length = whole.len() * place / PLACES;
        (format!("cut to {length} bytes"), whole[..length].to_vec())
    })
}

/// The content with one of the bits flipped, with which one that is. Bytes that are zero are left
/// alone: most of a small database is room that nothing stands in yet.
fn flipped(whole: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    let used: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    (0..PLACES).map(move |place| {
        let (byte, bit) = (used[used.len() * place / PLACES], place % 8);
        let mut flipped = whole.to_vec();
        flipped[byte] ^= 1 << bit;
        (format!("bit {bit} of byte {byte} flipped"), flipped)
    })
}

/// A session that reads, edits, deletes and undoes, kept in `state`.
async fn play(workspace: &Path, state: &Path) -> Report {
    std::fs::write(workspace.join("a.txt"), "one\ntwo\n").unwrap();
    std::fs::write(workspace.join("b.bin"), [0xff, 0, 1, 2]).unwrap();
    let script = r#"
        {"purpose": "decide", "text": "I look.", "calls": [{"name": "read_file", "arguments": {"target_file": "a.txt"}}, {"name": "list_dir", "arguments": {"path": "."}}]}
        {"purpose": "decide", "calls": [{"name": "apply_patch", "arguments": {"path": "a.txt", "edits": [{"line": 1, "old": "one", "new": "ONE"}]}}]}
        {"purpose": "decide", "calls": [{"name": "delete_file", "arguments": {"target_file": "b.bin"}}, {"name": "undo", "arguments": {}}]}
        {"purpose": "decide", "calls": [{"name": "create_file", "arguments": {"target_file": "d/c.txt", "content": "new\n"}}]}
        {"purpose": "decide", "text": "All of it is done."}
    "#;
    // Words that no compression makes short, so that notes are much of what is kept.
    let long: String =
        (1..600u32).map(|n| format!("{:x} ", n.wrapping_mul(2_654_435_761))).collect();
    let script: Vec<&str> = script.lines().map(str::trim).collect();
    let script = script.join("\n").replace("I look.", &long);
    let model = Scripted::open("test", script.as_bytes()).unwrap();
    let opened = Arc::new(Workspace::open(workspace).unwrap());
    let directory = Some(state.to_owned());
    let agent = Agent::new(opened, Arc::new(model), Settings::default(), Arc::new(Silent))
        .journaled(Arc::new(Journal::at(directory.clone())))
        .keeping(Arc::new(Sessions::at(directory)));
    let report = agent.run("Edit a.txt.", &Cancel::new()).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.error);
    report
}
