//! From configuration to a provider.

use std::sync::Arc;

use serde_json::Value;

use crate::http::{Http, classify};
use crate::ollama::chat::Ollama;
use crate::openai::OpenAi;
use crate::{
    Endpoint, EndpointError, Error, Options, Provider, Retrying, ServedModel, Timeouts, Vendor,
};

/// The provider for a model on a server, with retries.
///
/// Nothing is sent, and no file is read, before the provider's first call.
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
    let (name, wire_name, retry) = (model.to_string(), model.model.clone(), options.retry);
    Ok(match model.vendor {
        Vendor::OpenAi => Arc::new(Retrying::new(OpenAi::new(http, name, wire_name), retry)),
        Vendor::Ollama => {
            Arc::new(Retrying::new(Ollama::new(http, name, wire_name, options.clone()), retry))
        }
    })
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
        Vendor::Ollama => ("/api/tags", "models", "name"),
    };
    let answer = http.get(path).await?;
    let Some(models) = answer.get(list).and_then(Value::as_array) else {
        return Err(classify::not_a_reply(http.provider(), answer.to_string().as_bytes()));
    };
    let names = models.iter().filter_map(|model| model.get(name)?.as_str().map(str::to_owned));
    Ok(names.collect())
}
