//! Somebody is asked about one thing, in every way that they can answer.

use std::{fs, slice, sync::Arc};

use agent_core::{
    Approval, Cancel, Outcome, Report, Settings,
    approval::{Answer, SavedRules, What},
};
use serde_json::{Value, json};

use crate::{Person, Place, patch};

/// A run whose replies are one call each.
async fn run(
    place: &Place,
    approval: Approval,
    person: Option<&Arc<Person>>,
    calls: &[Value],
) -> Report {
    let saved = Arc::new(SavedRules::at(Some(place.state())));
    let rules = saved.list(&fs::canonicalize(place.work()).unwrap()).unwrap();
    let rules = rules.into_iter().map(|(_, rule)| rule).collect();
    let replies: Vec<&[Value]> = calls.iter().map(slice::from_ref).collect();
    let mut agent = place.agent(Settings { approval, rules, ..Settings::default() }, &replies);
    if let Some(person) = person {
        agent = agent.asking(Arc::clone(person) as _, Some(saved));
    }
    agent.run("task", &Cancel::new()).await
}

fn command(line: &str) -> Value {
    json!({"name": "run_command", "arguments": {"command": line}})
}

fn message(report: &Report, action: usize) -> &str {
    report.history[action].result["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn every_way_to_change_a_file_is_asked_about_with_its_diff_before_it_is_written() {
    for (call, file, after) in [
        (patch("a.txt", "one", "1"), "a.txt", Some("1\n")),
        (
            json!({"name": "edit_file", "arguments": {"target_file": "a.txt", "code_edit": "one\nmore\n"}}),
            "a.txt",
            Some("one\nmore\n"),
        ),
        (
            json!({"name": "edit_file", "arguments": {"target_file": "new.txt", "code_edit": "1"}}),
            "new.txt",
            Some("1\n"),
        ),
        (
            json!({"name": "create_file", "arguments": {"target_file": "d/new.txt", "content": "x"}}),
            "d/new.txt",
            Some("x"),
        ),
        (json!({"name": "delete_file", "arguments": {"target_file": "a.txt"}}), "a.txt", None),
    ] {
        let (place, no) = (Place::new(), Person::with(&[Answer::Reject("use three".to_owned())]));
        let before = place.read(file);
        let report = run(&place, Approval::Ask, Some(&no), slice::from_ref(&call)).await;
        assert_eq!(place.read(file), before, "{call}");
        assert_eq!(message(&report, 0), "not done: the user said no: use three");
        assert_eq!((report.outcome, report.changes.len()), (Outcome::Finished, 0));
        assert_eq!(report.undone.len(), 1);
        let asked = no.asked.lock().unwrap().remove(0);
        let What::Changes(changes) = asked.what else { panic!("{call}") };
        assert_eq!(changes[0].file, file);
        assert!(changes[0].diff.starts_with("--- "), "{changes:?}");

        let yes = Person::with(&[Answer::Once]);
        let report = run(&place, Approval::Ask, Some(&yes), slice::from_ref(&call)).await;
        assert_eq!(place.read(file).as_deref(), after, "{call}");
        assert_eq!(report.changes, changes, "what was shown is what was done");
    }
}

#[tokio::test]
async fn a_refused_plan_is_asked_about_nobody() {
    let (place, nobody) = (Place::new(), Person::with(&[]));
    let report = run(&place, Approval::Ask, Some(&nobody), &[patch("a.txt", "wrong", "1")]).await;
    assert_eq!(report.outcome, Outcome::Finished);
    assert!(!report.history[0].succeeded());
}

#[tokio::test]
async fn cancelling_and_nobody_there_end_the_run_with_the_edit_pending() {
    let place = Place::new();
    let calls = [patch("a.txt", "one", "1"), patch("b.txt", "two", "2")];
    let cancel = Person::with(&[Answer::Cancel]);
    for person in [Some(&cancel), None] {
        let report = run(&place, Approval::Ask, person, &calls).await;
        assert_eq!((report.outcome, report.exit_code), (Outcome::Refused, 15));
        assert!(report.awaiting_approval);
        assert_eq!(report.pending_edits.len(), 1);
        assert_eq!(report.pending_edits[0].file, "a.txt");
        assert_eq!(place.read("a.txt").as_deref(), Some("one\n"));
    }
    let report = run(&place, Approval::Ask, None, &[command("touch x")]).await;
    assert_eq!((report.outcome, place.read("x")), (Outcome::Refused, None));
}

#[tokio::test]
async fn always_holds_for_the_file_and_is_saved_and_rest_for_the_run() {
    let place = Place::new();
    let always = Person::with(&[Answer::Always(0), Answer::Once]);
    let calls = [patch("a.txt", "one", "1"), patch("a.txt", "1", "11"), patch("b.txt", "two", "2")];
    run(&place, Approval::Ask, Some(&always), &calls).await;
    assert_eq!(place.read("a.txt").as_deref(), Some("11\n"));
    let asked = std::mem::take(&mut *always.asked.lock().unwrap());
    let scopes: Vec<String> = asked[0].scopes.iter().map(ToString::to_string).collect();
    assert_eq!(
        scopes,
        [
            "every change of a.txt, in this workspace from now on",
            "every change of a file, until this run ends",
        ]
    );
    // Another run knows.
    let rest = Person::with(&[Answer::Always(1)]);
    let calls = [
        patch("a.txt", "11", "111"),
        patch("b.txt", "2", "22"),
        patch("b.txt", "22", "222"),
        patch("a.txt", "111", "1111"),
    ];
    run(&place, Approval::Ask, Some(&rest), &calls).await;
    assert_eq!(place.read("b.txt").as_deref(), Some("222\n"));
    assert_eq!(place.read("a.txt").as_deref(), Some("1111\n"));
    assert_eq!(saved(&place).len(), 1, "{:?}", saved(&place));
}

#[tokio::test]
async fn always_for_a_command_is_about_its_first_words() {
    let place = Place::new();
    let always = Person::with(&[Answer::Always(0), Answer::Reject(String::new())]);
    let calls = [command("echo hi there"), command("echo hi"), command("echo hi && touch x")];
    let report = run(&place, Approval::Ask, Some(&always), &calls).await;
    assert_eq!(saved(&place), ["effect execute, command echo hi: allow"]);
    assert!(report.history[0].succeeded() && report.history[1].succeeded());
    assert!(!report.history[2].succeeded(), "a compound line needs every part");
    assert_eq!(place.read("x"), None);
    let asked = always.asked.lock().unwrap();
    assert_eq!(asked[1].what, What::Command("echo hi && touch x".to_owned()));
}

#[tokio::test]
async fn what_is_dangerous_is_asked_about_and_what_keeps_others_safe_each_time() {
    let place = Place::new();
    let once = Person::with(&[Answer::Once, Answer::Reject(String::new())]);
    let make = |file: &str| json!({"name": "create_file", "arguments": {"target_file": file, "content": "x"}});
    run(&place, Approval::Ask, Some(&once), &[make("Cargo.lock"), make(".git/hooks/x")]).await;
    assert_eq!(place.read("Cargo.lock").as_deref(), Some("x"));
    assert_eq!(place.read(".git/hooks/x"), None);
    let asked = once.asked.lock().unwrap();
    assert_eq!(asked[0].rule, "lock-files (built in)");
    assert_eq!(asked[0].scopes.len(), 1, "a lock file does not stand for all files");
    assert_eq!((asked[1].rule.as_str(), asked[1].scopes.len()), ("git-directory (built in)", 0));
}

#[tokio::test]
async fn under_edits_nobody_is_asked() {
    let (place, nobody) = (Place::new(), Person::with(&[]));
    let calls = [patch("a.txt", "one", "1"), command("touch x")];
    let report = run(&place, Approval::Edits, Some(&nobody), &calls).await;
    assert_eq!(report.outcome, Outcome::Finished);
    assert_eq!((place.read("a.txt").as_deref(), place.read("x")), (Some("1\n"), None));
}

fn saved(place: &Place) -> Vec<String> {
    let rules = SavedRules::at(Some(place.state()));
    let list = rules.list(&fs::canonicalize(place.work()).unwrap()).unwrap();
    list.iter().map(|(_, rule)| rule.to_string()).collect()
}
