//! Which model, and where it is served.

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;

use crate::RetryPolicy;

/// A vendor whose wire format this crate speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vendor {
    /// OpenAI and every server that is compatible with it.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama, by its own API.
    Ollama,
}

impl Vendor {
    /// Every vendor, in the order in which one is looked for.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The vendor of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|vendor| vendor.name() == name)
    }

    /// The `PROVIDER` of a model's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Where the vendor itself serves.
    pub fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// A model as users name it: `PROVIDER/MODEL`, or the path of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelName {
    /// A model on a server.
    Served(ServedModel),
    /// `replay/PATH`: play it with [`Scripted`](crate::script::Scripted).
    Replay(String),
}

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedModel {
    /// Whose wire format the server speaks.
    pub vendor: Vendor,
    /// The model's name there.
    pub model: String,
}

impl fmt::Display for ServedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.vendor.name(), self.model)
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Served(served) => served.fmt(f),
            Self::Replay(path) => write!(f, "replay/{path}"),
        }
    }
}

/// A name that names no model. It reads after "failed to use the model NAME: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelNameError {
    /// Nothing before the first slash that is a provider, or nothing after it.
    #[error("{0:?} names no model; write {FORMS}")]
    Form(String),
}

const FORMS: &str = "openai/MODEL (OpenAI and compatible servers), anthropic/MODEL, gemini/MODEL, \
                     ollama/MODEL or replay/PATH (a recording)";

impl ModelName {
    /// Reads a name as users write it.
    ///
    /// # Errors
    ///
    /// [`ModelNameError`], which lists the forms.
    pub fn parse(name: &str) -> Result<Self, ModelNameError> {
        let form = || ModelNameError::Form(name.to_owned());
        let (provider, model) = name.trim().split_once('/').ok_or_else(form)?;
        let model = model.trim().to_owned();
        if provider == "replay" && !model.is_empty() {
            return Ok(Self::Replay(model));
        }
        let vendor = Vendor::named(provider).ok_or_else(form)?;
        if model.is_empty() {
            return Err(form());
        }
        Ok(Self::Served(ServedModel { vendor, model }))
    }
}

/// A server and how to be let in.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The base URL. As in the vendors' own clients OpenAI's ends in `/v1`, or what the server has
    /// instead, and the others' in no version.
    pub base_url: String,
    /// The key for the authorization header. Servers in one's own network often need none.
    pub api_key: Option<SecretString>,
}

impl Endpoint {
    /// A server that asks for no key.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self { base_url: base_url.into(), api_key: None }
    }

    /// The same server with a key.
    pub fn with_key(self, api_key: impl Into<SecretString>) -> Self {
        Self { api_key: Some(api_key.into()), ..self }
    }
}

/// Which of its wire formats OpenAI is spoken to in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OpenAiApi {
    /// Chat completions, which every compatible server has.
    #[default]
    Chat,
    /// The Responses API, which keeps a model's reasoning from step to step.
    Responses,
}

/// How to talk to a server; the defaults suit every one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// OpenAI: the wire format.
    pub openai_api: OpenAiApi,
    /// Ollama: the window in tokens. Without it the server chooses, and it cuts what does not fit
    /// without a word.
    pub num_ctx: Option<u32>,
    /// Ollama: how long the model stays loaded after a call, as `"10m"` or `"-1"`.
    pub keep_alive: Option<String>,
    /// When to give a server up.
    pub timeouts: Timeouts,
    /// When to send a failed call again.
    pub retry: RetryPolicy,
}

/// When to give a server up. There is no limit on the whole call: a long reply is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For the connection to be made.
    pub connect: Duration,
    /// For the first byte of the reply, and from one byte to the next. A large prompt on a small
    /// machine takes minutes before anything comes.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), idle: Duration::from_secs(300) }
    }
}

/// Why a server can't be used as it is configured. It reads after "failed to connect: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No base URL.
    #[error(
        "{url:?} is no base URL ({problem}); it looks like https://HOST/v1 or http://HOST:PORT"
    )]
    BaseUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// `OLLAMA_HOST` is neither.
    #[error("{0:?} is neither HOST, HOST:PORT nor a URL; it looks like 127.0.0.1:11434")]
    OllamaHost(String),
    /// The key has a character that no header may hold.
    #[error(
        "the API key holds a character that no HTTP header may hold; copy it again, without line breaks"
    )]
    ApiKey,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        let served = |vendor, model: &str| {
            Ok(ModelName::Served(ServedModel { vendor, model: model.to_owned() }))
        };
        assert_eq!(ModelName::parse("openai/gpt-x"), served(Vendor::OpenAi, "gpt-x"));
        assert_eq!(ModelName::parse("openai/org/m"), served(Vendor::OpenAi, "org/m"));
        assert_eq!(ModelName::parse(" ollama/q:7b "), served(Vendor::Ollama, "q:7b"));
        assert_eq!(ModelName::parse("anthropic/c-5"), served(Vendor::Anthropic, "c-5"));
        assert_eq!(ModelName::parse("gemini/g"), served(Vendor::Gemini, "g"));
        assert_eq!(ModelName::parse("replay//a/b"), Ok(ModelName::Replay("/a/b".to_owned())));
        for name in ["openai/org/m", "anthropic/c", "gemini/g", "ollama/q:7b", "replay/a.jsonl"] {
            assert_eq!(
                ModelName::parse(name).map(|parsed| parsed.to_string()).as_deref(),
                Ok(name)
            );
        }
    }

    #[test]
    fn bad_names_list_the_forms() {
        for name in ["", "gpt-x", "openai/", "gemini/ ", "replay/", "OpenAI/x", "mistral/x", "/x"] {
            assert_eq!(
                ModelName::parse(name).unwrap_err().to_string(),
                format!(
                    "{name:?} names no model; write openai/MODEL (OpenAI and compatible servers), anthropic/MODEL, gemini/MODEL, ollama/MODEL or replay/PATH (a recording)"
                )
            );
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let endpoint = Endpoint::new("http://h").with_key("sk-secret".to_owned());
        assert!(!format!("{endpoint:?}").contains("sk-secret"));
    }
}
