//! What is known of the model that is used: its window, its price, and how it is best asked.

use std::time::Duration;

use agent_core::{
    Intent, Protocol, Settings,
    config::{Config, Key, Origin},
};
use agent_llm::{
    ModelDescription, ModelName, Price, Support, Timeouts, Vendor, describe, model_facts,
    prefers_json,
};
use tokio::time;

use super::Server;
use crate::{environment::Environment, error::Error};

/// The window of a model that nothing is known of. Most have more; one that has less says so, and
/// is believed.
const UNKNOWN_WINDOW: u32 = 32_768;

/// How long a server may take to tell of its model.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a server of one's own tells of its model, if it does so at once. Of the models of vendors
/// enough is known, and what the program answers by itself needs no model.
pub(crate) async fn described(
    model: &str,
    intent: Option<Intent>,
    config: &Config,
    environment: Environment,
) -> Result<Option<ModelDescription>, Error> {
    let Ok(ModelName::Served(served)) = ModelName::parse(model) else { return Ok(None) };
    let server = Server::of(served.vendor, config, environment)?;
    let is_own = match served.vendor {
        Vendor::Ollama => true,
        Vendor::OpenAi => server.endpoint.base_url.trim().starts_with("http://"),
        Vendor::Anthropic | Vendor::Gemini => false,
    };
    if !is_own || matches!(intent, Some(Intent::Undo | Intent::Profile)) {
        return Ok(None);
    }
    let timeouts = Timeouts { connect: PATIENCE, idle: PATIENCE };
    let told = time::timeout(PATIENCE, describe(&served, &server.endpoint, timeouts)).await;
    // Whatever is wrong with the server, the first call finds out, and says so better.
    Ok(told.ok().and_then(Result::ok))
}

/// The settings for the model of that name.
pub(crate) fn for_model(
    settings: Settings,
    (model, described): (&str, Option<&ModelDescription>),
    config: &Config,
    environment: Environment,
) -> Result<Settings, Error> {
    let told = described.and_then(|told| told.context_window);
    let window = window(model, told, config);
    let price = price(model, config, environment)?;
    if settings.budget.cost.is_some() && price.is_none() {
        return Err(unknown_price(model, &config.setting(Key::MaxCost).origin));
    }
    let tools = described.map_or(Support::Unknown, |told| told.tools);
    Ok(suited(Settings { price, window, ..settings }, config, model, tools))
}

/// The settings as they suit a model, where nobody has chosen.
fn suited(mut settings: Settings, config: &Config, model: &str, tools: Support) -> Settings {
    let is_recorded = model.starts_with("replay/");
    let is_weak = tools == Support::No || prefers_json(model);
    if settings.protocol == Protocol::Auto && !is_recorded && is_weak {
        settings.protocol = Protocol::Json;
    }
    if config.text(Key::Planner) == Some("auto") && model.starts_with("ollama/") {
        settings.planner = true;
    }
    settings
}

fn window(model: &str, told: Option<u32>, config: &Config) -> Option<u32> {
    let count = |key| config.count(key).and_then(|count| u32::try_from(count).ok());
    let configured = count(Key::ContextWindow);
    let known = match ModelName::parse(model) {
        // What a recording was made with fitted its window.
        Ok(ModelName::Replay(_)) | Err(_) => return configured,
        Ok(ModelName::Served(served)) => match served.vendor {
            // The server is told, and more it does not see.
            Vendor::Ollama => {
                let asked = count(Key::OllamaNumCtx);
                return configured.into_iter().chain(asked).chain(told).min();
            }
            vendor @ (Vendor::OpenAi | Vendor::Anthropic | Vendor::Gemini) => {
                let facts = model_facts(vendor, &served.model);
                told.or(facts.map(|facts| facts.context_window))
            }
        },
    };
    configured.or(known).or(Some(UNKNOWN_WINDOW))
}

fn price(model: &str, config: &Config, environment: Environment) -> Result<Option<Price>, Error> {
    if let Some(price) = configured_price(config) {
        return Ok(Some(price));
    }
    let Ok(ModelName::Served(served)) = ModelName::parse(model) else { return Ok(None) };
    let server = Server::of(served.vendor, config, environment)?;
    // Somebody else's server has prices of its own.
    let own = server.endpoint.base_url.trim_end_matches('/') == served.vendor.default_base_url();
    let facts = model_facts(served.vendor, &served.model).filter(|_| own);
    Ok(facts.and_then(|facts| facts.price))
}

/// The user's own price, for which the two that everybody has must be known.
fn configured_price(config: &Config) -> Option<Price> {
    let (input, output) = (config.number(Key::PriceInput)?, config.number(Key::PriceOutput)?);
    let cached = config.number(Key::PriceCachedInput).unwrap_or(input);
    Some(Price { input, cached, written: config.number(Key::PriceCacheWrite), output })
}

fn unknown_price(model: &str, origin: &Origin) -> Error {
    let message = format!("the cost can't be limited: the price of {model} is not known");
    let help = "set it with `agent config set price.input USD` and `price.output` (for a million \
                tokens), or limit the tokens with `--max-tokens N`";
    match origin {
        Origin::Flag(_) => Error::usage("unknown_price", message, help),
        Origin::Default | Origin::File { .. } | Origin::Environment(_) => {
            Error::config("unknown_price", message, help)
        }
    }
}

#[cfg(test)]
mod tests {
    use agent_core::config::{Layer, Trust};

    use super::*;

    fn config(text: &str) -> Config {
        Config::layered([Layer::file("c", text, Trust::Full).unwrap()])
    }

    #[test]
    fn the_window_is_what_is_configured_or_known_or_careful() {
        for (model, told, text, expected) in [
            ("openai/gpt-5", None, "", Some(400_000)),
            ("openai/gpt-5", None, "context_window = 9000", Some(9000)),
            ("openai/qwen", None, "", Some(32_768)),
            ("openai/qwen", None, "context_window = 200_000", Some(200_000)),
            ("openai/qwen", Some(8192), "", Some(8192)),
            ("openai/qwen", Some(8192), "context_window = 9000", Some(9000)),
            ("ollama/qwen", None, "", Some(16_384)),
            ("ollama/qwen", Some(131_072), "", Some(16_384)),
            ("ollama/qwen", Some(8192), "ollama.num_ctx = 40_000", Some(8192)),
            ("ollama/qwen", None, "ollama.num_ctx = 40_000", Some(40_000)),
            ("ollama/qwen", None, "context_window = 9000", Some(9000)),
            ("ollama/qwen", None, "context_window = 90_000", Some(16_384)),
            ("replay/a.jsonl", None, "", None),
            ("replay/a.jsonl", None, "context_window = 9000", Some(9000)),
        ] {
            assert_eq!(window(model, told, &config(text)), expected, "{model} {told:?} {text}");
        }
    }

    #[test]
    fn a_configured_price_has_all_its_parts() {
        let price = |text: &str| configured_price(&config(&format!("[price]\n{text}")));
        let whole = "input = 3\ncached_input = 0.3\ncache_write = 3.75\noutput = 15";
        let (input, output) = (3.0, 15.0);
        for (text, expected) in [
            (whole, Some(Price { input, cached: 0.3, written: Some(3.75), output })),
            ("input = 3\noutput = 15", Some(Price { input, cached: 3.0, written: None, output })),
            ("input = 3\ncache_write = 3.75", None),
        ] {
            assert_eq!(price(text), expected, "{text}");
        }
    }

    #[test]
    fn the_protocol_suits_the_model_where_nobody_has_chosen() {
        use Protocol::{Auto, Json, Tools};
        for (chosen, model, tools, expected) in [
            (Auto, "ollama/qwen3-coder:30b", Support::Yes, Auto),
            (Auto, "ollama/qwen3-coder:30b", Support::Unknown, Auto),
            (Auto, "ollama/deepseek-v9:70b", Support::No, Json),
            (Auto, "ollama/qwen2.5-coder:1.5b", Support::Yes, Json),
            (Tools, "ollama/qwen2.5-coder:1.5b", Support::No, Tools),
            (Json, "openai/gpt-5", Support::Yes, Json),
            (Auto, "replay/a-1b.jsonl", Support::Unknown, Auto),
        ] {
            let settings = Settings { protocol: chosen, ..Settings::default() };
            let suited = suited(settings, &config(""), model, tools);
            assert_eq!(suited.protocol, expected, "{model} {tools:?}");
            assert_eq!(suited.planner, model.starts_with("ollama/"), "{model}");
        }
        let off = suited(
            Settings::default(),
            &config("planner = \"off\""),
            "ollama/qwen3-coder:30b",
            Support::Yes,
        );
        assert!(!off.planner);
    }
}
