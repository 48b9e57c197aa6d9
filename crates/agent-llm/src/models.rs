//! What is known of hosted models.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{Usage, Vendor};

/// Facts about a hosted model, from its vendor's documentation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFacts {
    /// The model's name at its vendor.
    pub name: String,
    /// The whole window, in tokens.
    #[serde(rename = "context")]
    pub context_window: u32,
    /// The most tokens that a reply may have.
    #[serde(rename = "output")]
    pub max_output_tokens: u32,
    /// What it costs; `None` where no price was found.
    pub price: Option<Price>,
    /// Tools are accepted only where reasoning is switched off.
    #[serde(default)]
    pub(crate) tools_need_no_reasoning: bool,
    /// It can't be kept from thinking, nor made to call a tool.
    #[serde(default)]
    pub(crate) always_thinks: bool,
}

/// US dollars per million tokens, of prompts of ordinary length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of the prompt, where no cache held it.
    pub input: f64,
    /// Of the prompt, where a cache did.
    pub cached: f64,
    /// Of the prompt, where it went into a cache; as `input` where that costs nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<f64>,
    /// Of the reply.
    pub output: f64,
}

impl Price {
    /// What so many tokens cost, in US dollars.
    pub fn of(&self, usage: Usage) -> f64 {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let fresh = usage.input_tokens - cached;
        let written = usage.cache_written_tokens.min(fresh);
        let parts = [
            (fresh - written, self.input),
            (written, self.written.unwrap_or(self.input)),
            (cached, self.cached),
            (usage.output_tokens, self.output),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum()
    }
}

/// A family of open models, by a part of their names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    part: String,
}

/// Models of so many billions of parameters, or fewer, lose their way in tool calls.
const SMALL: f32 = 4.0;

/// Whether a model makes better decisions as JSON that follows a schema than by tool calls: it is
/// of a family that is known for calls written as text, or small, as its name says.
pub fn prefers_json(model: &str) -> bool {
    let name = model.to_lowercase();
    let words = || name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let billions = words().filter_map(|word| word.strip_suffix('b')?.parse::<f32>().ok());
    let is_small = billions.clone().next().is_some() && billions.fold(0.0, f32::max) <= SMALL;
    is_small || CATALOGUE.json_decisions.iter().any(|family| name.contains(&family.part))
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    json_decisions: Vec<Family>,
    openai: Vec<ModelFacts>,
    anthropic: Vec<ModelFacts>,
    gemini: Vec<ModelFacts>,
}

/// A test reads it, so that it is never empty for being malformed.
static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| toml::from_str(include_str!("models.toml")).unwrap_or_default());

/// The models that are known of a vendor, its default first. Of Ollama none is: what it serves is
/// what its user has pulled, with the window that was asked for.
pub fn known_models(vendor: Vendor) -> &'static [ModelFacts] {
    match vendor {
        Vendor::OpenAi => &CATALOGUE.openai,
        Vendor::Anthropic => &CATALOGUE.anthropic,
        Vendor::Gemini => &CATALOGUE.gemini,
        Vendor::Ollama => &[],
    }
}

/// What is known of a model, by its name or the name of a dated snapshot.
pub fn model_facts(vendor: Vendor, model: &str) -> Option<&'static ModelFacts> {
    known_models(vendor).iter().find(|known| {
        let rest = model.strip_prefix(known.name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || is_date(rest))
    })
}

/// Whether it looks like `-2026-07-09` or `-20260709`.
fn is_date(suffix: &str) -> bool {
    let Some(date) = suffix.strip_prefix('-') else { return false };
    let shape: String = date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00" || shape == "00000000"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_well_formed() {
        let catalogue: Catalogue = toml::from_str(include_str!("models.toml")).unwrap();
        for models in [&catalogue.openai, &catalogue.anthropic, &catalogue.gemini] {
            let mut names: Vec<_> = models.iter().map(|model| &model.name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), models.len(), "a model stands there twice");
            assert!(!models.is_empty());
            for model in models {
                assert!(model.max_output_tokens < model.context_window, "{model:?}");
                let dear = |price: Price| {
                    let written = price.written.unwrap_or(price.input);
                    0.0 < price.cached
                        && price.cached < price.input
                        && price.input <= written
                        && written < price.output
                };
                assert!(model.price.is_none_or(dear), "{model:?}");
            }
        }
    }

    #[test]
    fn models_are_found_by_name_and_snapshot() {
        let window = |model| Some(model_facts(Vendor::OpenAi, model)?.context_window);
        assert_eq!(window("gpt-5"), Some(400_000));
        assert_eq!(window("gpt-5-2025-08-07"), Some(400_000));
        assert_eq!(window("gpt-5.4-2026-03-05"), Some(1_050_000));
        for unknown in ["gpt", "gpt-5-", "gpt-5-turbo", "gpt-5-2025-08-07-x", "gpt-5-2025080", ""] {
            assert_eq!(window(unknown), None, "{unknown}");
        }
        assert_eq!(known_models(Vendor::OpenAi)[0].name, "gpt-5.6-terra");
        assert_eq!(model_facts(Vendor::Ollama, "gpt-5"), None);
        let haiku = model_facts(Vendor::Anthropic, "claude-haiku-4-5-20251001");
        assert_eq!(haiku.map(|facts| facts.context_window), Some(200_000));
    }

    #[test]
    fn cached_tokens_have_a_price_of_their_own() {
        let price = Price { input: 2.0, cached: 0.5, written: Some(2.5), output: 10.0 };
        let usage = |input_tokens, cached_tokens, output_tokens| Usage {
            input_tokens,
            cached_tokens,
            output_tokens,
            cache_written_tokens: 0,
        };
        assert_eq!(price.of(usage(0, 0, 0)), 0.0);
        assert_eq!(price.of(usage(1_000_000, 0, 100_000)), 3.0);
        assert_eq!(price.of(usage(1_000_000, 500_000, 0)), 1.25);
        assert_eq!(price.of(usage(1_000_000, 9_000_000, 0)), 0.5, "no more than there are");
        let writing = Usage { cache_written_tokens: 400_000, ..usage(1_000_000, 500_000, 0) };
        assert_eq!(price.of(writing), 0.1 * 2.0 + 0.4 * 2.5 + 0.5 * 0.5);
        let unknown = Price { written: None, ..price };
        assert_eq!(unknown.of(writing), 1.25, "it costs nothing more");
    }
}
