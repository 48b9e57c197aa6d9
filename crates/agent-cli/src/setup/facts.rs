//! What is known of the model that is used: its window and its price.

use agent_core::{
    Settings,
    config::{Config, Key, Origin},
};
use agent_llm::{ModelName, Price, Vendor, model_facts};

use super::Server;
use crate::{environment::Environment, error::Error};

/// The window of a model that nothing is known of. Most have more; one that has less says so, and
/// is believed.
const UNKNOWN_WINDOW: u32 = 32_768;

/// The settings for the model of that name.
pub(crate) fn for_model(
    settings: Settings,
    model: &str,
    config: &Config,
    environment: Environment,
) -> Result<Settings, Error> {
    let window = window(model, config);
    let price = price(model, config, environment)?;
    if settings.budget.cost.is_some() && price.is_none() {
        return Err(unknown_price(model, &config.setting(Key::MaxCost).origin));
    }
    Ok(Settings { price, window, ..settings })
}

fn window(model: &str, config: &Config) -> Option<u32> {
    let count = |key| config.count(key).and_then(|count| u32::try_from(count).ok());
    let configured = count(Key::ContextWindow);
    let known = match ModelName::parse(model) {
        // What a recording was made with fitted its window.
        Ok(ModelName::Replay(_)) | Err(_) => return configured,
        Ok(ModelName::Served(served)) => match served.vendor {
            // The server is told, and more it does not see.
            Vendor::Ollama => {
                let told = count(Key::OllamaNumCtx);
                return configured.into_iter().chain(told).min();
            }
            vendor @ (Vendor::OpenAi | Vendor::Anthropic | Vendor::Gemini) => {
                model_facts(vendor, &served.model).map(|facts| facts.context_window)
            }
        },
    };
    configured.or(known).or(Some(UNKNOWN_WINDOW))
}

fn price(model: &str, config: &Config, environment: Environment) -> Result<Option<Price>, Error> {
    if let (Some(input), Some(output)) =
        (config.number(Key::PriceInput), config.number(Key::PriceOutput))
    {
        let cached = config.number(Key::PriceCachedInput).unwrap_or(input);
        return Ok(Some(Price { input, cached, output }));
    }
    let Ok(ModelName::Served(served)) = ModelName::parse(model) else { return Ok(None) };
    let server = Server::of(served.vendor, config, environment)?;
    // Somebody else's server has prices of its own.
    let own = server.endpoint.base_url.trim_end_matches('/') == served.vendor.default_base_url();
    let facts = model_facts(served.vendor, &served.model).filter(|_| own);
    Ok(facts.and_then(|facts| facts.price))
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
        for (model, text, expected) in [
            ("openai/gpt-5", "", Some(400_000)),
            ("openai/gpt-5", "context_window = 9000", Some(9000)),
            ("openai/qwen", "", Some(32_768)),
            ("openai/qwen", "context_window = 200_000", Some(200_000)),
            ("ollama/qwen", "", Some(16_384)),
            ("ollama/qwen", "ollama.num_ctx = 40_000", Some(40_000)),
            ("ollama/qwen", "context_window = 9000", Some(9000)),
            ("ollama/qwen", "context_window = 90_000", Some(16_384)),
            ("replay/a.jsonl", "", None),
            ("replay/a.jsonl", "context_window = 9000", Some(9000)),
        ] {
            assert_eq!(window(model, &config(text)), expected, "{model} {text}");
        }
    }
}
