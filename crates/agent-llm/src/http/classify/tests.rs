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
        // Anthropic
        (
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
            Overloaded,
            "Overloaded (HTTP 529)",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#,
            ContextTooLong,
            "prompt is too long: 208310 tokens > 200000 maximum (HTTP 400)",
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
            QuotaExceeded,
            "Your credit balance is too low to access the Anthropic API. (HTTP 400); the account's quota or credit is used up, so waiting does not help",
        ),
        (
            401,
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            Unauthorized,
            "invalid x-api-key (HTTP 401)",
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
            ContextTooLong,
            "Request exceeds the maximum size (HTTP 413)",
        ),
        // Gemini
        (
            400,
            r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#,
            Unauthorized,
            "API key not valid. Please pass a valid API key. (HTTP 400)",
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            ContextTooLong,
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576). (HTTP 400)",
        ),
        (
            429,
            r#"{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}]}}"#,
            QuotaExceeded,
            "Quota exceeded (HTTP 429); the account's quota or credit is used up, so waiting does not help",
        ),
        (
            503,
            r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#,
            Overloaded,
            "The model is overloaded. Please try again later. (HTTP 503)",
        ),
        // OpenAI, of a limit per minute that one request is above
        (
            429,
            r#"{"error":{"message":"Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 50000.","type":"tokens","code":"rate_limit_exceeded"}}"#,
            ContextTooLong,
            "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 50000. (HTTP 429)",
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

#[test]
fn a_wait_may_stand_in_the_body() {
    let body = r#"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37.5s"}]}}"#;
    let error = classify("p", 429, None, body.as_bytes());
    assert_eq!(
        (error.kind, error.retry_after),
        (ErrorKind::RateLimited, Some(Duration::from_millis(37_500)))
    );
    let told = classify("p", 429, Some(Duration::from_secs(1)), body.as_bytes());
    assert_eq!(told.retry_after, Some(Duration::from_secs(1)), "the header comes first");
    assert_eq!(classify("p", 429, None, b"{}").retry_after, None);
}
