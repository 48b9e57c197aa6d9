//! No secret leaves the process by way of a tool's result, and no mark comes in.
#![expect(clippy::disallowed_methods, reason = "the tests look at the files from outside")]

use std::{fs, sync::Arc};

use agent_core::{Agent, Cancel, MARK, Outcome, Redactor, Settings, Silent};
use agent_llm::script::Scripted;
use agent_tools::Workspace;
use serde_json::json;

#[tokio::test]
async fn a_secret_is_neither_shown_nor_kept_and_its_mark_is_not_written() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let dir = tempfile::tempdir().unwrap();
    let content = format!("user = me\ntoken = {token}\npass = correct-horse\n");
    fs::write(dir.path().join("c.ini"), &content).unwrap();
    let lacks = [token.as_str(), "correct-horse"];
    let call = |tool: &str, params: serde_json::Value| json!([{"name": tool, "arguments": params}]);
    let edit = |line: usize, old: String, new: &str| {
        call(
            "apply_patch",
            json!({"path": "c.ini", "edits": [{"line": line, "old": old, "new": new}]}),
        )
    };
    let script = [
        json!({"purpose": "decide", "calls": call("read_file", json!({"target_file": "c.ini"}))}),
        json!({"purpose": "decide", "expect": {"lacks": lacks}, "calls": call("grep_search", json!({"query": "token"}))}),
        json!({"purpose": "decide", "expect": {"lacks": lacks}, "calls": edit(1, "user = me".to_owned(), &format!("user = {MARK}"))}),
        json!({"purpose": "decide", "expect": {"last": "stands for a secret"}, "calls": edit(1, "user = me".to_owned(), "user = you")}),
        json!({"purpose": "decide", "expect": {"lacks": lacks}, "text": "done"}),
    ];
    let script: String = script.iter().map(|line| format!("{line}\n")).collect();
    let model = Arc::new(Scripted::open("test", script.as_bytes()).unwrap());
    let workspace = Arc::new(Workspace::open(dir.path()).unwrap());
    let variables = [("DB_PASSWORD".to_owned(), "correct-horse".to_owned())];
    let agent = Agent::new(workspace, model, Settings::default(), Arc::new(Silent))
        .redacting(Redactor::of_variables(variables));
    let task = format!("Use {token}.");
    let report = agent.run(&task, &Cancel::new()).await;
    assert_eq!((report.outcome, &report.error), (Outcome::Finished, &None));
    let kept = serde_json::to_string(&report).unwrap();
    assert!(!kept.contains(&token) && !kept.contains("correct-horse"), "{kept}");
    // The file itself is exact.
    let after = content.replace("user = me", "user = you");
    assert_eq!(fs::read_to_string(dir.path().join("c.ini")).unwrap(), after);
}
