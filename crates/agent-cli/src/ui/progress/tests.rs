use agent_core::Change;
use agent_llm::{Error, ErrorKind, Usage};
use serde_json::{Value, json};

use super::*;

pub(crate) fn action(tool: &str, params: Value, result: Value) -> Action {
    Action {
        tool: tool.to_owned(),
        reason: String::new(),
        params,
        result,
        timestamp: "2026-11-21T09:30:00Z".parse().expect("a timestamp"),
        confidence: None,
        file_content: None,
        file_success: None,
    }
}

fn called(purpose: Purpose) -> Event {
    Event::ModelCalled { purpose, turn: 1 }
}

fn said(text: &str) -> Event {
    Event::Text(text.to_owned())
}

fn replied(text: &str, calls: usize) -> Event {
    let call = ToolCall { id: "1".into(), name: "list_dir".into(), arguments: "{}".into() };
    let calls = vec![call; calls];
    Event::Replied {
        purpose: Purpose::Decide,
        text: text.to_owned(),
        calls,
        usage: Usage::default(),
        cost: None,
        sent: None,
    }
}

fn started(reason: &str) -> Event {
    Event::ActionStarted {
        call_id: "1".into(),
        tool: "list_dir".into(),
        reason: reason.into(),
        params: json!({"relative_workspace_path": "."}),
    }
}

fn ended(result: Value) -> Event {
    Event::ActionFinished {
        call_id: "1".into(),
        action: action("list_dir", json!({}), result),
        observation: "seen".into(),
        elapsed: Duration::from_millis(7),
    }
}

fn transcript(detail: Detail, reader: Reader, events: &[Event]) -> String {
    let mut progress = Progress::new(Style::Plain, detail, reader);
    events.iter().map(|event| progress.render(event)).collect()
}

fn a_step() -> Vec<Event> {
    vec![
        called(Purpose::Decide),
        Event::Reasoning("hm".into()),
        said("I "),
        said("look."),
        replied("I look.", 1),
        started("I look."),
        ended(json!({"success": true, "tree_visualization": "a\nb"})),
        called(Purpose::Decide),
        said("All is well."),
        replied("All is well.", 0),
    ]
}

#[test]
fn a_person_sees_words_as_they_come() {
    let wipe = "\r\x1b[2K";
    assert_eq!(
        transcript(Detail::Steps, Reader::Live, &a_step()),
        format!(
            "… step 1{wipe}I look.\n› list_dir  .\n  2 lines · 7 ms\n… step 1{wipe}All is well.\n"
        )
    );
}

#[test]
fn on_a_narrow_screen_lines_end_between_words() {
    let mut progress = Progress::new(Style::Plain, Detail::Steps, Reader::Live);
    progress.fit(20);
    let message = "no such file or directory";
    let events = [
        called(Purpose::Decide),
        said("I look at what is th"),
        said("ere now."),
        replied("I look at what is there now.", 1),
        started("Because it is asked for"),
        ended(json!({"success": false, "message": message})),
        Event::Warning("this takes a while longer".into()),
    ];
    let shown: String = events.iter().map(|event| progress.render(event)).collect();
    assert_eq!(
        shown,
        "… step 1\r\x1b[2KI look at what is\nthere now.\n\
         › list_dir  .\n  Because it is\n  asked for\n  failed: no such\n  file or directory\n  · 7 ms\n\
         warning: this takes\na while longer\n"
    );
}

#[test]
fn a_file_holds_neither_the_answer_nor_what_would_be_wiped() {
    assert_eq!(
        transcript(Detail::Steps, Reader::Later, &a_step()),
        "I look.\n› list_dir  .\n  2 lines · 7 ms\n"
    );
    assert_eq!(transcript(Detail::Quiet, Reader::Live, &a_step()), "");
}

#[test]
fn everything_means_reasoning_tokens_and_observations_too() {
    assert_eq!(
        transcript(Detail::Everything, Reader::Later, &a_step()),
        "hm\nI look.\n  0 tokens in, 0 out\n› list_dir  .\n  2 lines · 7 ms\n    seen\n  0 tokens \
         in, 0 out\n"
    );
}

#[test]
fn an_answer_counts_as_shown_only_when_it_was_the_last_thing_live() {
    for (reader, answer, shown) in [
        (Reader::Live, "All is well.\n", true),
        (Reader::Live, "I look.", false),
        (Reader::Live, "", false),
        (Reader::Later, "All is well.", false),
    ] {
        let mut progress = Progress::new(Style::Plain, Detail::Steps, reader);
        for event in a_step() {
            progress.render(&event);
        }
        assert_eq!(progress.showed(answer), shown, "{reader:?} {answer:?}");
    }
}

#[test]
fn an_edit_plan_is_not_read_aloud() {
    let events = [called(Purpose::EditPlan), said("{\"edits\":[]}")];
    assert_eq!(transcript(Detail::Steps, Reader::Live, &events), "… planning the edit");
}

#[test]
fn failures_retries_and_refused_calls_are_told() {
    let error = Error {
        kind: ErrorKind::RateLimited,
        provider: "openai".into(),
        message: "slow down".into(),
        status: Some(429),
        retry_after: None,
    };
    let retry = Retry { attempt: 1, delay: Duration::from_millis(1500), error };
    let events = [
        called(Purpose::Decide),
        said("half a"),
        Event::Retry(retry),
        started("because\nof this"),
        ended(json!({"success": false, "message": "no such directory"})),
        Event::CallRejected { call_id: "2".into(), message: "no JSON".into() },
        Event::Warning("mind \x1b[2J this".into()),
        Event::Changed(Change {
            file: "a".into(),
            kind: ChangeKind::Edit,
            before_sha256: None,
            after_sha256: None,
            diff: "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n".into(),
        }),
    ];
    let shown = transcript(Detail::Steps, Reader::Live, &events);
    let shown: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(
        shown,
        [
            "try 1 failed (what it had said is void), next in 1.5 s: openai: slow down",
            "› list_dir  .  because …",
            "  failed: no such directory · 7 ms",
            "  no JSON",
            "warning: mind ␛[2J this",
            "--- a/a",
            "+++ b/a",
            "@@ -1 +1 @@",
            "-x",
            "+y",
        ]
    );
    assert_eq!(
        transcript(Detail::Quiet, Reader::Later, &events),
        "warning: mind ␛[2J this\n",
        "quiet is about steps, not about warnings"
    );
}

#[test]
fn the_last_line_sums_up_and_names_what_stayed_undone() {
    let report = crate::report::unstarted(crate::report::Request {
        task: "t".into(),
        working_dir: "/w".into(),
    });
    let undone = agent_core::Undone {
        tool: "edit_file".into(),
        target_file: "a.rs".into(),
        message: "two places fit".into(),
    };
    let change = |file: &str| Change {
        file: file.into(),
        kind: ChangeKind::Create,
        before_sha256: None,
        after_sha256: None,
        diff: String::new(),
    };
    let report = Report {
        turns: 1,
        outcome: Outcome::Budget,
        changes: vec![change("b"), change("c"), change("b")],
        undone: vec![undone],
        ..report
    };
    let mut progress = Progress::new(Style::Plain, Detail::Steps, Reader::Later);
    let text = progress.render(&Event::Finished(Box::new(report)));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("budget · 1 turn · 0 tokens in, 0 out · "), "{}", lines[0]);
    assert!(lines[0].ends_with(" ms · changed b, c"), "{}", lines[0]);
    assert_eq!(lines[1], "not done: edit_file a.rs: two places fit");
}
