//! What a run may use up, and how it ends when it has.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::{sync::Arc, time::Duration};

use agent_core::{
    Agent, Approval, Budget, Cancel, Failure, Outcome, Report, Settings, Silent,
    approval::{Answer, Approver, BoxFuture, Question},
    session::Sessions,
};
use agent_llm::{Price, script::Scripted};
use agent_tools::Workspace;

const LOOK: &str = r#"{"purpose": "decide", "usage": {"input_tokens": 4000, "cached_tokens": 1000, "output_tokens": 500}, "calls": [{"name": "list_dir", "arguments": {"path": "."}}]}"#;
const WRITE: &str = r#"{"purpose": "decide", "usage": {"input_tokens": 4000, "output_tokens": 500}, "calls": [{"name": "create_file", "arguments": {"target_file": "b.txt", "content": "b"}}]}"#;
const DONE: &str = r#"{"purpose": "decide", "usage": {"input_tokens": 4000}, "text": "Done."}"#;

async fn play(replies: &[&str], settings: Settings) -> Report {
    let dir = tempfile::tempdir().expect("a directory");
    let workspace = Arc::new(Workspace::open(dir.path()).expect("a workspace"));
    let script = Scripted::open("script", replies.join("\n").as_bytes()).expect("a script");
    let agent = Agent::new(workspace, Arc::new(script), settings, Arc::new(Silent));
    agent.run("do it", &Cancel::new()).await
}

/// Plays within `budget`; what the run came to, and after how many actions.
async fn limited(replies: &[&str], budget: Budget) -> (Outcome, usize, Failure) {
    let price = Some(Price { input: 2.0, cached: 0.5, written: None, output: 10.0 });
    let report = play(replies, Settings { budget, price, ..Settings::default() }).await;
    (report.outcome, report.history.len(), report.error.expect("an error"))
}

#[tokio::test]
async fn tokens_are_looked_at_before_a_request_is_sent() {
    let none = Budget { tokens: Some(100), ..Budget::default() };
    let (outcome, actions, error) = limited(&[DONE], none).await;
    assert_eq!(
        (outcome, actions, error.code.as_str()),
        (Outcome::Budget, 0, "agent::budget::tokens")
    );
    assert!(error.message.starts_with("the limit of 100 tokens was reached"), "{}", error.message);

    let some = Budget { tokens: Some(9000), ..Budget::default() };
    let (outcome, actions, error) = limited(&[LOOK, WRITE, DONE], some).await;
    assert_eq!((outcome, actions), (Outcome::Budget, 2));
    assert!(error.message.contains("9000 were used"), "{}", error.message);
    assert!(error.message.ends_with("; changed by then: b.txt"), "{}", error.message);
    assert!(error.help.is_some_and(|help| help.contains("--max-tokens")));
}

#[tokio::test]
async fn money_is_looked_at_before_a_request_is_sent() {
    let budget = Budget { cost: Some(0.02), ..Budget::default() };
    let (outcome, actions, error) = limited(&[LOOK, WRITE, DONE], budget).await;
    assert_eq!(
        (outcome, actions, error.code.as_str()),
        (Outcome::Budget, 2, "agent::budget::cost")
    );
    assert!(error.message.contains("$0.0245 were spent"), "{}", error.message);
}

#[tokio::test]
async fn a_report_says_what_was_spent() {
    let price = Some(Price { input: 2.0, cached: 0.5, written: None, output: 10.0 });
    let known = play(&[LOOK, DONE], Settings { price, ..Settings::default() }).await;
    assert_eq!((known.outcome, known.usage.cost), (Outcome::Finished, Some(0.0195)));
    let unknown = play(&[LOOK, DONE], Settings::default()).await;
    assert_eq!((unknown.usage.usage, unknown.usage.cost), (known.usage.usage, None));
    assert_eq!(unknown.usage.usage.cached_tokens, 1000);
}

#[tokio::test]
async fn tool_calls_beyond_the_limit_are_not_carried_out() {
    let two = r#"{"purpose": "decide", "calls": [{"name": "list_dir", "arguments": {"path": "."}}, {"name": "create_file", "arguments": {"target_file": "b.txt", "content": "b"}}]}"#;
    let budget = |calls| Budget { tool_calls: Some(calls), ..Budget::default() };
    let (outcome, actions, error) = limited(&[two, DONE], budget(1)).await;
    assert_eq!(
        (outcome, actions, error.code.as_str()),
        (Outcome::Budget, 1, "agent::budget::tool_calls")
    );
    let settings = Settings { budget: budget(2), ..Settings::default() };
    let enough = play(&[two, DONE], settings).await;
    assert_eq!((enough.outcome, enough.history.len()), (Outcome::Finished, 3));
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_broken_off() {
    let slow = r#"{"purpose": "decide", "fault": {"stall_ms": 600000}, "text": "Done."}"#;
    let budget = Budget { time: Some(Duration::from_millis(200)), ..Budget::default() };
    let (outcome, actions, error) = limited(&[slow], budget).await;
    assert_eq!(
        (outcome, actions, error.code.as_str()),
        (Outcome::Budget, 0, "agent::budget::time")
    );
}

#[tokio::test]
async fn finished_work_is_told_even_where_no_token_is_left_for_the_words() {
    let finish = r#"{"purpose": "decide", "usage": {"input_tokens": 4000}, "calls": [{"name": "finish", "arguments": {}}]}"#;
    let budget = Budget { tokens: Some(9000), ..Budget::default() };
    let report = play(&[WRITE, finish], Settings { budget, ..Settings::default() }).await;
    assert_eq!(report.outcome, Outcome::Finished);
    assert_eq!(report.response.as_deref(), Some("Finished. What was done:\n- created b.txt"));
}

#[tokio::test]
async fn a_session_that_is_gone_on_with_has_one_pot() {
    let (dir, state) = (tempfile::tempdir(), tempfile::tempdir());
    let (dir, state) = (dir.expect("a directory"), state.expect("a directory"));
    let sessions = Arc::new(Sessions::at(Some(state.path().to_owned())));
    let agent = |replies: &[&str], input, tokens| {
        let workspace = Arc::new(Workspace::open(dir.path()).expect("a workspace"));
        let script = Scripted::open("script", replies.join("\n").as_bytes()).expect("a script");
        let price = Some(Price { input, cached: 0.5, written: None, output: 10.0 });
        let budget = Budget { tokens, ..Budget::default() };
        let settings = Settings { price, budget, ..Settings::default() };
        Agent::new(workspace, Arc::new(script), settings, Arc::new(Silent))
            .keeping(Arc::clone(&sessions))
    };
    let past = || {
        let summary = sessions.list(None).expect("a list").remove(0);
        sessions.past(&summary).expect("a session")
    };
    let first = agent(&[LOOK, DONE], 2.0, None).run("look", &Cancel::new()).await;
    assert_eq!((first.usage.usage.input_tokens, first.usage.cost), (8000, Some(0.0195)));

    // Another model has another price; what was paid stays paid.
    let next = agent(&[DONE], 1.0, None).resume(past(), Some("and?"), &Cancel::new()).await;
    assert_eq!((next.usage.usage.input_tokens, next.usage.usage.output_tokens), (12_000, 500));
    assert_eq!(next.usage.cost, Some(0.0195 + 0.004));

    let last = agent(&[DONE], 1.0, Some(12_600)).resume(past(), Some("more"), &Cancel::new()).await;
    assert_eq!(last.outcome, Outcome::Budget);
    let error = last.error.expect("an error").message;
    assert!(error.contains("12500 were used"), "{error}");
}

/// Somebody who takes longer than the run may.
struct Slow(Duration);

impl Approver for Slow {
    fn approve<'a>(&'a self, _: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(async {
            tokio::time::sleep(self.0).await;
            Answer::Once
        })
    }
}

#[tokio::test]
async fn time_for_an_answer_is_not_that_of_the_run() {
    let dir = tempfile::tempdir().expect("a directory");
    let workspace = Arc::new(Workspace::open(dir.path()).expect("a workspace"));
    let run = r#"{"purpose": "decide", "calls": [{"name": "run_command", "arguments": {"command": "./nothing"}}]}"#;
    let script = [run, WRITE, DONE].join("\n");
    let script = Scripted::open("script", script.as_bytes()).expect("a script");
    let limit = Duration::from_secs(3);
    let budget = Budget { time: Some(limit), ..Budget::default() };
    let settings = Settings { budget, approval: Approval::Ask, ..Settings::default() };
    let agent = Agent::new(workspace, Arc::new(script), settings, Arc::new(Silent))
        .asking(Arc::new(Slow(limit.mul_f64(0.6))), None);
    let report = agent.run("write", &Cancel::new()).await;
    assert_eq!(report.outcome, Outcome::Finished, "{:?}", report.error);
    assert_eq!(report.changes.len(), 1);
}
