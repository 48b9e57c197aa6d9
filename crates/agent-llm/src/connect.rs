//! From configuration to a provider.

use std::sync::Arc;

use serde_json::Value;

use crate::anthropic::Anthropic;
use crate::client::{Client, Format};
use crate::gemini::Gemini;
use crate::http::{Http, classify};
use crate::ollama::Ollama;
use crate::openai::OpenAiChat;
use crate::responses::OpenAiResponses;
use crate::{
    Endpoint, EndpointError, Error, OpenAiApi, Options, Provider, RetryPolicy, Retrying,
    ServedModel, Timeouts, Vendor,
};

/// The provider for a model on a server, with retries.
///
/// Nothing is sent, and no file is read, before the provider's first call.
///
/// # Examples
///
/// OpenAI, through chat completions:
///
/// ```
/// use agent_llm::{Endpoint, OpenAiApi, Options, ServedModel, Vendor, connect};
///
/// let model = ServedModel { vendor: Vendor::OpenAi, model: "gpt-5.4".to_owned() };
/// let endpoint = Endpoint::new(Vendor::OpenAi.default_base_url()).with_key("sk-123".to_owned());
/// let provider = connect(&model, &endpoint, &Options::default())?;
/// assert_eq!(provider.model(), "openai/gpt-5.4");
///
/// // The Responses API, which keeps the model's reasoning from step to step:
/// let options = Options { openai_api: OpenAiApi::Responses, ..Options::default() };
/// let provider = connect(&model, &endpoint, &options)?;
/// # Ok::<(), agent_llm::EndpointError>(())
/// ```
///
/// A compatible server of one's own, which asks for no key:
///
/// ```
/// # use agent_llm::{Endpoint, Options, ServedModel, Vendor, connect};
/// let model = ServedModel { vendor: Vendor::OpenAi, model: "qwen2.5-coder".to_owned() };
/// let endpoint = Endpoint::new("http://127.0.0.1:8080/v1");
/// let provider = connect(&model, &endpoint, &Options::default())?;
/// # Ok::<(), agent_llm::EndpointError>(())
/// ```
///
/// Anthropic and Gemini:
///
/// ```
/// # use agent_llm::{Endpoint, Options, ServedModel, Vendor, connect};
/// for (vendor, model) in
///     [(Vendor::Anthropic, "claude-sonnet-5-5"), (Vendor::Gemini, "gemini-3.8-flash")]
/// {
///     let model = ServedModel { vendor, model: model.to_owned() };
///     let endpoint = Endpoint::new(vendor.default_base_url()).with_key("key".to_owned());
///     let provider = connect(&model, &endpoint, &Options::default())?;
/// }
/// # Ok::<(), agent_llm::EndpointError>(())
/// ```
///
/// Ollama, with a window that it is told to have:
///
/// ```
/// use agent_llm::{Endpoint, ModelName, Options, connect, ollama_base_url};
///
/// let ModelName::Served(model) = ModelName::parse("ollama/qwen3:8b")? else { unreachable!() };
/// let endpoint = Endpoint::new(ollama_base_url("192.168.0.7")?);
/// let options = Options { num_ctx: Some(16_384), ..Options::default() };
/// let provider = connect(&model, &endpoint, &options)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`EndpointError`] where the base URL or the key can't be used.
pub fn connect(
    model: &ServedModel,
    endpoint: &Endpoint,
    options: &Options,
) -> Result<Arc<dyn Provider>, EndpointError> {
    let http = Http::new(model.vendor, endpoint, options.timeouts)?;
    let name = model.model.clone();
    let host = http.host().to_owned();
    let at = At { http, name: model.to_string(), retry: options.retry };
    Ok(match model.vendor {
        Vendor::OpenAi => match options.openai_api {
            OpenAiApi::Chat => at.speaking(OpenAiChat::new(&host, name)),
            OpenAiApi::Responses => at.speaking(OpenAiResponses::new(name)),
        },
        Vendor::Anthropic => at.speaking(Anthropic::new(name)),
        Vendor::Gemini => at.speaking(Gemini::new(name)),
        Vendor::Ollama => at.speaking(Ollama::new(name, options.clone())),
    })
}

/// A server and a model there, whatever they speak.
struct At {
    http: Http,
    name: String,
    retry: RetryPolicy,
}

impl At {
    fn speaking<F: Format>(self, format: F) -> Arc<dyn Provider> {
        Arc::new(Retrying::new(Client::new(self.http, self.name, format), self.retry))
    }
}

/// The names of the models that a server has, in its order.
///
/// # Errors
///
/// As of a call, without retries.
pub async fn list_models(
    vendor: Vendor,
    endpoint: &Endpoint,
    timeouts: Timeouts,
) -> Result<Vec<String>, Error> {
    let http = Http::new(vendor, endpoint, timeouts).map_err(|error| {
        Error::new(crate::ErrorKind::BadRequest, vendor.name(), error.to_string())
    })?;
    let (path, list, name) = match vendor {
        Vendor::OpenAi => ("/models", "data", "id"),
        Vendor::Anthropic => ("/v1/models?limit=1000", "data", "id"),
        Vendor::Gemini => ("/v1beta/models?pageSize=1000", "models", "name"),
        Vendor::Ollama => ("/api/tags", "models", "name"),
    };
    let answer = http.get(path).await?;
    let Some(models) = answer.get(list).and_then(Value::as_array) else {
        return Err(classify::not_a_reply(http.provider(), answer.to_string().as_bytes()));
    };
    let names = models.iter().filter(|model| chats(model)).filter_map(|model| {
        let name = model.get(name)?.as_str()?;
        // Gemini's models are resources, and named like that.
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    });
    Ok(names.collect())
}

/// Whether a listed model writes text at all, where its server says so.
fn chats(model: &Value) -> bool {
    let methods = model.get("supportedGenerationMethods").and_then(Value::as_array);
    methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
}
