//! What of a session lies in the database, and sessions that an earlier version has put there.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk themselves")]

use std::{fs, sync::Arc};

use agent_core::{
    Agent, Cancel, Journal, Report, Sessions, Settings, Silent,
    session::{Note, Past},
};
use agent_llm::{
    DeltaStream, Message, Provider, Request,
    script::{Script, Scripted},
};
use agent_tools::{Workspace, sha256};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A model that plays a script, and the messages that it was last asked with.
struct Model {
    script: Scripted,
    asked: Arc<std::sync::Mutex<Vec<Arc<Message>>>>,
}

impl Provider for Model {
    fn model(&self) -> &str {
        self.script.model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        self.asked.lock().unwrap().clone_from(&request.messages);
        self.script.send(request)
    }
}

/// A file of many lines, no two alike.
fn file(first: &str) -> String {
    let lines = (0..150).map(|line| format!("line {line} of {}\n", sha256(&[line as u8])));
    first.to_owned() + "\n" + &lines.collect::<String>()
}

struct Place {
    work: TempDir,
    state: TempDir,
}

impl Place {
    fn new() -> Self {
        let place =
            Self { work: tempfile::tempdir().unwrap(), state: tempfile::tempdir().unwrap() };
        fs::write(place.work.path().join("a.txt"), file("zero")).unwrap();
        place
    }

    fn sessions(&self) -> Arc<Sessions> {
        Arc::new(Sessions::at(Some(self.state.path().to_owned())))
    }

    fn past(&self) -> Past {
        let sessions = self.sessions();
        let last = sessions.list(None).unwrap().remove(0);
        sessions.past(&last).unwrap()
    }

    fn notes(&self) -> Vec<Note> {
        self.sessions().notes(&self.past().summary.id).unwrap()
    }

    /// Runs an agent whose model plays the replies: with a task, or going on. What the model was
    /// shown last comes along.
    async fn run(
        &self,
        replies: &[Value],
        past: Option<Past>,
        task: Option<&str>,
    ) -> (Report, Vec<Arc<Message>>) {
        let script: String = replies.iter().map(|reply| format!("{reply}\n")).collect();
        let script = Scripted::new("test", Script::parse(script.as_bytes()).unwrap());
        let asked = Arc::default();
        let model = Model { script, asked: Arc::clone(&asked) };
        let workspace = Arc::new(Workspace::open(self.work.path()).unwrap());
        let agent = Agent::new(workspace, Arc::new(model), Settings::default(), Arc::new(Silent))
            .journaled(Arc::new(Journal::at(Some(self.state.path().to_owned()))))
            .keeping(self.sessions());
        let report = match past {
            Some(past) => agent.resume(past, task, &Cancel::new()).await,
            None => agent.run(task.unwrap_or_default(), &Cancel::new()).await,
        };
        let asked = asked.lock().unwrap().clone();
        (report, asked)
    }

    fn database(&self) -> Connection {
        Connection::open(self.state.path().join("agent.db")).unwrap()
    }

    fn number(&self, sql: &str) -> i64 {
        self.database().query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

fn edit(old: &str, new: &str) -> Value {
    let edit = json!({ "line": 1, "old": old, "new": new });
    let arguments = json!({ "path": "a.txt", "edits": [edit] });
    json!({ "purpose": "decide", "calls": [{ "name": "apply_patch", "arguments": arguments }] })
}

fn read() -> Value {
    let arguments = json!({ "target_file": "a.txt" });
    json!({ "purpose": "decide", "calls": [{ "name": "read_file", "arguments": arguments }] })
}

fn say(text: &str) -> Value {
    json!({ "purpose": "decide", "text": text })
}

#[tokio::test]
async fn a_session_that_goes_on_keeps_only_what_is_new() {
    let place = Place::new();
    let replies = [read(), edit("zero", "one"), edit("one", "two"), say("Done.")];
    let (report, _) = place.run(&replies, None, Some("Edit.")).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.error);
    // The file as it was at the beginning, after the first edit and at the end.
    assert_eq!(place.number("SELECT count(*) FROM blob"), 3);
    let bytes = "SELECT sum(size) FROM note";
    let mut kept = place.number(bytes);
    for task in ["Go on.", "Go on again.", "And again."] {
        let (report, shown) = place.run(&[say("Yes.")], Some(place.past()), Some(task)).await;
        assert_eq!(report.exit_code, 0, "{:?}", report.error);
        let shown: usize = shown.iter().map(|it| serde_json::to_vec(it).unwrap().len()).sum();
        let (now, before) = (place.number(bytes), kept);
        assert!(now - before < 4_000 && shown > 15_000, "{} of {shown}", now - before);
        kept = now;
    }
    // Whoever reads it finds it whole.
    let notes: Vec<Value> =
        place.notes().iter().map(|note| serde_json::to_value(note).unwrap()).collect();
    let edits = notes.iter().filter(|note| note["action"]["tool"] == "apply_patch");
    let held: Vec<&Value> = edits.map(|note| &note["action"]["file_content"]).collect();
    assert_eq!(held, [&json!(file("zero")), &json!(file("one"))]);
    let lines = notes.iter().filter(|note| note["note"] == "replied").map(|note| &note["line"]);
    let lines: String = lines.map(|line| format!("{line}\n")).collect();
    let replies = Script::parse(lines.as_bytes()).unwrap().replies;
    assert_eq!(replies.len(), 7);
    let (_, shown) = place.run(&[say("Yes.")], Some(place.past()), Some("Last.")).await;
    let last = replies.last().and_then(|reply| reply.request.clone()).unwrap();
    assert_eq!(shown[..last.messages.len()], last.messages[..]);
}

#[tokio::test]
async fn what_only_a_session_refers_to_goes_with_it() {
    let place = Place::new();
    place.run(&[edit("zero", "one"), say("Done.")], None, Some("Edit.")).await;
    assert_eq!(place.number("SELECT count(*) FROM blob"), 2);
    let id = place.past().summary.id;
    // The change can still be taken back.
    place.sessions().remove(&id).unwrap();
    assert_eq!(place.number("SELECT count(*) FROM blob"), 2);

    place.run(&[edit("one", "two"), say("Done.")], None, Some("Edit.")).await;
    let id = place.past().summary.id;
    place.database().execute_batch("DELETE FROM file; DELETE FROM change").unwrap();
    assert_eq!(place.notes().len(), 8);
    place.sessions().remove(&id).unwrap();
    assert_eq!(place.number("SELECT count(*) FROM blob"), 0);
}

#[tokio::test]
async fn a_request_that_was_cut_off_is_told_of_with_what_its_files_held() {
    let place = Place::new();
    // The model has no third reply, which ends the run.
    let (report, _) = place.run(&[read(), edit("zero", "one")], None, Some("Edit.")).await;
    assert_ne!(report.exit_code, 0);
    let (report, _) = place.run(&[say("Done.")], Some(place.past()), None).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.error);
    let held: Vec<_> = report.history.iter().map(|action| action.file_content.clone()).collect();
    assert!(held == [None, Some(file("zero")), None], "{} actions", held.len());
}

/// Puts the database back to the version before sessions were kept more shortly.
fn as_it_was(place: &Place) {
    let (notes, id) = (place.notes(), place.past().summary.id);
    let database = place.database();
    for (position, note) in notes.into_iter().enumerate() {
        let text = serde_json::to_string(&note).unwrap();
        let hash = sha256(format!("{id}|{position}|{text}").as_bytes()).into_bytes();
        let seal = hash[..16].to_vec();
        let sql =
            "UPDATE note SET size = ?1, deflated = 0, body = ?2, seal = ?3 WHERE position = ?4";
        let row = (text.len() as i64, text.into_bytes(), seal, position as i64);
        assert_eq!(database.execute(sql, row).unwrap(), 1);
    }
    database
        .execute_batch(
            "DROP TABLE part;
             ALTER TABLE note DROP COLUMN file; ALTER TABLE file DROP COLUMN attributes;
             PRAGMA user_version = 9",
        )
        .unwrap();
}

#[tokio::test]
async fn a_session_of_an_earlier_version_goes_on() {
    let place = Place::new();
    let replies = [read(), edit("zero", "one"), say("Done.")];
    place.run(&replies, None, Some("Edit.")).await;
    let before = place.notes();
    as_it_was(&place);
    let then = place.notes();
    let requests = |notes: &[Note]| -> Vec<Value> {
        let notes = notes.iter().map(|note| serde_json::to_value(note).unwrap());
        notes.filter(|note| note["note"] == "replied").map(|note| note["line"].clone()).collect()
    };
    assert_eq!(requests(&then), requests(&before));
    let (report, shown) =
        place.run(&[edit("one", "two"), say("Done.")], Some(place.past()), Some("Go on.")).await;
    assert_eq!(report.exit_code, 0, "{:?}", report.error);
    let lines: String = requests(&place.notes()).iter().map(|line| format!("{line}\n")).collect();
    let replies = Script::parse(lines.as_bytes()).unwrap().replies;
    assert_eq!(replies.last().unwrap().request.as_ref().unwrap().messages, shown);
    let undone = Journal::at(Some(place.state.path().to_owned()));
    assert_eq!(undone.records(&place.work.path().canonicalize().unwrap()).unwrap().len(), 2);
}
