use crate::support::{Ended, Place, server};

const MODELS: &str = r#"{"data": [{"id": "first"}, {"id": "second"}]}"#;

fn models(arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    let place = Place::new();
    let mut all = vec!["models"];
    all.extend(arguments);
    let mut command = place.agent(&all);
    Ended::of(command.envs(variables.iter().copied()).output().expect("the program runs"))
}

#[test]
fn the_model_that_would_be_used_is_marked() {
    let url = server("200 OK", MODELS) + "/v1";
    let ended = models(&["openai"], &[("OPENAI_BASE_URL", &url)]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout, "openai/first  (would be used)\nopenai/second\n");
    let ended = models(&["openai", "-m", "openai/second", "--base-url", &url], &[]);
    assert_eq!(ended.stdout, "openai/first\nopenai/second  (would be used)\n");
}

#[test]
fn every_vendor_lists_its_models() {
    let url = server("200 OK", MODELS);
    let variables = [("ANTHROPIC_BASE_URL", url.as_str()), ("ANTHROPIC_API_KEY", "k")];
    let ended = models(&["anthropic"], &variables);
    assert_eq!(ended.stdout, "anthropic/first  (would be used)\nanthropic/second\n", "{ended:?}");

    let listed = r#"{"models": [{"name": "models/g", "supportedGenerationMethods": ["generateContent"]}, {"name": "models/e", "supportedGenerationMethods": ["embedContent"]}]}"#;
    let url = server("200 OK", listed);
    let variables = [("GEMINI_BASE_URL", url.as_str()), ("GEMINI_API_KEY", "k")];
    let ended = models(&["gemini"], &variables);
    assert_eq!(ended.stdout, "gemini/g  (would be used)\n", "{ended:?}");
}

#[test]
fn one_provider_that_answers_is_enough() {
    let url = server("200 OK", MODELS) + "/v1";
    let variables = [("OPENAI_BASE_URL", url.as_str()), ("OLLAMA_HOST", "127.0.0.1:9")];
    let ended = models(&[], &variables);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout, "openai/first  (would be used)\nopenai/second\n");
    assert!(ended.stderr.starts_with("warning: ollama"), "{ended:?}");
}

#[test]
fn where_none_answers_the_first_reason_decides() {
    let url = server("401 Unauthorized", "{}") + "/v1";
    let ended = models(&["openai"], &[("OPENAI_BASE_URL", &url)]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(11), ""), "{ended:?}");
    let ended = models(&["ollama"], &[("OLLAMA_HOST", "127.0.0.1:9")]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(12), ""), "{ended:?}");
}

#[test]
fn an_unknown_provider_is_a_usage_error() {
    let ended = models(&["nobody"], &[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("there is no provider `nobody`"), "{ended:?}");
}

#[test]
fn a_key_alone_stands_for_the_vendors_default_model() {
    let place = Place::new();
    // A closed port as a proxy: nothing of this test leaves the machine.
    let mut command = place.agent(&["run", "--output-format", "json", "do"]);
    command.env("OPENAI_API_KEY", "sk-test").env("HTTPS_PROXY", "http://127.0.0.1:9");
    command.env("AGENT_RETRY_MAX_ATTEMPTS", "1");
    let report = Ended::of(command.output().expect("the program runs")).json();
    let model = report["model"].as_str().unwrap_or_default();
    assert!(model.starts_with("openai/gpt-"), "{report}");
    assert_eq!(report["error"]["code"], "agent::provider::network", "{report}");
}
