//! What is known of hosted models.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::Vendor;

/// Facts about a hosted model, from its vendor's documentation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
    /// Tools are accepted only where reasoning is switched off.
    #[serde(default)]
    pub(crate) tools_need_no_reasoning: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    openai: Vec<ModelFacts>,
}

/// A test reads it, so that it is never empty for being malformed.
static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| toml::from_str(include_str!("models.toml")).unwrap_or_default());

/// The models that are known of a vendor, its default first. Of Ollama none is: what it serves is
/// what its user has pulled, with the window that was asked for.
pub fn known_models(vendor: Vendor) -> &'static [ModelFacts] {
    match vendor {
        Vendor::OpenAi => &CATALOGUE.openai,
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

/// Whether it looks like `-2026-07-09`.
fn is_date(suffix: &str) -> bool {
    let mut numbers = suffix.split('-');
    let lengths = [0, 4, 2, 2];
    lengths.iter().all(|&length| {
        let number = numbers.next();
        number.is_some_and(|n| n.len() == length && n.bytes().all(|byte| byte.is_ascii_digit()))
    }) && numbers.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_well_formed() {
        let catalogue: Catalogue = toml::from_str(include_str!("models.toml")).unwrap();
        let mut names: Vec<_> = catalogue.openai.iter().map(|model| &model.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), catalogue.openai.len(), "a model stands there twice");
        let small = |model: &&ModelFacts| model.max_output_tokens >= model.context_window;
        assert_eq!(catalogue.openai.iter().find(small), None);
    }

    #[test]
    fn models_are_found_by_name_and_snapshot() {
        let window = |model| Some(model_facts(Vendor::OpenAi, model)?.context_window);
        assert_eq!(window("gpt-5"), Some(400_000));
        assert_eq!(window("gpt-5-2025-08-07"), Some(400_000));
        assert_eq!(window("gpt-5.4-2026-03-05"), Some(1_050_000));
        for unknown in ["gpt", "gpt-5-", "gpt-5-turbo", "gpt-5-2025-08-07-x", "gpt-5-20250807", ""]
        {
            assert_eq!(window(unknown), None, "{unknown}");
        }
        assert_eq!(known_models(Vendor::OpenAi)[0].name, "gpt-5.6-terra");
        assert_eq!(model_facts(Vendor::Ollama, "gpt-5"), None);
    }
}
