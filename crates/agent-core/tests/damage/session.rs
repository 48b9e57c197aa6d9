use std::fs;

use agent_core::{Sessions, session::Note};

use crate::{cut, flipped, play};

/// What can be had of the sessions in a damaged database.
fn read(database: &[u8], id: &str) -> Result<Vec<Note>, String> {
    let state = tempfile::tempdir().unwrap();
    let path = state.path().join("agent.db");
    fs::write(&path, database).unwrap();
    let sessions = Sessions::at(Some(state.path().to_owned()));
    let listed = sessions.list(None).map_err(|error| error.to_string())?;
    if let [summary] = &*listed {
        sessions.past(summary).map_err(|error| error.to_string())?;
    }
    let found = sessions.find(id).map_err(|error| error.to_string())?;
    sessions.notes(&found.id).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_damaged_session_is_told_or_is_as_it_was() {
    let (workspace, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let id = play(workspace.path(), state.path()).await.session_id;
    let database = fs::read(state.path().join("agent.db")).unwrap();
    assert!(!state.path().join("agent.db-wal").exists());
    let whole = read(&database, &id).unwrap();
    for (what, damaged) in cut(&database) {
        let error = read(&damaged, &id).expect_err(&what);
        assert!(!error.is_empty(), "{what}");
    }
    let mut told = 0;
    for (what, damaged) in flipped(&database) {
        match read(&damaged, &id) {
            Ok(notes) => assert!(notes == whole, "{what}: a note is not as it was written"),
            Err(error) => {
                assert!(!error.is_empty(), "{what}");
                told += 1;
            }
        }
    }
    assert!(told > 30, "{told} were noticed");
}
