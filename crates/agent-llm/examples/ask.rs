//! Asks any model a question and prints the answer as it comes.
//!
//! ```sh
//! cargo run -p agent-llm --example ask -- anthropic/claude-sonnet-5-5 "$ANTHROPIC_API_KEY" "Why is the sky blue?"
//! cargo run -p agent-llm --example ask -- ollama/qwen3:8b "" "Why is the sky blue?"
//! cargo run -p agent-llm --example ask -- openai/any "" "Why is the sky blue?" http://127.0.0.1:8080/v1
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that talks to a person")]

use std::io::Write;
use std::sync::Arc;

use agent_llm::{Delta, Endpoint, Message, ModelName, Options, Purpose, Request, connect};
use futures_util::StreamExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, key, question, rest @ ..] = arguments.as_slice() else {
        return Err("usage: ask MODEL KEY QUESTION [BASE_URL]".into());
    };
    let ModelName::Served(model) = ModelName::parse(model)? else {
        return Err("a recording has no server".into());
    };
    let base_url = rest.first().map_or(model.vendor.default_base_url(), String::as_str);
    let endpoint = match key.as_str() {
        "" => Endpoint::new(base_url),
        key => Endpoint::new(base_url).with_key(key.to_owned()),
    };
    let provider = connect(&model, &endpoint, &Options::default())?;

    let question = Arc::new(Message::User(question.clone()));
    let mut deltas = provider.send(Request::new(Purpose::Decide, vec![question]));
    while let Some(delta) = deltas.next().await {
        match delta? {
            Delta::Text(words) => print!("{words}"),
            Delta::Retry(retry) => eprintln!("again in {:?}: {}", retry.delay, retry.error),
            Delta::Usage(usage) => eprintln!("\n{usage:?}"),
            Delta::Finish(reason) => eprintln!("{reason:?}"),
            Delta::Reasoning(_)
            | Delta::Opaque(_)
            | Delta::Sent(_)
            | Delta::CallStart { .. }
            | Delta::CallArguments { .. } => {}
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}
