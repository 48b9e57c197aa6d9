//! Lets a model call a tool until it answers, and writes the calls of the model down.
//!
//! ```sh
//! cargo run -p agent-llm --example tools -- ollama/qwen3:8b "" recording.jsonl
//! ```
//!
//! The recording can be played again with `agent run -m replay/recording.jsonl`, or by
//! [`Scripted::exact`](agent_llm::script::Scripted::exact).

#![expect(clippy::print_stdout, reason = "a program that talks to a person")]
#![expect(clippy::disallowed_methods, reason = "the example chooses where the recording goes")]

use std::fs::File;
use std::sync::Arc;

use agent_llm::recording::Recording;
use agent_llm::{
    Endpoint, Message, ModelName, Options, Provider, Purpose, Reply, Request, ToolResult, ToolSpec,
    connect,
};
use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, key, file] = arguments.as_slice() else {
        return Err("usage: tools MODEL KEY RECORDING".into());
    };
    let ModelName::Served(model) = ModelName::parse(model)? else {
        return Err("a recording has no server".into());
    };
    let endpoint = Endpoint::new(model.vendor.default_base_url());
    let endpoint = if key.is_empty() { endpoint } else { endpoint.with_key(key.clone()) };
    let provider = connect(&model, &endpoint, &Options::default())?;
    let provider = Recording::new(provider, File::create(file)?);

    let tools: Arc<[ToolSpec]> = Arc::from([ToolSpec {
        name: "add".to_owned(),
        description: "Adds two numbers.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } },
            "required": ["a", "b"],
        }),
    }]);
    let mut messages = vec![Arc::new(Message::User("What is 17.5 + 24.75? Use `add`.".into()))];
    for _ in 0..5 {
        let mut request = Request::new(Purpose::Decide, messages.clone());
        request.tools = Arc::clone(&tools);
        let reply = Reply::collect(provider.send(request)).await?;
        let results: Vec<_> = reply.calls().map(answer).map(Message::Tool).map(Arc::new).collect();
        if results.is_empty() {
            println!("{}", reply.text());
            return Ok(());
        }
        // The reply goes back whole: what only its own wire format understands is among its parts.
        messages.push(Arc::new(Message::Assistant(reply.parts)));
        messages.extend(results);
    }
    Err("the model does not come to an end".into())
}

fn answer(call: &agent_llm::ToolCall) -> ToolResult {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    let content = match (arguments["a"].as_f64(), arguments["b"].as_f64()) {
        (Some(a), Some(b)) => json!({ "sum": a + b }),
        _ => json!({ "error": "`a` and `b` have to be numbers" }),
    };
    ToolResult { call_id: call.id.clone(), name: call.name.clone(), content: content.to_string() }
}
