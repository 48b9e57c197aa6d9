//! Several edits are asked about at once, and what nobody has answered is asked again.

use std::sync::Arc;

use agent_core::{
    Agent, Approval, Cancel, Outcome, Report, Sessions, Settings, approval::Answer, session::Past,
};
use serde_json::{Value, json};

use crate::{Person, Place, patch};

fn sessions(place: &Place) -> Arc<Sessions> {
    Arc::new(Sessions::at(Some(place.state())))
}

/// The last session.
fn past(place: &Place) -> Past {
    let sessions = sessions(place);
    let last = sessions.list(None).unwrap().remove(0);
    sessions.past(&last).unwrap()
}

/// An agent that keeps its sessions.
fn agent(
    place: &Place,
    approval: Approval,
    person: Option<&Arc<Person>>,
    replies: &[&[Value]],
) -> Agent {
    let settings = Settings { approval, ..Settings::default() };
    let agent = place.agent(settings, replies).keeping(sessions(place));
    match person {
        Some(person) => agent.asking(Arc::clone(person) as _, None),
        None => agent,
    }
}

async fn run(place: &Place, person: Option<&Arc<Person>>, replies: &[&[Value]]) -> Report {
    agent(place, Approval::Ask, person, replies).run("change them", &Cancel::new()).await
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
        let report = run(&place, Some(&person), &[&three()]).await;
        assert_eq!(place.texts(&["a.txt", "b.txt", "c.txt"]), after, "{answers:?}");
        assert_eq!(person.files(), asked, "{answers:?}");
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
    run(&place, Some(&person), &[&three(), &[patch("a.txt", "1", "11"), lock]]).await;
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
    run(&place, Some(&person), &[&calls]).await;
    assert_eq!(person.files(), [&["a.txt"][..], &["a.txt", "b.txt"], &["c.txt"]]);
    assert_eq!(place.texts(&["a.txt", "c.txt"]), "11\n3\n");
}

#[tokio::test]
async fn a_plan_that_fails_is_left_out_of_the_question() {
    let (place, person) = (Place::new(), Person::with(&[Answer::Once]));
    let calls =
        [patch("a.txt", "wrong", "1"), patch("b.txt", "two", "2"), patch("c.txt", "three", "3")];
    let report = run(&place, Some(&person), &[&calls]).await;
    assert_eq!(person.files(), [&["b.txt", "c.txt"]]);
    let succeeded: Vec<bool> = report.history.iter().map(agent_core::Action::succeeded).collect();
    assert_eq!(succeeded, [false, true, true, true], "the last one is the end");
}

#[tokio::test]
async fn where_edits_are_not_asked_about_nothing_changes() {
    let place = Place::new();
    let agent = agent(&place, Approval::Edits, None, &[&three()]);
    let report = agent.run("change them", &Cancel::new()).await;
    assert_eq!((report.outcome, report.changes.len()), (Outcome::Finished, 3));
}

#[tokio::test]
async fn what_nobody_answered_is_asked_again_when_the_session_goes_on() {
    let place = Place::new();
    let report = run(&place, None, &[&three()]).await;
    assert_eq!((report.outcome, report.exit_code), (Outcome::Refused, 15));
    assert!(report.awaiting_approval);
    let pending: Vec<&str> = report.pending_edits.iter().map(|it| it.file.as_str()).collect();
    assert_eq!(pending, ["a.txt", "b.txt", "c.txt"]);
    assert_eq!(past(&place).pending_edits(), report.pending_edits);

    // Again nobody is there.
    let again = agent(&place, Approval::Ask, None, &[]);
    let report = again.resume(past(&place), None, &Cancel::new()).await;
    assert_eq!((report.exit_code, report.pending_edits.len()), (15, 3));

    let person = Person::with(&[Answer::Once]);
    let again = agent(&place, Approval::Ask, Some(&person), &[]);
    let report = again.resume(past(&place), None, &Cancel::new()).await;
    assert_eq!(person.files(), [&["a.txt", "b.txt", "c.txt"]]);
    assert_eq!((report.outcome, report.response.as_deref()), (Outcome::Finished, Some("done")));
    assert!(!report.awaiting_approval && report.pending_edits.is_empty());
    assert_eq!(report.changes.len(), 3);
    assert_eq!(place.texts(&["a.txt"]), "1\n");
    assert_eq!(past(&place).pending_edits(), []);
}

#[tokio::test]
async fn what_was_waiting_when_the_program_died_is_asked_again() {
    let (place, person) = (Place::new(), Person::leaving());
    let first = agent(&place, Approval::Ask, Some(&person), &[&three()[..2]]);
    let cancel = Cancel::new();
    tokio::select! {
        report = first.run("change them", &cancel) => panic!("{report:?}"),
        () = person.gone() => {}
    }
    drop(first);
    assert_eq!(place.texts(&["a.txt"]), "one\n");
    let past = past(&place);
    assert_eq!(past.outcome(), None, "it was cut off");
    let pending: Vec<String> = past.pending_edits().into_iter().map(|it| it.file).collect();
    assert_eq!(pending, ["a.txt", "b.txt"]);

    let person = Person::with(&[Answer::Each, Answer::Once, Answer::Reject("leave it".to_owned())]);
    let again = agent(&place, Approval::Ask, Some(&person), &[]);
    let report = again.resume(past, None, &Cancel::new()).await;
    assert_eq!(report.outcome, Outcome::Finished);
    assert_eq!(place.texts(&["a.txt", "b.txt"]), "1\ntwo\n");
    assert_eq!(report.history[1].result["message"], "not done: the user said no: leave it");
}

#[tokio::test]
async fn a_new_task_goes_on_without_an_answer() {
    let place = Place::new();
    run(&place, None, &[&three()[..1]]).await;
    let agent = agent(&place, Approval::Ask, None, &[]);
    let report = agent.resume(past(&place), Some("something else"), &Cancel::new()).await;
    assert_eq!((report.outcome, report.pending_edits.len()), (Outcome::Finished, 0), "{report:?}");
    assert_eq!(past(&place).pending_edits(), []);
    assert_eq!(place.texts(&["a.txt"]), "one\n");
}
