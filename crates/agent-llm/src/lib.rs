//! Clients for language models.
//!
//! A [`Provider`] takes a [`Request`] and answers with a stream of [`Delta`]s; [`Reply::collect`]
//! folds the stream into one [`Reply`]. Retry and checking are decorators of the same trait, so
//! that every provider gets them alike, and [`script`] is a provider whose replies are written down.

mod call_ids;
pub mod check;
mod connect;
mod conversations;
mod endpoint;
mod error;
mod http;
mod lines;
mod message;
mod models;
mod ndjson;
mod ollama;
mod openai;
mod provider;
mod reply;
mod request;
mod retry;
pub mod script;
mod sse;
mod wire;

pub use connect::{connect, list_models};
pub use endpoint::{
    Endpoint, EndpointError, ModelName, ModelNameError, Options, ServedModel, Timeouts, Vendor,
};
pub use error::{Error, ErrorKind};
pub use message::{Message, Part, ToolCall, ToolResult};
pub use models::{ModelFacts, known_models, model_facts};
pub use ollama::ollama_base_url;
pub use provider::{DeltaStream, Provider};
pub use reply::{Delta, FinishReason, Reply, ReplyBuilder, Retry, Usage};
pub use request::{OutputSchema, Purpose, Request, ToolChoice, ToolSpec};
pub use retry::{RetryPolicy, Retrying};
pub use secrecy::SecretString;
