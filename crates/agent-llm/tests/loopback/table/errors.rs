//! Errors as each vendor words them.

use serde_json::{Value, json};

use super::dialects::Trouble;

pub(super) fn openai_error(trouble: Trouble) -> Option<(u16, Value)> {
    let (status, kind, code, message) = match trouble {
        Trouble::Key => {
            (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-x.")
        }
        Trouble::Model => (
            404,
            "invalid_request_error",
            "model_not_found",
            "The model `m` does not exist or you do not have access to it.",
        ),
        Trouble::Rate => (
            429,
            "requests",
            "rate_limit_exceeded",
            "Rate limit reached for m on requests per min (RPM): Limit 3, Used 3.",
        ),
        Trouble::Quota => (
            429,
            "insufficient_quota",
            "insufficient_quota",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        Trouble::Overload => (
            503,
            "server_error",
            "server_error",
            "The server is currently overloaded with other requests.",
        ),
        Trouble::Window => (
            400,
            "invalid_request_error",
            "context_length_exceeded",
            "Your input exceeds the context window of this model.",
        ),
        Trouble::Filter => (
            400,
            "invalid_request_error",
            "invalid_prompt",
            "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        ),
        Trouble::Request => {
            (400, "invalid_request_error", "unknown_parameter", "Unknown parameter: 'x'.")
        }
    };
    Some((
        status,
        json!({"error": {"message": message, "type": kind, "param": null, "code": code}}),
    ))
}

pub(super) fn anthropic_error(trouble: Trouble) -> Option<(u16, Value)> {
    let (status, kind, message) = match trouble {
        Trouble::Key => (401, "authentication_error", "invalid x-api-key"),
        Trouble::Model => (404, "not_found_error", "model: m"),
        Trouble::Rate => {
            (429, "rate_limit_error", "This request would exceed your organization's rate limit.")
        }
        Trouble::Quota => (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API.",
        ),
        Trouble::Overload => (529, "overloaded_error", "Overloaded"),
        Trouble::Window => {
            (400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum")
        }
        // A refusal is a reply: it has a stop reason of its own.
        Trouble::Filter => return None,
        Trouble::Request => {
            (400, "invalid_request_error", "messages: at least one message is required")
        }
    };
    Some((
        status,
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}),
    ))
}

pub(super) fn gemini_error(trouble: Trouble) -> Option<(u16, Value)> {
    let mut details = json!([]);
    let (code, status, message) = match trouble {
        Trouble::Key => {
            details = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
            (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
        }
        Trouble::Model => (404, "NOT_FOUND", "models/m is not found for API version v1beta"),
        Trouble::Rate => {
            details =
                json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}]);
            (429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).")
        }
        Trouble::Quota => {
            details = json!([{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]);
            (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.")
        }
        Trouble::Overload => {
            (503, "UNAVAILABLE", "The model is overloaded. Please try again later.")
        }
        Trouble::Window => (
            400,
            "INVALID_ARGUMENT",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        // A blocked prompt is a response without a candidate.
        Trouble::Filter => return None,
        Trouble::Request => (400, "INVALID_ARGUMENT", "Invalid JSON payload received."),
    };
    Some((
        code,
        json!({"error": {"code": code, "message": message, "status": status, "details": details}}),
    ))
}

pub(super) fn ollama_error(trouble: Trouble) -> Option<(u16, Value)> {
    let (status, message) = match trouble {
        Trouble::Key => (401, "unauthorized"),
        Trouble::Model => (404, "model \"m\" not found, try pulling it first"),
        Trouble::Rate => (429, "too many requests"),
        Trouble::Overload => {
            (503, "server busy, please try again. maximum pending requests exceeded")
        }
        Trouble::Window => (400, "prompt too long; exceeded max context length by 5 tokens"),
        Trouble::Quota | Trouble::Filter => return None,
        Trouble::Request => (400, "invalid options: x"),
    };
    Some((status, json!({"error": message})))
}
