//! The decision loop against scripted models: what it asks, what it does, how it ends.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use agent_core::{Agent, Approval, Cancel, Event, EventSink, Outcome, Report, Settings, Signal};
use agent_llm::script::Scripted;
use agent_tools::Workspace;

/// A sink that keeps a word for each event, and cancels at one of them.
#[derive(Default)]
struct Notes {
    words: Mutex<Vec<String>>,
    cancel_at: Option<(&'static str, Cancel)>,
}

impl EventSink for Notes {
    fn emit(&self, event: &Event) {
        let word = match event {
            Event::Started { .. } => "started".to_owned(),
            Event::ModelCalled { purpose, turn } => format!("call {purpose:?} {turn}"),
            Event::Text(text) => format!("text {text}"),
            Event::Reasoning(_) => "reasoning".to_owned(),
            Event::Retry(_) => "retry".to_owned(),
            Event::Replied { .. } => "replied".to_owned(),
            Event::ActionStarted { tool, .. } => format!("begin {tool}"),
            Event::ActionFinished { action, .. } => format!("end {}", action.tool),
            Event::CallRejected { message, .. } => format!("rejected {message}"),
            Event::Approval { .. } => "approval".to_owned(),
            Event::Changed(change) => format!("changed {}", change.file),
            Event::Test(run) => format!("test {}", run.passed),
            Event::Compacted { .. } => "compacted".to_owned(),
            Event::ProtocolChanged { to, .. } => format!("protocol {to:?}"),
            Event::Proposed(one) => format!("proposed {}", one.text),
            Event::Warning(message) => format!("warning {message}"),
            Event::Finished(report) => format!("finished {:?}", report.outcome),
        };
        if let Some((at, cancel)) = &self.cancel_at
            && word.starts_with(at)
        {
            cancel.cancel(Signal::Interrupt);
        }
        self.words.lock().expect("no panic").push(word);
    }
}

struct Played {
    report: Report,
    words: Vec<String>,
    dir: tempfile::TempDir,
}

impl Played {
    /// How often the model was called for a purpose.
    fn calls(&self, purpose: &str) -> usize {
        let begins = format!("call {purpose} ");
        self.words.iter().filter(|word| word.starts_with(&begins)).count()
    }

    fn file(&self, name: &str) -> String {
        #[expect(clippy::disallowed_methods, reason = "the test looks at its own directory")]
        std::fs::read_to_string(self.dir.path().join(name)).expect("the file")
    }
}

/// Runs a task in a directory with one file, `a.txt`, against the replies of `script`.
async fn play(script: &str, settings: Settings, notes: Notes) -> Played {
    let dir = tempfile::tempdir().expect("a directory");
    #[expect(clippy::disallowed_methods, reason = "the test fills its own directory")]
    std::fs::write(dir.path().join("a.txt"), "one\ntwo\n").expect("a file");
    let workspace = Arc::new(Workspace::open(dir.path()).expect("a workspace"));
    let provider = Arc::new(Scripted::open("script", script.as_bytes()).expect("a script"));
    let cancel = notes.cancel_at.as_ref().map(|(_, cancel)| cancel.clone()).unwrap_or_default();
    let notes = Arc::new(notes);
    let agent = Agent::new(workspace, provider.clone(), settings, notes.clone());
    let report = agent.run("do it", &cancel).await;
    if report.outcome == Outcome::Finished {
        assert_eq!(provider.unused(), [], "replies that nobody asked for");
    }
    let words = std::mem::take(&mut *notes.words.lock().expect("no panic"));
    Played { report, words, dir }
}

async fn outcome(script: &str) -> Played {
    play(script, Settings::default(), Notes::default()).await
}

fn messages(report: &Report) -> Vec<&str> {
    let message = |action: &agent_core::Action| -> Option<&'static str> {
        let message = action.result.get("message")?.as_str()?;
        Some(Box::leak(message.to_owned().into_boxed_str()))
    };
    report.history.iter().filter_map(message).collect()
}

#[tokio::test]
async fn a_text_without_a_call_is_the_answer() {
    let played = outcome(r#"{"purpose": "decide", "text": "It says one, two."}"#).await;
    assert_eq!(played.report.response.as_deref(), Some("It says one, two."));
    assert_eq!((played.report.outcome, played.report.turns), (Outcome::Finished, 1));
    assert_eq!(
        played.words,
        [
            "started",
            "call Decide 1",
            "text It ",
            "text says ",
            "text one, ",
            "text two.",
            "replied",
            "finished Finished"
        ]
    );
    assert_eq!(played.report.history.len(), 1);
    assert_eq!(played.report.history[0].tool, "finish");
}

#[tokio::test]
async fn a_sketch_with_one_reading_is_merged_without_another_call() {
    let played = outcome(
        r#"
        {"purpose": "decide", "calls": [{"name": "edit_file", "arguments": {"target_file": "a.txt", "instructions": "say 2", "code_edit": "one\n2\n", "explanation": "asked for"}}]}
        {"purpose": "decide", "expect": {"last": "\"success\":true"}, "calls": [{"name": "finish", "arguments": {}}]}
        {"purpose": "response", "text": "Changed."}
        "#,
    )
    .await;
    assert_eq!(played.file("a.txt"), "one\n2\n");
    let report = &played.report;
    assert_eq!(report.response.as_deref(), Some("Changed."));
    assert_eq!(report.target_files, ["a.txt"]);
    assert_eq!(report.changes.len(), 1);
    assert_eq!(
        report.changes[0].diff,
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    );
    let edit = &report.history[0];
    assert_eq!(
        (edit.reason.as_str(), edit.file_content.as_deref()),
        ("asked for", Some("one\ntwo\n"))
    );
    assert_eq!(edit.result["method"], "merge");
}

#[tokio::test]
async fn a_sketch_without_one_reading_goes_through_a_plan() {
    let played = outcome(
        r#"
        {"purpose": "decide", "calls": [{"name": "edit_file", "arguments": {"target_file": "a.txt", "instructions": "say 2", "code_edit": "// ... existing code ...\n2\n// ... existing code ..."}}], "usage": {"input_tokens": 1000, "output_tokens": 40}}
        {"purpose": "edit_plan", "expect": {"contains": ["    2\ttwo", "say 2", "line 2 of the sketch"]}, "text": "{\"edits\": [{\"start_line\": 2, \"end_line\": 2, \"old\": \"two\\n\", \"replacement\": \"2\"}, {\"start_line\": 1, \"end_line\": 0, \"old\": \"\", \"replacement\": \"zero\"}]}", "usage": {"input_tokens": 300, "output_tokens": 25}}
        {"purpose": "decide", "text": "Changed.", "usage": {"input_tokens": 1200, "output_tokens": 5}}
        "#,
    )
    .await;
    assert_eq!(played.file("a.txt"), "zero\none\n2\n");
    let result = &played.report.history[0].result;
    assert_eq!(result["method"], "plan");
    assert_eq!(
        (result["total_edits"].as_u64(), result["successful_edits"].as_u64()),
        (Some(2), Some(2))
    );
    // The call that the plan took is one more, and counted like any other.
    assert_eq!(played.calls("EditPlan"), 1);
    let usage = played.report.usage.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens, played.report.turns), (2500, 70, 2));
}

#[tokio::test]
async fn an_edit_that_breaks_the_syntax_is_not_made() {
    let create = r#"{"purpose": "decide", "calls": [{"name": "create_file", "arguments": {"target_file": "a.json", "content": "{\"a\": 1}\n"}}]}"#;
    let patch = |new| {
        format!(
            r#"{{"purpose": "decide", "calls": [{{"name": "apply_patch", "arguments": {{"path": "a.json", "edits": [{{"start_line": 1, "end_line": 1, "replacement": {new:?}}}]}}}}]}}"#
        )
    };
    let done = r#"{"purpose": "decide", "expect": {"last": "\"success\":true"}, "text": "Done."}"#;
    let script = [create, &patch(r#"{"a": 1, "b""#), &patch(r#"{"a": 2}"#), done].join("\n");
    let played = outcome(&script).await;
    assert_eq!(played.file("a.json"), "{\"a\": 2}\n");
    let broken = &played.report.history[1].result;
    assert_eq!((&broken["success"], &broken["syntax"]["ok"]), (&false.into(), &false.into()));
    assert!(messages(&played.report)[1].starts_with("the edit would introduce a syntax error"));
    assert_eq!(played.report.changes.len(), 2);
}

#[tokio::test]
async fn a_plan_that_is_refused_three_times_changes_nothing_and_shows_in_the_report() {
    let played = outcome(
        r#"
        {"purpose": "decide", "calls": [{"name": "edit_file", "arguments": {"target_file": "a.txt", "instructions": "x", "code_edit": "// ... existing code ...\\ny"}}]}
        {"purpose": "edit_plan", "text": "no JSON"}
        {"purpose": "edit_plan", "expect": {"last": "no JSON object"}, "text": "[{\"start_line\": 2, \"end_line\": 2, \"old\": \"three\", \"replacement\": \"x\"}]"}
        {"purpose": "edit_plan", "expect": {"last": "old is not what stands there now:\n2 | two"}, "text": "[{\"start_line\": 1, \"end_line\": 1, \"replacement\": \"// ... existing code ...\"}]"}
        {"purpose": "decide", "expect": {"last": "3 plans for this edit were refused"}, "text": "I could not change it."}
        "#,
    )
    .await;
    assert_eq!(played.calls("EditPlan"), 3);
    assert_eq!(played.report.history[0].result["method"], "plan");
    assert_eq!(played.file("a.txt"), "one\ntwo\n");
    assert_eq!(played.report.outcome, Outcome::Finished);
    assert_eq!(played.report.undone.len(), 1);
    assert_eq!(played.report.undone[0].target_file, "a.txt");
}

#[tokio::test]
async fn three_malformed_replies_in_a_row_are_a_failure_and_two_are_not() {
    let bad = r#"{"purpose": "decide", "calls": [{"name": "read_file", "raw_arguments": "{\"target_file\": "}]}"#;
    let unknown = r#"{"purpose": "decide", "calls": [{"name": "fly", "arguments": {}}]}"#;
    let empty = r#"{"purpose": "decide", "text": ""}"#;
    let good = r#"{"purpose": "decide", "calls": [{"name": "read_file", "arguments": {"target_file": "a.txt"}}]}"#;
    let done = r#"{"purpose": "decide", "text": "Done."}"#;
    let failed = outcome(&[bad, unknown, empty].join("\n")).await.report;
    assert_eq!(failed.outcome, Outcome::Failed);
    assert_eq!(failed.error.expect("an error").code, "agent::model::malformed");
    let finished = outcome(&[bad, empty, good, unknown, bad, done].join("\n")).await.report;
    assert_eq!((finished.outcome, finished.turns), (Outcome::Finished, 6));
    assert_eq!(
        messages(&finished),
        [
            "there is no tool `fly`. The tools are: list_dir, grep_search, file_search, read_file, check_syntax, \
          edit_file, apply_patch, create_file, delete_file, undo, run_command, finish."
        ]
    );
}

#[tokio::test]
async fn the_turn_limit_ends_the_run() {
    let again =
        r#"{"purpose": "decide", "calls": [{"name": "list_dir", "arguments": {"path": "."}}]}"#;
    let settings = Settings { max_turns: 2, ..Settings::default() };
    let played = play(&[again; 3].join("\n"), settings, Notes::default()).await;
    assert_eq!((played.report.outcome, played.report.turns), (Outcome::Budget, 2));
    assert_eq!(played.report.exit_code, 13);
}

#[tokio::test]
async fn asking_for_the_same_forbidden_thing_three_times_stops_the_run() {
    let outside = |why| {
        format!(
            r#"{{"purpose": "decide", "calls": [{{"name": "read_file", "arguments": {{"target_file": "../x", "explanation": "{why}"}}}}]}}"#
        )
    };
    let script = [outside("first"), outside("second"), outside("third")].join("\n");
    let played = outcome(&script).await;
    assert_eq!((played.report.outcome, played.report.exit_code), (Outcome::Policy, 14));
    assert_eq!(played.report.history.len(), 3);
}

#[tokio::test]
async fn a_read_only_run_offers_no_writing_tool_and_refuses_one_all_the_same() {
    let settings = Settings { approval: Approval::Plan, ..Settings::default() };
    let script = r#"
        {"purpose": "decide", "expect": {"tools": ["list_dir", "grep_search", "file_search", "read_file", "check_syntax", "finish"]}, "calls": [{"name": "delete_file", "arguments": {"target_file": "a.txt"}}]}
        {"purpose": "decide", "expect": {"last": "read-only"}, "text": "I would delete a.txt."}
    "#;
    let played = play(script, settings, Notes::default()).await;
    assert_eq!(played.report.outcome, Outcome::Finished);
    assert_eq!(played.file("a.txt"), "one\ntwo\n");
    assert_eq!(played.report.undone.len(), 1);
}

#[tokio::test]
async fn a_finish_behind_a_failed_call_of_the_same_reply_waits() {
    let script = r#"
        {"purpose": "decide", "calls": [{"name": "delete_file", "arguments": {"target_file": "b.txt"}}, {"name": "finish", "arguments": {"response": "Deleted."}}]}
        {"purpose": "decide", "expect": {"last": "not finished: `delete_file`"}, "calls": [{"name": "finish", "arguments": {"response": "There is no b.txt."}}]}
    "#;
    let played = outcome(script).await;
    assert_eq!(played.report.response.as_deref(), Some("There is no b.txt."));
}

#[tokio::test]
async fn calls_behind_a_finish_are_answered_and_not_run() {
    let script = r#"{"purpose": "decide", "calls": [{"name": "finish", "arguments": {"response": "Bye."}}, {"name": "delete_file", "arguments": {"target_file": "a.txt"}}]}"#;
    let played = outcome(script).await;
    assert_eq!(played.file("a.txt"), "one\ntwo\n");
    assert!(
        played.words.contains(&"rejected not run: the request was already finished.".to_owned())
    );
}

#[tokio::test]
async fn a_call_that_the_output_limit_cut_is_not_run() {
    let script = r#"
        {"purpose": "decide", "finish": "length", "calls": [{"name": "delete_file", "arguments": {"target_file": "a.txt"}}]}
        {"purpose": "decide", "expect": {"last": "cut off"}, "text": "Sorry."}
    "#;
    let played = outcome(script).await;
    assert_eq!(played.file("a.txt"), "one\ntwo\n");
}

#[tokio::test]
async fn cancelling_ends_the_run_wherever_it_is() {
    let script = r#"
        {"purpose": "decide", "calls": [{"name": "list_dir", "arguments": {"path": "."}}]}
        {"purpose": "decide", "text": "Done."}
    "#;
    for at in ["started", "call Decide 1", "begin list_dir", "end list_dir", "call Decide 2"] {
        let notes = Notes { cancel_at: Some((at, Cancel::new())), ..Notes::default() };
        let played = play(script, Settings::default(), notes).await;
        assert_eq!(played.report.outcome, Outcome::Interrupted(Signal::Interrupt), "{at}");
        assert_eq!(played.report.exit_code, 130);
        assert_eq!(
            played.words.last().map(String::as_str),
            Some("finished Interrupted(Interrupt)")
        );
    }
}

#[tokio::test]
async fn a_provider_that_refuses_the_key_ends_the_run_with_help() {
    let script = r#"{"purpose": "decide", "fault": {"status": 401, "body": "{\"error\": {\"message\": \"bad key\"}}"}}"#;
    let report = outcome(script).await.report;
    assert_eq!((report.outcome, report.exit_code), (Outcome::Auth, 11));
    let error = report.error.expect("an error");
    assert_eq!(error.code, "agent::provider::unauthorized");
    assert!(error.help.is_some_and(|help| help.contains("OPENAI_API_KEY")));
}
