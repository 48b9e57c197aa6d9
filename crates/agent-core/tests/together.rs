//! Several edits are asked about at once, and what nobody has answered is asked again.
#![expect(clippy::disallowed_methods, reason = "the tests look at the files from outside")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    sync::{Arc, Mutex},
};

use agent_core::{
    Agent, Approval, Cancel, Journal, Outcome, Report, Sessions, Settings, Silent,
    approval::{Answer, Approver, BoxFuture, Question, What},
    session::Past,
};
use agent_llm::script::Scripted;
use agent_tools::Workspace;
use serde_json::{Value, json};

/// Gives answers that were written down, and goes away without one when they are used up.
#[derive(Default)]
struct Person {
    answers: Mutex<Vec<Answer>>,
    asked: Mutex<Vec<Question>>,
    gone: tokio::sync::Notify,
}

impl Person {
    fn with(answers: &[Answer]) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.to_vec()), ..Self::default() })
    }

    /// The files of each question.
    fn asked(&self) -> Vec<Vec<String>> {
        let files = |question: &Question| match &question.what {
            What::Changes(changes) => changes.iter().map(|change| change.file.clone()).collect(),
            What::Command(line) | What::Other(line) => vec![line.clone()],
        };
        self.asked.lock().unwrap().iter().map(files).collect()
    }
}

impl Approver for Person {
    fn approve<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        self.asked.lock().unwrap().push(question.clone());
        let mut answers = self.answers.lock().unwrap();
        if answers.is_empty() {
            self.gone.notify_one();
            return Box::pin(std::future::pending());
        }
        let answer = answers.remove(0);
        Box::pin(async move { answer })
    }
}

struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        for (name, text) in [("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")] {
            fs::write(dir.path().join("work").join(name), text).unwrap();
        }
        Self { dir }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join("work").join(name)).unwrap_or_default()
    }

    fn sessions(&self) -> Arc<Sessions> {
        Arc::new(Sessions::at(Some(self.dir.path().join("state"))))
    }

    fn past(&self) -> Past {
        let sessions = self.sessions();
        let last = sessions.list(None).unwrap().remove(0);
        sessions.past(&last).unwrap()
    }

    /// An agent whose model replies with these calls, and then is done.
    fn agent(
        &self,
        approval: Approval,
        person: Option<&Arc<Person>>,
        replies: &[&[Value]],
    ) -> Agent {
        let workspace = Workspace::open(&self.dir.path().join("work")).unwrap();
        let reply =
            |calls: &&[Value]| json!({"purpose": "decide", "calls": calls}).to_string() + "\n";
        let mut script: String = replies.iter().map(reply).collect();
        script += &json!({"purpose": "decide", "text": "done"}).to_string();
        let model = Arc::new(Scripted::open("test", script.as_bytes()).unwrap());
        let settings = Settings { approval, ..Settings::default() };
        let agent = Agent::new(Arc::new(workspace), model, settings, Arc::new(Silent))
            .journaled(Arc::new(Journal::at(Some(self.dir.path().join("state")))))
            .keeping(self.sessions());
        match person {
            Some(person) => agent.asking(Arc::clone(person) as _, None),
            None => agent,
        }
    }

    async fn run(&self, person: Option<&Arc<Person>>, replies: &[&[Value]]) -> Report {
        self.agent(Approval::Ask, person, replies).run("change them", &Cancel::new()).await
    }
}

fn patch(file: &str, old: &str, new: &str) -> Value {
    json!({"name": "apply_patch", "arguments": {"path": file, "edits": [{"line": 1, "old": old, "new": new}]}})
}

fn three() -> [Value; 3] {
    [patch("a.txt", "one", "1"), patch("b.txt", "two", "2"), patch("c.txt", "three", "3")]
}

#[tokio::test]
async fn edits_of_one_reply_are_asked_about_at_once() {
    for (answers, after, asked) in [
        (&[Answer::Once][..], "1\n2\n3\n", &[&["a.txt", "b.txt", "c.txt"][..]][..]),
        (&[Answer::Always(0)], "1\n2\n3\n", &[&["a.txt", "b.txt", "c.txt"]]),
        (&[Answer::Reject("no".to_owned())], "one\ntwo\nthree\n", &[&["a.txt", "b.txt", "c.txt"]]),
        (
            &[Answer::Each, Answer::Once, Answer::Reject(String::new()), Answer::Once],
            "1\ntwo\n3\n",
            &[&["a.txt", "b.txt", "c.txt"], &["a.txt"], &["b.txt"], &["c.txt"]],
        ),
    ] {
        let (place, person) = (Place::new(), Person::with(answers));
        let report = place.run(Some(&person), &[&three()]).await;
        let files = ["a.txt", "b.txt", "c.txt"].map(|name| place.read(name)).concat();
        assert_eq!(files, after, "{answers:?}");
        assert_eq!(person.asked(), asked, "{answers:?}");
        assert_eq!((report.outcome, report.history.len()), (Outcome::Finished, 4));
        let made: Vec<&str> = report.changes.iter().map(|change| change.file.as_str()).collect();
        let edits = &report.history[..3];
        let expected = edits.iter().filter(|action| action.succeeded());
        assert_eq!(made.len(), expected.count());
    }
}

#[tokio::test]
async fn one_question_says_how_many_calls_it_is_about_and_what_always_would_be() {
    let (place, person) = (Place::new(), Person::with(&[Answer::Once, Answer::Once]));
    let lock =
        json!({"name": "create_file", "arguments": {"target_file": "Cargo.lock", "content": "x"}});
    place.run(Some(&person), &[&three(), &[patch("a.txt", "1", "11"), lock]]).await;
    let asked = person.asked.lock().unwrap();
    assert_eq!((asked[0].calls, asked[0].tool.as_str()), (3, "apply_patch"));
    let scopes: Vec<String> = asked[0].scopes.iter().map(ToString::to_string).collect();
    assert_eq!(scopes, ["every change of a file, until this run ends"]);
    assert_eq!((asked[1].calls, asked[1].scopes.len()), (2, 0), "a lock file is not ordinary");
    assert_eq!(asked[1].rule, "edits (built in); lock-files (built in)");
    assert_eq!(asked[1].tool, "apply_patch; create_file");
}

#[tokio::test]
async fn an_edit_that_builds_on_another_is_asked_about_after_it() {
    let (place, person) = (Place::new(), Person::with(&[Answer::Once, Answer::Once, Answer::Once]));
    let look = json!({"name": "read_file", "arguments": {"target_file": "b.txt"}});
    let calls = [
        patch("a.txt", "one", "1"),
        patch("./a.txt", "1", "11"),
        patch("b.txt", "two", "2"),
        look,
        patch("c.txt", "three", "3"),
    ];
    place.run(Some(&person), &[&calls]).await;
    assert_eq!(person.asked(), [&["a.txt"][..], &["a.txt", "b.txt"], &["c.txt"]]);
    assert_eq!(place.read("a.txt") + &place.read("c.txt"), "11\n3\n");
}

#[tokio::test]
async fn a_plan_that_fails_is_left_out_of_the_question() {
    let (place, person) = (Place::new(), Person::with(&[Answer::Once]));
    let calls =
        [patch("a.txt", "wrong", "1"), patch("b.txt", "two", "2"), patch("c.txt", "three", "3")];
    let report = place.run(Some(&person), &[&calls]).await;
    assert_eq!(person.asked(), [&["b.txt", "c.txt"]]);
    let succeeded: Vec<bool> = report.history.iter().map(agent_core::Action::succeeded).collect();
    assert_eq!(succeeded, [false, true, true, true], "the last one is the end");
}

#[tokio::test]
async fn where_edits_are_not_asked_about_nothing_changes() {
    let place = Place::new();
    let agent = place.agent(Approval::Edits, None, &[&three()]);
    let report = agent.run("change them", &Cancel::new()).await;
    assert_eq!((report.outcome, report.changes.len()), (Outcome::Finished, 3));
}

#[tokio::test]
async fn what_nobody_answered_is_asked_again_when_the_session_goes_on() {
    let place = Place::new();
    let report = place.run(None, &[&three()]).await;
    assert_eq!((report.outcome, report.exit_code), (Outcome::Refused, 15));
    assert!(report.awaiting_approval);
    let pending: Vec<&str> = report.pending_edits.iter().map(|it| it.file.as_str()).collect();
    assert_eq!(pending, ["a.txt", "b.txt", "c.txt"]);
    assert_eq!(place.past().pending_edits(), report.pending_edits);

    // Again nobody is there.
    let again = place.agent(Approval::Ask, None, &[]);
    let report = again.resume(place.past(), None, &Cancel::new()).await;
    assert_eq!((report.exit_code, report.pending_edits.len()), (15, 3));

    let person = Person::with(&[Answer::Once]);
    let again = place.agent(Approval::Ask, Some(&person), &[]);
    let report = again.resume(place.past(), None, &Cancel::new()).await;
    assert_eq!(person.asked(), [&["a.txt", "b.txt", "c.txt"]]);
    assert_eq!((report.outcome, report.response.as_deref()), (Outcome::Finished, Some("done")));
    assert!(!report.awaiting_approval && report.pending_edits.is_empty());
    assert_eq!(report.changes.len(), 3);
    assert_eq!(place.read("a.txt"), "1\n");
    assert_eq!(place.past().pending_edits(), []);
}

#[tokio::test]
async fn what_was_waiting_when_the_program_died_is_asked_again() {
    let (place, person) = (Place::new(), Person::with(&[]));
    let agent = place.agent(Approval::Ask, Some(&person), &[&three()[..2]]);
    let cancel = Cancel::new();
    tokio::select! {
        report = agent.run("change them", &cancel) => panic!("{report:?}"),
        () = person.gone.notified() => {}
    }
    drop(agent);
    assert_eq!(place.read("a.txt"), "one\n");
    let past = place.past();
    assert_eq!(past.outcome(), None, "it was cut off");
    let pending: Vec<String> = past.pending_edits().into_iter().map(|it| it.file).collect();
    assert_eq!(pending, ["a.txt", "b.txt"]);

    let person = Person::with(&[Answer::Each, Answer::Once, Answer::Reject("leave it".to_owned())]);
    let again = place.agent(Approval::Ask, Some(&person), &[]);
    let report = again.resume(past, None, &Cancel::new()).await;
    assert_eq!(report.outcome, Outcome::Finished);
    assert_eq!(place.read("a.txt") + &place.read("b.txt"), "1\ntwo\n");
    assert_eq!(report.history[1].result["message"], "not done: the user said no: leave it");
}

#[tokio::test]
async fn a_new_task_goes_on_without_an_answer() {
    let place = Place::new();
    place.run(None, &[&three()[..1]]).await;
    let agent = place.agent(Approval::Ask, None, &[]);
    let report = agent.resume(place.past(), Some("something else"), &Cancel::new()).await;
    assert_eq!((report.outcome, report.pending_edits.len()), (Outcome::Finished, 0), "{report:?}");
    assert_eq!(place.past().pending_edits(), []);
    assert_eq!(place.read("a.txt"), "one\n");
}
