//! Clients for language models.
//!
//! A [`Provider`] takes a [`Request`] and answers with a stream of [`Delta`]s; [`Reply::collect`]
//! folds the stream into one [`Reply`]. [`connect()`] makes a provider for a model on a server:
//! OpenAI and everything that is compatible with it, Anthropic, Gemini, or Ollama. [`Retrying`] sends again what
//! failed for a reason that may pass; it is a provider around a provider, as anything else that
//! concerns every vendor alike would be. [`script::Scripted`] is a provider whose replies are
//! written down, for tests and for [`recording`]s.
//!
//! # Example
//!
//! One step of an agent, without a network: the model asks for a file.
//!
//! ```
//! use std::sync::Arc;
//!
//! use agent_llm::script::Scripted;
//! use agent_llm::{FinishReason, Message, Part, Provider, Purpose, Reply, Request, ToolResult};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let replies = r#"
//! {"purpose": "decide", "calls": [{"name": "read_file", "arguments": {"target_file": "a.py"}}]}
//! {"purpose": "decide", "expect": {"last": "print"}, "text": "It prints a greeting."}
//! "#;
//! let provider = Scripted::open("example", replies.as_bytes())?;
//!
//! let mut messages = vec![Arc::new(Message::User("What does a.py do?".to_owned()))];
//! let request = Request::new(Purpose::Decide, messages.clone());
//! let reply = Reply::collect(provider.send(request)).await?;
//! assert_eq!(reply.finish, FinishReason::ToolCalls);
//!
//! let results = reply.calls().map(|call| ToolResult {
//!     call_id: call.id.clone(),
//!     name: call.name.clone(),
//!     content: "print('hello')".to_owned(),
//! });
//! let results: Vec<_> = results.map(|result| Arc::new(Message::Tool(result))).collect();
//! messages.push(Arc::new(Message::Assistant(reply.parts)));
//! messages.extend(results);
//!
//! let reply = Reply::collect(provider.send(Request::new(Purpose::Decide, messages))).await?;
//! assert_eq!(reply.parts, [Part::Text("It prints a greeting.".to_owned())]);
//! assert!(provider.unused().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same with a server that speaks OpenAI's format, word by word as it comes:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use agent_llm::{Delta, Endpoint, Message, ModelName, Options, Purpose, Request, connect};
//! use futures_util::StreamExt;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let ModelName::Served(model) = ModelName::parse("openai/qwen2.5-coder")? else { return Ok(()) };
//! let endpoint = Endpoint::new("http://127.0.0.1:8080/v1");
//! let provider = connect(&model, &endpoint, &Options::default())?;
//!
//! let hello = Arc::new(Message::User("Say hello.".to_owned()));
//! let mut deltas = provider.send(Request::new(Purpose::Decide, vec![hello]));
//! while let Some(delta) = deltas.next().await {
//!     if let Delta::Text(words) = delta? {
//!         print!("{words}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The examples `ask` and `tools` of this crate are whole programs, for any of the providers;
//! [`connect()`] shows how each of them is reached.
//!
//! # What holds
//!
//! - A request's messages are serialised only once, and what varies between calls stands behind
//!   them: a conversation that grows at its end is sent as bytes that grow at their end.
//! - What only a wire format understands, as thinking with its signature, comes as
//!   [`Part::Opaque`], is stored like any other part, and goes back untouched to the model that it
//!   came from.
//! - A stream ends with [`Delta::Finish`] or with an error, never with half a reply. Dropping it
//!   closes the connection.
//! - A key leaves the process in the authorization header alone. No redirect is followed, and no
//!   error shows it.
//! - Nothing here reads a file, the environment or a prompt of its own.

mod anthropic;
mod body;
mod call_ids;
pub mod check;
mod client;
mod connect;
mod conversations;
mod describe;
mod endpoint;
mod error;
mod gemini;
mod http;
mod lines;
mod message;
mod models;
mod ndjson;
mod ollama;
mod openai;
mod pieces;
mod provider;
pub mod recording;
pub mod repair;
mod reply;
mod request;
mod responses;
mod retry;
pub mod script;
mod sse;
mod wire;

pub use connect::{connect, list_models};
pub use describe::{ModelDescription, Support, describe};
pub use endpoint::{
    Endpoint, EndpointError, ModelName, ModelNameError, OpenAiApi, Options, ServedModel, Timeouts,
    Vendor,
};
pub use error::{Error, ErrorKind};
pub use http::{Headers, RemoteError, remote_client};
pub use message::{Dialect, Message, Opaque, Part, ToolCall, ToolResult};
pub use models::{ModelFacts, Price, known_models, model_facts, prefers_json};
pub use ollama::ollama_base_url;
pub use provider::{DeltaStream, Provider};
pub use reply::{Delta, FinishReason, Reply, ReplyBuilder, Retry, Sent, Usage};
pub use request::{OutputSchema, Purpose, Request, ToolChoice, ToolSpec};
pub use retry::{RetryPolicy, Retrying};
pub use secrecy::SecretString;
