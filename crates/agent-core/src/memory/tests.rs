//! Which requests are alike, and what the cache keeps.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::Sessions;

#[test]
fn pairs_are_told_apart_as_a_person_labelled_them() {
    let table = include_str!("../../../../fixtures/memory/pairs.txt");
    let rows: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let columns: Vec<String> = row.split(" | ").map(|text| text.replace("\\n", "\n")).collect();
        let [label, one, other] = columns.as_slice() else { panic!("{row}") };
        let found = match Wording::of(&normalised(one)).likeness(&normalised(other)) {
            Likeness::Same => "same",
            Likeness::Similar(_) => "similar",
            Likeness::Different => "different",
        };
        if found != label {
            wrong.push(format!("{found}: {row}"));
        }
    }
    assert_eq!(rows.len(), 200);
    assert!(wrong.len() * 20 <= rows.len(), "{}: {wrong:#?}", wrong.len());
    // A request that is answered with another's answer would be a lie.
    assert!(!wrong.iter().any(|row| row.starts_with("same")), "{wrong:#?}");
}

#[test]
fn names_keep_their_capitals() {
    for (request, expected) in [
        ("What is Foo?", "what is Foo"),
        ("what is foo", "what is foo"),
        ("Please, what is `Foo::new`?", "what is Foo::new"),
        ("README?", "README"),
        ("Can you read  the README.\nThen stop!", "read README then stop"),
        ("Explain hello", "explain hello"),
        ("?!", ""),
    ] {
        assert_eq!(normalised(request), expected);
    }
}

fn entry(request: &str) -> Cached {
    let path = "a.txt".to_owned();
    let sources = vec![
        Source::File { path, sha256: "0".repeat(64) },
        Source::Call {
            tool: "list_dir".to_owned(),
            params: json!({ "path": "." }),
            sha256: "1".repeat(64),
        },
    ];
    let answer = format!("About {request}.");
    let time = jiff::Timestamp::from_millisecond(1_700_000_000_000).expect("a time");
    Cached { number: 0, request: request.to_owned(), answer, sources, time }
}

fn origin(workspace: &str) -> Origin {
    let workspace = Path::new(workspace).to_owned();
    Origin { workspace, model: "m".to_owned(), prompt: "p".to_owned() }
}

/// Every answer of a workspace, found as a request finds it.
fn all(sessions: &Sessions, workspace: &str) -> Vec<Cached> {
    let origin = origin(workspace);
    let requests = sessions.with(|store| store.cached_requests(&origin)).expect("read");
    let answers = requests.into_iter().map(|(number, request)| {
        let found = sessions.with(|store| store.cached(&origin, &request)).expect("read");
        let numbered = sessions.with(|store| store.cached_numbered(number)).expect("read");
        assert_eq!(found, numbered);
        found.expect("an answer")
    });
    answers.collect()
}

#[test]
fn what_is_kept_is_found_by_its_origin_alone_and_replaced() {
    let dir = tempfile::tempdir().expect("a directory");
    let sessions = Sessions::at(Some(dir.path().to_owned()));
    let keep = |entry: &Cached, instead| {
        sessions.with(|store| store.keep_cached(&origin("/w"), entry, instead)).expect("kept");
    };
    let all = |workspace: &str| all(&sessions, workspace);
    keep(&entry("one"), None);
    keep(&entry("one"), None);
    let [kept] = all("/w").try_into().expect("one");
    assert_eq!(Cached { number: 0, ..kept.clone() }, entry("one"));
    keep(&entry("two"), Some(kept.number));
    let requests: Vec<String> = all("/w").into_iter().map(|entry| entry.request).collect();
    assert_eq!(requests, ["two"]);
    assert_eq!(all("/elsewhere"), []);
    assert_eq!(sessions.clear_cache().expect("cleared"), 1);
    assert_eq!(sessions.cache_stats().expect("stats").entries, 0);
}

#[test]
fn the_least_recently_used_go_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let sessions = Sessions::at(Some(dir.path().to_owned()));
    let keep = |name: &str| {
        let entry = entry(name);
        sessions.with(|store| store.keep_cached(&origin("/w"), &entry, None)).expect("kept");
    };
    keep("first");
    let first = all(&sessions, "/w")[0].number;
    for number in 0..600 {
        keep(&format!("request {number}"));
        sessions.with(|store| store.used_cached(first)).expect("used");
    }
    let stats = sessions.cache_stats().expect("stats");
    assert_eq!((stats.entries, stats.most, stats.hits), (500, 500, 600));
    let entries = all(&sessions, "/w");
    assert!(entries.iter().any(|entry| entry.request == "first"));
    assert!(!entries.iter().any(|entry| entry.request == "request 100"));
    assert!(entries.iter().any(|entry| entry.request == "request 101"));
}

#[test]
fn ten_thousand_stores_leave_five_hundred_entries() {
    let dir = tempfile::tempdir().expect("a directory");
    let sessions = Sessions::at(Some(dir.path().to_owned()));
    for number in 0..10_000 {
        let entry = entry(&format!("request {number}"));
        let place = origin(["/v", "/w"][number % 2]);
        sessions.with(|store| store.keep_cached(&place, &entry, None)).expect("kept");
    }
    let stats = sessions.cache_stats().expect("stats");
    assert_eq!((stats.entries, stats.most), (500, 500));
    let entries = all(&sessions, "/w");
    assert_eq!(entries.len(), 250);
    assert!(entries.iter().any(|entry| entry.request == "request 9999"));
}
