use std::sync::{Arc, Mutex};

use agent_core::{Agent, Cancel, Event, EventSink, Outcome, Settings};
use agent_llm::{Delta, DeltaStream, FinishReason, Message, Provider, Request, Usage};
use agent_tools::Workspace;
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::{text, workspace};

/// A model whose server reads the end of each prompt, and says nothing of the rest.
struct Cutting {
    name: &'static str,
    asked: Mutex<Vec<Vec<Arc<Message>>>>,
}

impl Provider for Cutting {
    fn model(&self) -> &str {
        self.name
    }

    fn send(&self, request: Request) -> DeltaStream {
        let mut asked = self.asked.lock().expect("no panic");
        asked.push(request.messages.clone());
        let read = json!({ "target_file": "long.txt" }).to_string();
        let deltas = match asked.len() {
            1 | 2 => vec![
                Delta::CallStart { index: 0, id: None, name: "read_file".to_owned() },
                Delta::CallArguments { index: 0, fragment: read },
                Delta::Finish(FinishReason::ToolCalls),
            ],
            _ => vec![Delta::Text("Done.".to_owned()), Delta::Finish(FinishReason::Stop)],
        };
        let usage = Usage { input_tokens: 900, output_tokens: 9, ..Usage::default() };
        let usage = stream::iter([Ok(Delta::Usage(usage))]);
        usage.chain(stream::iter(deltas.into_iter().map(Ok))).boxed()
    }
}

/// What the user is warned of.
#[derive(Default)]
struct Warned(Mutex<Vec<String>>);

impl EventSink for Warned {
    fn emit(&self, event: &Event) {
        if let Event::Warning(warning) = event {
            self.0.lock().expect("no panic").push(warning.clone());
        }
    }
}

#[tokio::test]
async fn what_is_long_is_bounded_at_once_and_a_prompt_that_was_cut_is_told_once() {
    for (name, told) in [("ollama/cutting", 1), ("openai/cutting", 0)] {
        let dir = workspace();
        let model = Arc::new(Cutting { name, asked: Mutex::default() });
        let opened = Arc::new(Workspace::open(dir.path()).expect("a workspace"));
        let settings = Settings { window: Some(12_000), ..Settings::default() };
        let sink = Arc::new(Warned::default());
        let agent = Agent::new(opened, Arc::clone(&model) as _, settings, Arc::clone(&sink) as _);
        // The request itself is longer than the window.
        let report = agent.run(&"word ".repeat(20_000), &Cancel::new()).await;
        assert_eq!(report.outcome, Outcome::Finished, "{:?}", report.error);
        let warned = sink.0.lock().expect("no panic").join("\n");
        assert_eq!(warned.matches("it has cut the prompt").count(), told, "{name}: {warned}");
        let asked = model.asked.lock().expect("no panic");
        assert_eq!(asked.len(), 3);
        for messages in asked.iter() {
            // A quarter of a window of 12,000 tokens, at four bytes and more for each.
            let longest = messages.iter().map(|message| text(message).len()).max();
            assert!(longest < Some(16_000), "{longest:?}");
        }
    }
}
