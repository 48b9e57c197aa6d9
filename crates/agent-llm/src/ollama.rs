//! Ollama's own wire format.

pub(crate) mod chat;
mod decode;
mod host;
mod request;

pub use host::ollama_base_url;
