//! What a small model is asked first: little, and nothing that must not be shown.
#![expect(clippy::disallowed_methods, reason = "the tests lay out files from outside")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use agent_core::{Agent, Cancel, Protocol, Settings, Silent};
use agent_llm::{DeltaStream, Error, ErrorKind, Message, Provider, Request};
use agent_tools::Workspace;
use futures_util::stream;

/// A model that keeps what it is asked, and never answers.
#[derive(Default)]
struct Listener(Mutex<Vec<Request>>);

impl Provider for Listener {
    fn model(&self) -> &str {
        "listener"
    }

    fn send(&self, request: Request) -> DeltaStream {
        self.0.lock().unwrap().push(request);
        let failed = Err(Error::new(ErrorKind::Unauthorized, "listener", "no"));
        Box::pin(stream::iter([failed]))
    }
}

/// The first request for a task in JSON decisions.
async fn first(dir: &Path, task: &str, planner: bool) -> Request {
    let listener = Arc::new(Listener::default());
    let settings = Settings { protocol: Protocol::Json, planner, ..Settings::default() };
    let workspace = Arc::new(Workspace::open(dir).unwrap());
    let agent = Agent::new(workspace, Arc::clone(&listener) as _, settings, Arc::new(Silent));
    agent.run(task, &Cancel::new()).await;
    listener.0.lock().unwrap().first().cloned().unwrap()
}

fn text(request: &Request) -> String {
    let texts = request.messages.iter().map(|message| match &**message {
        Message::System(text) | Message::User(text) => text.clone(),
        Message::Assistant(_) | Message::Tool(_) => panic!("said by nobody yet"),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Bytes of a request beside the fenced files.
fn bytes(request: &Request) -> usize {
    assert_eq!(request.tools.len(), 0);
    let text = text(request);
    let words: usize = text.split("```").step_by(2).map(str::len).sum();
    words + request.output.as_ref().map_or(0, |output| output.schema.to_string().len())
}

fn put(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn a_first_request_is_under_six_kilobytes_beside_the_files_that_it_shows() {
    const MOST: usize = 6 * 1024;
    let dir = tempfile::tempdir().unwrap();
    let functions = |prefix: &str, count: usize| -> String {
        let one = |number| {
            format!("def {prefix}_of_a_long_name_{number:03}():\n    return {number}\n\n\n")
        };
        (0..count).map(one).collect()
    };
    for number in 0..5 {
        let path = format!("services/backend/module_number_{number}.py");
        put(dir.path(), &path, &functions("function", 60));
    }
    for number in 0..300 {
        let path = format!(
            "packages/some-rather-long-directory-name/src/main/java/org/example/project/File{number}.java"
        );
        put(dir.path(), &path, "class File {}\n");
    }
    put(dir.path(), "small.py", &functions("f", 3));
    let named = (0..5).map(|number| format!("module_number_{number}.py")).collect::<Vec<_>>();
    let named = named.join(", ");
    for task in [
        "What does small.py do?".to_owned(),
        "Fix small.py".to_owned(),
        "Remove `File17` and run the tests.".to_owned(),
        "hello".to_owned(),
        format!("Remove `function_of_a_long_name_003` from {named}, run it and create new.py."),
        format!("Change {named}."),
    ] {
        for planner in [false, true] {
            let request = first(dir.path(), &task, planner).await;
            let bytes = bytes(&request) - task.len();
            assert!(bytes < MOST, "{task} (planner: {planner}): {bytes} bytes\n{}", text(&request));
        }
    }
}

#[tokio::test]
async fn secrets_of_shown_files_are_taken_out() {
    let dir = tempfile::tempdir().unwrap();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    put(dir.path(), "c.ini", &format!("user = me\ntoken = {token}\n"));
    let asked = text(&first(dir.path(), "Set `user` in c.ini to you.", false).await);
    assert!(asked.contains("user = me") && !asked.contains(&token), "{asked}");
}

#[tokio::test]
async fn what_the_project_tells_agents_is_told() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "AGENTS.md", "Names are in upper case.\n");
    put(dir.path(), "a.py", "a = 1\n");
    let asked = text(&first(dir.path(), "Rename `a` in a.py.", false).await);
    assert!(asked.contains("Names are in upper case."), "{asked}");
}
