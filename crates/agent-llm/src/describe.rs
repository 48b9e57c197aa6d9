//! What a server says of a model.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::gemini::model_path;
use crate::http::Http;
use crate::{Endpoint, Error, ErrorKind, ServedModel, Timeouts, Vendor, model_facts};

/// What there is to know of a model before it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelDescription {
    /// The window in tokens: what its server says, or else its vendor's documentation. Of Ollama it
    /// is the most that the model can do; what it does is [`Options::num_ctx`](crate::Options).
    pub context_window: Option<u32>,
    /// The most tokens that a reply may have.
    pub max_output_tokens: Option<u32>,
    /// Whether it can call tools.
    pub tools: Support,
}

/// Whether a model can do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// Its server says so.
    Yes,
    /// Its server says that it can't.
    No,
    /// Its server does not say.
    Unknown,
}

/// Asks the server of a model about it: Ollama's `/api/show`, Anthropic's and Gemini's pages of
/// models, what compatible servers put into their list of models, and llama.cpp's `/props`.
///
/// # Errors
///
/// As of a call, without retries. [`ErrorKind::NotFound`] where the server has no such model.
pub async fn describe(
    model: &ServedModel,
    endpoint: &Endpoint,
    timeouts: Timeouts,
) -> Result<ModelDescription, Error> {
    let http = Http::new(model.vendor, endpoint, timeouts).map_err(|error| {
        Error::new(ErrorKind::BadRequest, model.vendor.name(), error.to_string())
    })?;
    let name = &model.model;
    let told = match model.vendor {
        Vendor::OpenAi => listed(&http, name).await?,
        Vendor::Anthropic => {
            let page = http.get(&format!("/v1/models/{name}")).await?;
            told(&page, &["max_input_tokens"], &["max_tokens"])
        }
        Vendor::Gemini => {
            let page = http.get(&model_path(name)).await?;
            told(&page, &["inputTokenLimit"], &["outputTokenLimit"])
        }
        Vendor::Ollama => {
            let body = Bytes::from(json!({ "model": name }).to_string());
            shown(&http.ask("/api/show", body).await?)
        }
    };
    let facts = model_facts(model.vendor, name);
    Ok(ModelDescription {
        context_window: told.context_window.or(facts.map(|facts| facts.context_window)),
        max_output_tokens: told.max_output_tokens.or(facts.map(|facts| facts.max_output_tokens)),
        tools: told.tools,
    })
}

/// The entry of a compatible server's list. vLLM says `max_model_len`, llama.cpp `meta.n_ctx`,
/// others `context_length`. A llama.cpp with one model takes any name for it.
async fn listed(http: &Http, name: &str) -> Result<ModelDescription, Error> {
    let list = http.get("/models").await?;
    let models = list.get("data").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let is_llama = |model: &Value| model["owned_by"] == "llamacpp";
    let entry = models.iter().find(|model| model["id"] == name).or(match models {
        [only] if is_llama(only) => Some(only),
        _ => None,
    });
    let Some(entry) = entry else {
        let message = format!("the server does not list {name:?}");
        return Err(Error::new(ErrorKind::NotFound, http.provider(), message));
    };
    let flat = told(entry, &["max_model_len", "context_length", "max_context_length"], &[]);
    let meta = told(&entry["meta"], &["n_ctx", "n_ctx_train"], &[]);
    let listed =
        ModelDescription { context_window: flat.context_window.or(meta.context_window), ..flat };
    if !is_llama(entry) {
        return Ok(listed);
    }
    // Its list tells what the model was trained for; what is served may be less.
    let props = http.get_beside("/props").await.unwrap_or_default();
    let served = told(&props["default_generation_settings"], &["n_ctx"], &[]);
    Ok(ModelDescription {
        context_window: served.context_window.or(listed.context_window),
        tools: match props["chat_template_caps"]["supports_tools"].as_bool() {
            Some(true) => Support::Yes,
            Some(false) => Support::No,
            None => Support::Unknown,
        },
        ..listed
    })
}

fn told(page: &Value, window: &[&str], output: &[&str]) -> ModelDescription {
    let count = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| page.get(*key)?.as_u64());
        found.and_then(|count| u32::try_from(count).ok())
    };
    ModelDescription {
        context_window: count(window),
        max_output_tokens: count(output),
        tools: Support::Unknown,
    }
}

/// Ollama names the window after the model's architecture.
fn shown(page: &Value) -> ModelDescription {
    let facts = &page["model_info"];
    let architecture = facts["general.architecture"].as_str().unwrap_or_default();
    let key = format!("{architecture}.context_length");
    let capabilities = page["capabilities"].as_array();
    let tools = match capabilities {
        None => Support::Unknown,
        Some(all) if all.iter().any(|one| one == "tools") => Support::Yes,
        Some(_) => Support::No,
    };
    ModelDescription { tools, ..told(facts, &[&key], &[]) }
}
