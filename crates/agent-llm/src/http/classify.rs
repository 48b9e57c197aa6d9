//! What a failed response means.
//!
//! Vendors agree on little more than the status code: the reason lies in an `error` object, an
//! `error` string, a `detail`, or plain text. This module is the one place that reads them all.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::{Error, ErrorKind};

/// The most characters of a server's words that an error shows.
const SHOWN: usize = 500;

/// Says what a response with a status that is no success means.
pub(crate) fn classify(
    provider: &str,
    status: u16,
    retry_after: Option<Duration>,
    body: &[u8],
) -> Error {
    let said = Said::read(body);
    let kind = said.kind(Some(status));
    let mut message = if said.message.is_empty() {
        format!("HTTP {status} without an explanation")
    } else {
        format!("{} (HTTP {status})", shown(&said.message))
    };
    if kind == ErrorKind::QuotaExceeded {
        message.push_str("; the account's quota or credit is used up, so waiting does not help");
    }
    let retry_after = retry_after.or_else(|| retry_delay(body));
    Error { kind, provider: provider.to_owned(), message, status: Some(status), retry_after }
}

/// Says what the `error` inside a response with status 200 means; null is none.
pub(crate) fn classify_inside(provider: &str, error: &Value) -> Option<Error> {
    let said = Said::read_error(error)?;
    let kind = said.kind(said.status);
    let message = if said.message.is_empty() {
        "the server reports an error without an explanation".to_owned()
    } else {
        shown(&said.message)
    };
    Some(Error {
        kind,
        provider: provider.to_owned(),
        message,
        status: said.status,
        retry_after: None,
    })
}

/// A successful response whose body is no reply in any wire format.
pub(crate) fn not_a_reply(provider: &str, body: &[u8]) -> Error {
    let text = shown(&String::from_utf8_lossy(body));
    let message = format!("the body is not what the wire format promises; it begins with: {text}");
    Error::new(ErrorKind::BadReply, provider, message)
}

/// How long the headers ask to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
pub(crate) fn retry_after<'h>(
    header: impl Fn(&str) -> Option<&'h str>,
    now: SystemTime,
) -> Option<Duration> {
    let seconds = |text: &str| Duration::try_from_secs_f64(text.trim().parse().ok()?).ok();
    if let Some(millis) = header("retry-after-ms").and_then(seconds) {
        return Some(millis / 1000);
    }
    let value = header("retry-after")?;
    seconds(value).or_else(|| {
        let date = httpdate::parse_http_date(value.trim()).ok()?;
        // A date that has passed asks for no wait at all.
        Some(date.duration_since(now).unwrap_or_default())
    })
}

/// A server's words on one line, without control characters, and bounded.
pub(crate) fn shown(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > 4 * SHOWN {
            break;
        }
    }
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Stands for a quota that a day has to pass for.
const PER_DAY: &str = "per day";

/// What one of the `details` of a Google error says, as labels.
fn google_labels(detail: &Value) -> Vec<String> {
    let reason = detail.get("reason").and_then(Value::as_str).map(str::to_owned);
    let violations = detail.get("violations").and_then(Value::as_array);
    let quotas = violations
        .into_iter()
        .flatten()
        .filter_map(|violation| violation.get("quotaId").and_then(Value::as_str));
    let per_day = quotas.filter(|id| id.contains("PerDay")).map(|_| PER_DAY.to_owned());
    reason.into_iter().chain(per_day).collect()
}

/// How long the body of a Google error asks to wait: `"retryDelay": "37s"`.
fn retry_delay(body: &[u8]) -> Option<Duration> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let body = body.get(0).unwrap_or(&body);
    let details = body.get("error")?.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// What a body says about a failure.
#[derive(Default)]
struct Said {
    message: String,
    /// The `type` and `code` that came with it.
    labels: Vec<String>,
    /// A status inside the body.
    status: Option<u16>,
}

impl Said {
    fn read(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        let Ok(value) = serde_json::from_str::<Value>(&text) else {
            return Self { message: text.into_owned(), ..Self::default() };
        };
        // Gemini's compatible endpoint answers with a list of one.
        let value = value.get(0).unwrap_or(&value);
        // vLLM's older releases and FastAPI's own errors have no `error` around it.
        let error = value.get("error").or_else(|| value.get("detail")).unwrap_or(value);
        Self::read_error(error)
            .unwrap_or_else(|| Self { message: text.clone().into_owned(), ..Self::default() })
    }

    fn read_error(error: &Value) -> Option<Self> {
        match error {
            Value::Null => None,
            Value::String(message) => Some(Self { message: message.clone(), ..Self::default() }),
            Value::Object(fields) => {
                let label = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
                let message = label("message").unwrap_or_else(|| error.to_string());
                let mut labels: Vec<_> =
                    ["type", "code", "status"].into_iter().filter_map(label).collect();
                // OpenRouter answers 403 to what its moderation has flagged.
                if fields.get("metadata").is_some_and(|data| data.get("flagged_input").is_some()) {
                    labels.push("content_filter".to_owned());
                }
                let details = fields.get("details").and_then(Value::as_array);
                for detail in details.into_iter().flatten() {
                    labels.extend(google_labels(detail));
                }
                let status = fields.get("code").and_then(Value::as_u64);
                let status = status.filter(|code| (400..600).contains(code));
                Some(Self { message, labels, status: status.and_then(|s| s.try_into().ok()) })
            }
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Some(Self { message: error.to_string(), ..Self::default() })
            }
        }
    }

    fn kind(&self, status: Option<u16>) -> ErrorKind {
        for label in &self.labels {
            match label.as_str() {
                "insufficient_quota"
                | "billing_hard_limit_reached"
                | "billing_not_active"
                | "billing_error"
                | PER_DAY => return ErrorKind::QuotaExceeded,
                "context_length_exceeded" | "exceed_context_size_error" | "request_too_large" => {
                    return ErrorKind::ContextTooLong;
                }
                "content_filter" | "content_policy_violation" | "invalid_prompt" => {
                    return ErrorKind::Filtered;
                }
                // OpenAI answers 403 where a project may not use a model.
                "model_not_found" => return ErrorKind::NotFound,
                // Gemini answers 400 to a wrong key.
                "API_KEY_INVALID" => return ErrorKind::Unauthorized,
                _ => {}
            }
        }
        // Anthropic answers 400 to both.
        if self.message.contains("credit balance is too low")
            || self.message.contains("specified API usage limits")
        {
            return ErrorKind::QuotaExceeded;
        }
        if self.message.contains("content filtering policy") {
            return ErrorKind::Filtered; // Anthropic, with 400.
        }
        // Ollama answers 500, and would at every further try.
        if self.message.contains("requires more system memory") {
            return ErrorKind::BadRequest;
        }
        let Some(status) = status else { return self.kind_by_label() };
        match status {
            401 | 403 => ErrorKind::Unauthorized,
            402 => ErrorKind::QuotaExceeded,
            404 => ErrorKind::NotFound,
            413 => ErrorKind::ContextTooLong,
            // OpenAI's word for a request that is above the limit of a whole minute.
            429 if self.message.starts_with("Request too large") => ErrorKind::ContextTooLong,
            429 => ErrorKind::RateLimited,
            _ if self.speaks_of_the_window() => ErrorKind::ContextTooLong,
            408 | 500.. => ErrorKind::Overloaded,
            _ => ErrorKind::BadRequest,
        }
    }

    /// Without a status an error came after the server had begun to answer. What it does not name
    /// as the request's fault is taken for a breakdown of its own.
    fn kind_by_label(&self) -> ErrorKind {
        for label in &self.labels {
            match label.as_str() {
                "rate_limit_exceeded" | "rate_limit_error" => return ErrorKind::RateLimited,
                "authentication_error"
                | "permission_error"
                | "invalid_api_key"
                | "unsupported_country_region_territory" => return ErrorKind::Unauthorized,
                "not_found_error" => return ErrorKind::NotFound,
                // OpenAI's words for a field that is wrong.
                "unknown_parameter"
                | "unsupported_parameter"
                | "unsupported_value"
                | "missing_required_parameter"
                | "invalid_value"
                | "invalid_type" => return ErrorKind::BadRequest,
                _ => {}
            }
        }
        if self.speaks_of_the_window() {
            return ErrorKind::ContextTooLong;
        }
        // The most general label comes last: OpenAI puts it beside a code that says more.
        let fault = self.labels.iter().any(|label| label == "invalid_request_error");
        if fault { ErrorKind::BadRequest } else { ErrorKind::Overloaded }
    }

    /// OpenAI and vLLM: "This model's maximum context length is 8192 tokens". Ollama: "prompt too
    /// long; exceeded max context length by 5 tokens", "the input length exceeds the context
    /// length". llama.cpp: "exceeds the available context size". Anthropic: "prompt is too long:
    /// 208310 tokens > 200000 maximum", "input length and `max_tokens` exceed context limit".
    /// Gemini: "The input token count (1200000) exceeds the maximum number of tokens allowed". LM
    /// Studio: "the model is loaded with context length of only 4096 tokens, which is not enough".
    /// vLLM: "longer than the maximum model length of 4096". SGLang: "longer than the model's
    /// context length". xAI: "This model's maximum prompt length is 131072". Bedrock: "Input is too
    /// long for requested model". Moonshot: "exceeded model token limit". MiniMax: "context window
    /// exceeds limit". llama-cpp-python: "Requested tokens (5000) exceed context window of 4096".
    fn speaks_of_the_window(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        let phrases = [
            "maximum context length",
            "max context length",
            "exceeds the context length",
            "exceeds the available context size",
            "exceeds the context window",
            "prompt is too long",
            "exceed context limit",
            "exceeds the maximum number of tokens",
            "loaded with context length of only",
            "longer than the maximum model length",
            "longer than the model's context length",
            "maximum prompt length is",
            "input is too long for requested model",
            "exceeded model token limit",
            "context window exceeds limit",
            "exceed context window of",
            "please reduce the length of the messages",
        ];
        phrases.iter().any(|phrase| message.contains(phrase))
    }
}

#[cfg(test)]
mod tests;
