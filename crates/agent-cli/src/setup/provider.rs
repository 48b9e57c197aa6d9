//! Which model is used, and the provider that speaks to it.

use std::{path::Path, sync::Arc, time::Duration};

use agent_core::{
    Intent,
    config::{Config, Key, Origin},
};
use agent_llm::{
    DeltaStream, Endpoint, EndpointError, ModelDescription, ModelName, OpenAiApi, Options,
    Provider, Request, RetryPolicy, ServedModel, Timeouts, Vendor, connect, describe, known_models,
    list_models, ollama_base_url, script::Scripted,
};
use futures_util::stream;
use tokio::time;

use crate::{environment::Environment, error::Error, user_files};

/// Code of the error that says that nobody has set up a model.
pub(crate) const NO_MODEL: &str = "agent::config::no_model";

/// Stands for the name of a model where none was needed.
pub(crate) const NONE: &str = "none";

/// How long is waited for an Ollama server that nobody has mentioned.
const PROBE: Duration = Duration::from_millis(300);

/// A server that the configuration or the environment names.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) vendor: Vendor,
    pub(crate) endpoint: Endpoint,
    /// Whether somebody has set it up, by its address or a key.
    configured: bool,
}

impl Server {
    /// The vendor's server, as configured or by default.
    pub(crate) fn of(
        vendor: Vendor,
        config: &Config,
        environment: Environment,
    ) -> Result<Self, Error> {
        let (key, secret) = match vendor {
            Vendor::OpenAi => (Key::OpenaiBaseUrl, Some("OPENAI_API_KEY")),
            Vendor::Anthropic => (Key::AnthropicBaseUrl, Some("ANTHROPIC_API_KEY")),
            Vendor::Gemini => (Key::GeminiBaseUrl, Some("GEMINI_API_KEY")),
            Vendor::Ollama => (Key::OllamaHost, None),
        };
        let address = config.text(key);
        let base_url = match (vendor, address) {
            (_, None) => vendor.default_base_url().to_owned(),
            (Vendor::OpenAi | Vendor::Anthropic | Vendor::Gemini, Some(url)) => url.to_owned(),
            (Vendor::Ollama, Some(host)) => ollama_base_url(host)
                .map_err(|error| wrong_endpoint(&error, &config.setting(key).origin.to_string()))?,
        };
        let api_key = secret.and_then(|name| environment.variable(name));
        let endpoint = Endpoint::new(base_url);
        let endpoint = match api_key {
            Some(api_key) => endpoint.with_key(api_key.trim().to_owned()),
            None => endpoint,
        };
        let configured = address.is_some() || endpoint.api_key.is_some();
        Ok(Self { vendor, endpoint, configured })
    }

    /// Refuses to send a task to a vendor that is bound to refuse it.
    pub(crate) fn may_be_asked(&self) -> Result<(), Error> {
        let variable = match self.vendor {
            Vendor::OpenAi => "OPENAI_API_KEY",
            Vendor::Anthropic => "ANTHROPIC_API_KEY",
            Vendor::Gemini => "GEMINI_API_KEY",
            Vendor::Ollama => return Ok(()),
        };
        if self.configured {
            return Ok(());
        }
        let vendor = self.vendor.name();
        let message = format!("{vendor} has to be given a key, and {variable} is not set");
        let help = format!(
            "export {variable}=…, or name a server that asks for none: `{vendor}.base_url`"
        );
        Err(Error::config("no_key", message, help))
    }

    /// The names of its models.
    pub(crate) async fn models(&self, config: &Config) -> Result<Vec<String>, Error> {
        let listed = list_models(self.vendor, &self.endpoint, options(config).timeouts).await;
        listed.map_err(|error| Error::provider(&error))
    }

    /// What it says of one of its models.
    pub(crate) async fn describe(
        &self,
        model: &ServedModel,
        config: &Config,
    ) -> Result<ModelDescription, Error> {
        let described = describe(model, &self.endpoint, options(config).timeouts).await;
        described.map_err(|error| Error::provider(&error))
    }

    /// The model that is used where only the server is known.
    async fn first_model(&self, config: &Config) -> Result<ServedModel, Error> {
        let vendor = self.vendor;
        let own = self.endpoint.base_url.trim_end_matches('/') == vendor.default_base_url();
        // What a vendor lists of its own is long and in no order; of it one is the default.
        if let (true, Some(known)) = (own, known_models(vendor).first()) {
            return Ok(ServedModel { vendor, model: known.name.clone() });
        }
        let first = self.models(config).await?.into_iter().next();
        first.map(|model| ServedModel { vendor, model }).ok_or_else(|| {
            let message = format!("the server at {} has no model", self.endpoint.base_url);
            let help = match vendor {
                Vendor::OpenAi | Vendor::Anthropic | Vendor::Gemini => {
                    "load a model in the server, or name one: `-m PROVIDER/MODEL`"
                }
                Vendor::Ollama => "fetch one: `ollama pull qwen3-coder`",
            };
            Error::config("server_without_models", message, help)
        })
    }

    /// Whether it answers at once with at least one model.
    async fn answers(&self) -> bool {
        let timeouts = Timeouts { connect: PROBE, idle: PROBE };
        let models = list_models(self.vendor, &self.endpoint, timeouts);
        matches!(time::timeout(PROBE, models).await, Ok(Ok(models)) if !models.is_empty())
    }
}

/// The servers that are set up, or simply there.
pub(crate) async fn servers(
    config: &Config,
    environment: Environment,
) -> Result<Vec<Server>, Error> {
    let mut found = Vec::new();
    for vendor in Vendor::ALL {
        let server = Server::of(vendor, config, environment)?;
        if server.configured || (vendor == Vendor::Ollama && server.answers().await) {
            found.push(server);
        }
    }
    Ok(found)
}

/// The model that is to be used.
pub(crate) async fn choose(config: &Config, environment: Environment) -> Result<ModelName, Error> {
    if let Some(name) = config.text(Key::Model) {
        let Some(vendor) = Vendor::named(name.trim().trim_end_matches('/')) else {
            return named(name, &config.setting(Key::Model).origin);
        };
        let server = Server::of(vendor, config, environment)?;
        return server.first_model(config).await.map(ModelName::Served);
    }
    // In order, so that a server that is set up is not kept waiting for one that may be there.
    for vendor in Vendor::ALL {
        let server = Server::of(vendor, config, environment)?;
        if server.configured || (vendor == Vendor::Ollama && server.answers().await) {
            return server.first_model(config).await.map(ModelName::Served);
        }
    }
    Err(no_model())
}

fn named(name: &str, origin: &Origin) -> Result<ModelName, Error> {
    ModelName::parse(name).map_err(|error| {
        let message = format!("{origin}: {error}");
        let help = "`agent models` lists the models of every provider that is set up";
        match origin {
            Origin::Flag(_) => Error::usage("model", message, help),
            Origin::Default | Origin::File { .. } | Origin::Environment(_) => {
                Error::config("model", message, help)
            }
        }
    })
}

fn no_model() -> Error {
    let help = "set up one of these:\n\
                - OpenAI: export OPENAI_API_KEY=sk-…\n\
                - Anthropic: export ANTHROPIC_API_KEY=sk-ant-…\n\
                - Gemini: export GEMINI_API_KEY=…\n\
                - an OpenAI-compatible server (llama.cpp, vLLM, LM Studio): \
                export OPENAI_BASE_URL=http://127.0.0.1:8080/v1\n\
                - Ollama: start it with `ollama serve`; on another machine: export OLLAMA_HOST=HOST\n\
                then choose a model with `-m PROVIDER/MODEL`, AGENT_MODEL or `agent config set model \
                PROVIDER/MODEL`; without one the first is taken.\n\
                To watch a whole job without any: `agent demo`";
    Error::config("no_model", "no model is set up".to_owned(), help)
}

/// The provider of the model that is to be used.
pub(crate) async fn provider(
    config: &Config,
    environment: Environment,
) -> Result<Arc<dyn Provider>, Error> {
    let model = choose(config, environment).await?;
    provider_of(model, config, environment)
}

/// The provider of the model of that name.
pub(crate) fn named_provider(
    name: &str,
    config: &Config,
    environment: Environment,
) -> Result<Arc<dyn Provider>, Error> {
    let model = named(name, &config.setting(Key::EvaluatorModel).origin)?;
    provider_of(model, config, environment)
}

fn provider_of(
    model: ModelName,
    config: &Config,
    environment: Environment,
) -> Result<Arc<dyn Provider>, Error> {
    match model {
        ModelName::Replay(path) => replay(&path),
        ModelName::Served(model) => {
            let server = Server::of(model.vendor, config, environment)?;
            server.may_be_asked()?;
            connect(&model, &server.endpoint, &options(config))
                .map_err(|error| wrong_endpoint(&error, model.vendor.name()))
        }
    }
}

/// The same for a request with this intent. One that the program answers by itself needs no model.
pub(crate) async fn provider_for(
    intent: Option<Intent>,
    config: &Config,
    environment: Environment,
) -> Result<Arc<dyn Provider>, Error> {
    let provider = provider(config, environment).await;
    match (intent, provider) {
        (Some(Intent::Undo | Intent::Profile), Err(error)) if error.failure.code == NO_MODEL => {
            Ok(Arc::new(NoModel))
        }
        (_, provider) => provider,
    }
}

/// Stands where no model is set up, and none is asked.
struct NoModel;

impl Provider for NoModel {
    fn model(&self) -> &str {
        NONE
    }

    fn send(&self, _request: Request) -> DeltaStream {
        let why = "no model is set up";
        let error = agent_llm::Error::new(agent_llm::ErrorKind::BadRequest, NONE, why);
        Box::pin(stream::iter([Err(error)]))
    }
}

fn replay(path: &str) -> Result<Arc<dyn Provider>, Error> {
    let help = "name a recording that can be read: `-m replay/PATH`";
    let file = user_files::open(Path::new(path))
        .map_err(|error| Error::config("recording", format!("replay/{path}: {error}"), help))?;
    let scripted = Scripted::open(path, file)
        .map_err(|error| Error::config("recording", format!("replay/{path}: {error}"), help))?;
    Ok(Arc::new(scripted))
}

fn wrong_endpoint(error: &EndpointError, origin: &str) -> Error {
    let help = match error {
        EndpointError::ApiKey => "set OPENAI_API_KEY (ANTHROPIC_…, GEMINI_…) to the key alone",
        EndpointError::BaseUrl { .. } => {
            "set OPENAI_BASE_URL (ANTHROPIC_…, GEMINI_…), `openai.base_url` or `--base-url`"
        }
        EndpointError::OllamaHost(_) => "set OLLAMA_HOST, `ollama.host` or `--base-url`",
    };
    Error::config("endpoint", format!("{origin}: {error}"), help)
}

/// What the configuration says about calls.
fn options(config: &Config) -> Options {
    let small = |key| config.count(key).and_then(|count| u32::try_from(count).ok());
    let timeouts = Timeouts::default();
    let retry = RetryPolicy::default();
    let openai_api = match config.text(Key::OpenaiApi) {
        Some("responses") => OpenAiApi::Responses,
        Some(_) | None => OpenAiApi::Chat,
    };
    Options {
        openai_api,
        num_ctx: small(Key::OllamaNumCtx),
        keep_alive: config.text(Key::OllamaKeepAlive).map(str::to_owned),
        timeouts: Timeouts {
            connect: config.seconds(Key::HttpConnectTimeout).unwrap_or(timeouts.connect),
            idle: config.seconds(Key::HttpIdleTimeout).unwrap_or(timeouts.idle),
        },
        retry: RetryPolicy {
            max_attempts: small(Key::RetryMaxAttempts).unwrap_or(retry.max_attempts),
            total: config.seconds(Key::RetryMaxTotal).unwrap_or(retry.total),
            ..retry
        },
    }
}

#[cfg(test)]
mod tests {
    use agent_core::config::{Layer, Trust};

    use super::*;

    #[test]
    fn without_any_configuration_the_options_are_the_defaults_but_for_ollamas_window() {
        let expected = Options { num_ctx: Some(16_384), ..Options::default() };
        assert_eq!(options(&Config::layered([])), expected);
    }

    #[test]
    fn every_option_arrives() {
        let text = "[openai]\napi = 'responses'\n[ollama]\nnum_ctx = 1000\nkeep_alive = '5m'\n[http]\nconnect_timeout_seconds = 1\n\
                    idle_timeout_seconds = 2\n[retry]\nmax_attempts = 3\nmax_total_seconds = 4";
        let config = Config::layered([Layer::file("c", text, Trust::Full).unwrap()]);
        let expected = Options {
            openai_api: OpenAiApi::Responses,
            num_ctx: Some(1000),
            keep_alive: Some("5m".to_owned()),
            timeouts: Timeouts { connect: Duration::from_secs(1), idle: Duration::from_secs(2) },
            retry: RetryPolicy {
                max_attempts: 3,
                total: Duration::from_secs(4),
                ..RetryPolicy::default()
            },
        };
        assert_eq!(options(&config), expected);
    }
}
