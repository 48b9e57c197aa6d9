use std::{fs, path::Path, sync::Arc};

use agent_core::{
    Journal, Sessions, Silent,
    recording::{Export, Recording, Replayed, Stage, TreeKind, export, replay},
};
use agent_tools::Workspace;

use crate::{cut, flipped, play};

/// The recording of a session.
async fn recorded(workspace: &Path, state: &Path) -> Vec<u8> {
    let id = play(workspace, state).await.session_id;
    let directory = Some(state.to_owned());
    let (sessions, journal) = (Sessions::at(directory.clone()), Journal::at(directory));
    let notes = sessions.notes(&id).unwrap();
    let opened = Workspace::open(workspace).unwrap();
    let (lines, remarks) = export(&Export {
        session: &id,
        notes: &notes,
        journal: &journal,
        workspace: Some(&opened),
        tree: TreeKind::Whole,
        redactor: &agent_core::Redactor::default(),
    })
    .unwrap();
    assert_eq!(remarks, Vec::<String>::new());
    (lines.join("\n") + "\n").into_bytes()
}

/// Runs a recording again, and makes sure that nothing beside its place was touched.
async fn again(recording: &[u8], what: &str) -> Result<Replayed, String> {
    let recording = Recording::read(recording).map_err(|error| error.to_string())?;
    let scratch = tempfile::tempdir().unwrap();
    let place = scratch.path().join("workspace");
    fs::create_dir(&place).unwrap();
    fs::write(scratch.path().join("mine"), "the user's").unwrap();
    let stage = Stage {
        workspace: Arc::new(Workspace::open(&place).unwrap()),
        journal: Arc::new(Journal::at(Some(scratch.path().join("state")))),
        sink: Arc::new(Silent),
    };
    let replayed = replay(&recording, &stage).await.map_err(|error| error.to_string());
    let mut names: Vec<_> =
        fs::read_dir(scratch.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| name != "state");
    names.sort();
    assert_eq!(names, ["mine", "workspace"], "{what}");
    assert_eq!(fs::read_to_string(scratch.path().join("mine")).unwrap(), "the user's", "{what}");
    replayed
}

#[tokio::test]
async fn a_damaged_recording_is_told_or_runs_to_its_first_difference() {
    let (workspace, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = recorded(workspace.path(), state.path()).await;
    let same = again(&whole, "whole").await.unwrap();
    assert_eq!(same.divergence, None);
    for (what, damaged) in cut(&whole) {
        let error = again(&damaged, &what).await.expect_err(&what);
        assert!(error.contains("line ") || error.contains("cut off"), "{what}: {error}");
    }
    let (mut told, mut different) = (0, 0);
    for (what, damaged) in flipped(&whole) {
        match again(&damaged, &what).await {
            Ok(Replayed { divergence: Some(_), .. }) => different += 1,
            Ok(Replayed { divergence: None, .. }) => {}
            Err(error) => {
                assert!(!error.is_empty(), "{what}");
                told += 1;
            }
        }
    }
    assert!(told > 30 && different > 30, "{told} told, {different} different");
    // The workspace in which it was recorded is as the session left it.
    assert_eq!(fs::read_to_string(workspace.path().join("a.txt")).unwrap(), "ONE\ntwo\n");
    assert_eq!(fs::read(workspace.path().join("b.bin")).unwrap(), [0xff, 0, 1, 2]);
}
