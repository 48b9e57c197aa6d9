//! What is taken out, and what stays.

use super::*;

fn a(count: usize) -> String {
    "a1B2".repeat(count)
}

fn line() -> String {
    "q7Rk2LmX9pTz4VbN8sWc".repeat(4)[..64].to_owned()
}

#[test]
fn secrets_go_and_everything_else_stays() {
    let variables = [
        ("MY_API_KEY", "hunter2-hunter2"),
        ("DB_PASSWORD", "short"),
        ("HOME", "/srv/someone"),
        ("DEPLOY_TOKEN", "hunter2-hunter2-and-more"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let redactor = Redactor::of_variables(variables);
    for (text, expected) in [
        ("key = \"hunter2-hunter2\"".to_owned(), format!("key = \"{MARK}\"")),
        ("hunter2-hunter2-and-more".to_owned(), MARK.to_owned()),
        ("short /srv/someone hunter2".to_owned(), "short /srv/someone hunter2".to_owned()),
        (format!("k: sk-{}.", a(10)), format!("k: {MARK}.")),
        (format!("sk-ant-{}\nx", a(6)), format!("{MARK}\nx")),
        (format!("ghp_{}", a(9)), MARK.to_owned()),
        (format!("ghp_{}", a(2)), format!("ghp_{}", a(2))),
        (format!("AKIA{}", "ABCD1234".repeat(2)), MARK.to_owned()),
        (format!("xAKIA{}", "ABCD1234".repeat(2)), format!("xAKIA{}", "ABCD1234".repeat(2))),
        (
            "sk-a-very-long-css-class-name-without-any-number".to_owned(),
            "sk-a-very-long-css-class-name-without-any-number".to_owned(),
        ),
        (format!("eyJ{}.eyJ{}.{}", a(5), a(5), a(5)), MARK.to_owned()),
        (format!("SG.{}.{}.", a(5), a(10)), format!("{MARK}.")),
        ("Authorization: Bearer abcdefgh.123".to_owned(), format!("Authorization: Bearer {MARK}")),
        (
            "authorization: Basic dXNlcjpwYXNz\r\n".to_owned(),
            format!("authorization: Basic {MARK}\r\n"),
        ),
        ("Authorization: Bearer {token}".to_owned(), "Authorization: Bearer {token}".to_owned()),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
                .to_owned(),
            format!("-----BEGIN RSA PRIVATE KEY-----\n{MARK}\n-----END RSA PRIVATE KEY-----"),
        ),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabcd\n… cut off here".to_owned(),
            format!("-----BEGIN PRIVATE KEY-----\n{MARK}\n… cut off here"),
        ),
        // Within a key, as a search or a part of a file shows it.
        (line(), MARK.to_owned()),
        (
            format!("12 | {}\n13 | MIIEowIBAAKCAQ==\n14 | end\n", line()),
            format!("12 | {MARK}\n13 | {MARK}\n14 | end\n"),
        ),
        (
            "find \"PRIVATE KEY-----\" in it".to_owned(),
            "find \"PRIVATE KEY-----\" in it".to_owned(),
        ),
        ("a\u{202e}b\u{e0041}c".to_owned(), "a<U+202E>b<U+E0041>c".to_owned()),
        ("👨\u{200d}👩 ünï".to_owned(), "👨\u{200d}👩 ünï".to_owned()),
        (String::new(), String::new()),
    ] {
        assert_eq!(redactor.clean(&text), expected, "{text}");
    }
    assert!(matches!(redactor.clean("let x = 3;"), Cow::Borrowed(_)));
}

#[test]
fn a_name_tells_a_secret_where_its_value_is_one() {
    let redactor = Redactor::default();
    let found = |text: &str| redactor.redacted(text).into_owned();
    for (text, expected) in [
        ("DB_PASSWORD=correct-horse", format!("DB_PASSWORD={MARK}")),
        ("export STRIPE_KEY=abcd1234abcd\n", format!("export STRIPE_KEY={MARK}\n")),
        ("password = \"tr0ub4dor-and-3\"", format!("password = \"{MARK}\"")),
        (r#"{"api_key": "abcd1234abcd"}"#, format!(r#"{{"api_key": "{MARK}"}}"#)),
        (r#"{\"apiKey\": \"abcd1234abcd\"}"#, format!(r#"{{\"apiKey\": \"{MARK}\"}}"#)),
        ("client-secret: abcd1234abcd\n", format!("client-secret: {MARK}\n")),
        ("X-Api-Key: abcd1234abcd", format!("X-Api-Key: {MARK}")),
        ("postgres://me:s3cr3t-pw@db/x", format!("postgres://me:{MARK}@db/x")),
    ] {
        assert_eq!(found(text), expected);
    }
    for code in [
        "let token = parse_token(&mut input_2)?;",
        "token: next_token_of_4_or_more,",
        "API_KEY = os.environ[\"API_KEY\"]",
        "password: String,",
        "const KEY: &str = \"some-key-name-1\";",
        "key = \"cache-key-12345\"",
        "DB_PASSWORD=$PASSWORD_FROM_VAULT",
        "DB_PASSWORD=${PASSWORD}",
        "DB_PASSWORD=xxxxxxxxxxxx",
        "SECRET_KEY=",
        "https://user@host/path and http://host:8080/x@y",
        "postgres://postgres:postgres@localhost/db",
        "redis://:password@localhost",
        "if self.token == Token::Key2 { tokens: 12345678901234 }",
        "max_tokens=123456789012",
        "sha256: 0123456789abcdef0123456789abcdef",
        "PUBLIC_KEY_FILE=/etc/ssl/certs/1234/abc.pem",
    ] {
        assert_eq!(found(code), code);
    }
}

#[test]
fn texts_in_a_value_are_cleaned_wherever_they_stand_and_it_is_told() {
    let redactor = Redactor::of_values(["sk-very\"secret".to_owned(), "short".to_owned()]);
    let mut value = serde_json::json!({
        "a": ["x sk-very\"secret y", 1, null],
        "sk-very\"secret": { "arguments": "{\"key\": \"sk-very\\\"secret\"}" },
        "b": "short",
        "password": "tr0ub4dor-and-3",
    });
    assert!(redactor.redact_value(&mut value));
    let expected = serde_json::json!({
        "a": [format!("x {MARK} y"), 1, null],
        MARK: { "arguments": format!("{{\"key\": \"{MARK}\"}}") },
        "b": "short",
        "password": MARK,
    });
    assert_eq!(value, expected);
    assert!(!redactor.redact_value(&mut value));
    assert!(redactor.finds_in(b"..sk-very\"secret") && !redactor.finds_in(b"short"));
    assert!(redactor.finds_in(b"\xff..sk-very\"secret") && !redactor.finds_in(b"\xffshort"));
}

#[test]
fn what_looks_random_is_suspected() {
    let redactor = Redactor::default();
    for (text, suspected) in [
        ("use q7Rk2LmX9pTz4VbN8sWc1YdF", true),
        ("AbstractSingletonProxyFactoryBeanForTests2", false),
        ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", false),
        ("tests run with `make check`, and take 12 minutes", false),
        ("0199f3c1-2a4b-7c3d-9e8f-0123456789ab", false),
    ] {
        assert_eq!(redactor.suspects(text), suspected, "{text}");
    }
}

#[test]
fn a_mark_is_new_only_where_there_are_more_of_them() {
    let one = MARK.as_bytes();
    assert!(writes_a_mark(b"", one));
    assert!(!writes_a_mark(one, one));
    assert!(!writes_a_mark(one, b"x"));
}
