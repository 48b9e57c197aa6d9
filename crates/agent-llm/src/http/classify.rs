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
                let labels = ["type", "code"].into_iter().filter_map(label).collect();
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
                "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" => {
                    return ErrorKind::QuotaExceeded;
                }
                "context_length_exceeded" | "exceed_context_size_error" => {
                    return ErrorKind::ContextTooLong;
                }
                "content_filter" | "content_policy_violation" => return ErrorKind::Filtered,
                _ => {}
            }
        }
        let Some(status) = status else { return self.kind_by_label() };
        match status {
            401 | 403 => ErrorKind::Unauthorized,
            402 => ErrorKind::QuotaExceeded,
            404 => ErrorKind::NotFound,
            413 => ErrorKind::ContextTooLong,
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
                "authentication_error" | "invalid_api_key" => return ErrorKind::Unauthorized,
                "not_found_error" | "model_not_found" => return ErrorKind::NotFound,
                "invalid_request_error" if !self.speaks_of_the_window() => {
                    return ErrorKind::BadRequest;
                }
                _ => {}
            }
        }
        if self.speaks_of_the_window() { ErrorKind::ContextTooLong } else { ErrorKind::Overloaded }
    }

    /// OpenAI and vLLM: "This model's maximum context length is 8192 tokens". Ollama: "prompt too
    /// long; exceeded max context length by 5 tokens", "the input length exceeds the context
    /// length". llama.cpp: "exceeds the available context size".
    fn speaks_of_the_window(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        let phrases = [
            "maximum context length",
            "max context length",
            "exceeds the context length",
            "exceeds the available context size",
            "exceeds the context window",
        ];
        phrases.iter().any(|phrase| message.contains(phrase))
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::*;

    fn told(status: u16, body: &str) -> (ErrorKind, String) {
        let error = classify("p", status, None, body.as_bytes());
        assert_eq!(error.status, Some(status));
        (error.kind, error.message)
    }

    #[test]
    fn the_status_decides_where_the_body_says_nothing() {
        use ErrorKind::*;
        let cases = [
            (400, BadRequest),
            (401, Unauthorized),
            (402, QuotaExceeded),
            (403, Unauthorized),
            (404, NotFound),
            (405, BadRequest),
            (408, Overloaded),
            (413, ContextTooLong),
            (422, BadRequest),
            (429, RateLimited),
            (500, Overloaded),
            (502, Overloaded),
            (503, Overloaded),
            (504, Overloaded),
            (529, Overloaded),
        ];
        for (status, kind) in cases {
            assert_eq!(told(status, "").0, kind, "{status}");
        }
        assert_eq!(told(503, "").1, "HTTP 503 without an explanation");
    }

    #[test]
    fn every_shape_of_body_is_read() {
        use ErrorKind::*;
        let cases = [
            // OpenAI
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
                ContextTooLong,
                "This model's maximum context length is 128000 tokens. (HTTP 400)",
            ),
            (
                429,
                r#"{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#,
                QuotaExceeded,
                "You exceeded your current quota. (HTTP 429); the account's quota or credit is used up, so waiting does not help",
            ),
            (
                429,
                r#"{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}"#,
                RateLimited,
                "Rate limit reached (HTTP 429)",
            ),
            (
                400,
                r#"{"error":{"message":"The response was filtered","type":null,"code":"content_filter"}}"#,
                Filtered,
                "The response was filtered (HTTP 400)",
            ),
            // llama.cpp
            (
                400,
                r#"{"error":{"code":400,"message":"request (9030 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9030,"n_ctx":8192}}"#,
                ContextTooLong,
                "request (9030 tokens) exceeds the available context size (8192 tokens), try increasing it (HTTP 400)",
            ),
            // Ollama
            (
                404,
                r#"{"error":"model \"nope\" not found, try pulling it first"}"#,
                NotFound,
                "model \"nope\" not found, try pulling it first (HTTP 404)",
            ),
            (
                400,
                r#"{"error":"prompt too long; exceeded max context length by 5 tokens"}"#,
                ContextTooLong,
                "prompt too long; exceeded max context length by 5 tokens (HTTP 400)",
            ),
            (
                500,
                r#"{"error":"the input length exceeds the context length"}"#,
                ContextTooLong,
                "the input length exceeds the context length (HTTP 500)",
            ),
            // vLLM without an `error` around it, FastAPI, Gemini's list, and no JSON at all
            (
                400,
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}"#,
                ContextTooLong,
                "This model's maximum context length is 4096 tokens. (HTTP 400)",
            ),
            (403, r#"{"detail":"Forbidden"}"#, Unauthorized, "Forbidden (HTTP 403)"),
            (
                422,
                r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#,
                BadRequest,
                r#"[{"loc":["body"],"msg":"field required"}] (HTTP 422)"#,
            ),
            (400, r#"[{"error":{"code":400,"message":"no"}}]"#, BadRequest, "no (HTTP 400)"),
            (
                502,
                "<html>\r\n<h1>502 Bad\u{1b}[31m Gateway</h1>\r\n",
                Overloaded,
                "<html> <h1>502 Bad [31m Gateway</h1> (HTTP 502)",
            ),
            (400, r#"{"error":null}"#, BadRequest, r#"{"error":null} (HTTP 400)"#),
        ];
        for (status, body, kind, message) in cases {
            assert_eq!(told(status, body), (kind, message.to_owned()), "{body}");
        }
    }

    #[test]
    fn long_bodies_are_bounded() {
        let (_, message) = told(500, &"é".repeat(10_000));
        assert_eq!(message, format!("{}… (HTTP 500)", "é".repeat(500)));
        let (_, message) = told(500, &"é ".repeat(10_000));
        assert_eq!(message.chars().count(), 500 + "… (HTTP 500)".chars().count());
    }

    #[test]
    fn an_error_inside_a_reply_goes_by_its_labels() {
        use ErrorKind::*;
        let cases = [
            (json!({"message": "x", "type": "server_error"}), Overloaded, None),
            (json!({"message": "x", "code": 429}), RateLimited, Some(429)),
            (json!({"message": "x", "code": "rate_limit_exceeded"}), RateLimited, None),
            (json!({"message": "x", "type": "authentication_error"}), Unauthorized, None),
            (json!({"message": "x", "type": "not_found_error"}), NotFound, None),
            (json!({"message": "x", "type": "invalid_request_error"}), BadRequest, None),
            (json!({"message": "x", "type": "exceed_context_size_error"}), ContextTooLong, None),
            (json!({"message": "x", "code": 99999}), Overloaded, None),
            (json!("model runner has unexpectedly stopped"), Overloaded, None),
            (json!("exceeded max context length by 1 tokens"), ContextTooLong, None),
        ];
        for (error, kind, status) in cases {
            let told = classify_inside("p", &error).unwrap();
            assert_eq!((told.kind, told.status), (kind, status), "{error}");
        }
        assert_eq!(classify_inside("p", &json!(null)), None);
    }

    #[test]
    fn retry_after_is_read_in_all_its_forms() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_777); // Sun, 06 Nov 1994 08:49:37 GMT
        let ask = |name: &'static str, value: &'static str| {
            retry_after(move |asked| (asked == name).then_some(value), now)
        };
        let seconds = |s| Some(Duration::from_secs(s));
        assert_eq!(ask("retry-after", "0"), seconds(0));
        assert_eq!(ask("retry-after", " 7 "), seconds(7));
        assert_eq!(ask("retry-after", "1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(ask("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(ask("retry-after", "Sun, 06 Nov 1994 08:49:50 GMT"), seconds(13));
        assert_eq!(ask("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT"), seconds(0));
        for bad in ["", "-1", "soon", "NaN", "1e300"] {
            assert_eq!(ask("retry-after", bad), None, "{bad:?}");
        }
        assert_eq!(ask("date", "1"), None);
    }
}
