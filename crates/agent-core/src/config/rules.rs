//! `[[policy.rules]]`: rules of the policy as a configuration file gives them.
//!
//! ```toml
//! [[policy.rules]]
//! path = "migrations/"      # a glob; also `tool`, `effect` and `command`, the first words of one
//! verdict = "refuse"        # allow, ask, refuse or stop
//! reason = "migrations are written by hand"
//! ```

use toml_edit::{Item, TableLike, Value};

use super::{Error, Origin, file::line_of};
use crate::{
    EffectKind,
    command::permission,
    policy::{Pattern, Rule, Source, Verdict},
};

/// The section and the key.
pub(super) const SECTION: &str = "policy";
pub(super) const NAME: &str = "policy.rules";

/// What a rule may say, for errors.
const KEYS: &str = "tool, effect, path, command, verdict and reason";

/// Reads every rule of `item`. `line` is where the list begins.
pub(super) fn read(path: &str, text: &str, item: &Item, line: usize) -> Result<Vec<Rule>, Error> {
    let origin = |line| Origin::File { path: path.to_owned(), line };
    let wrong =
        || Error::bad_rule(origin(line), "`policy.rules` is a list of tables: [[policy.rules]]");
    let tables: Vec<&dyn TableLike> = match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(list)) => list
            .iter()
            .map(|value| value.as_inline_table().map(|table| table as &dyn TableLike))
            .collect::<Option<_>>()
            .ok_or_else(wrong)?,
        Item::None | Item::Value(_) | Item::Table(_) => return Err(wrong()),
    };
    let at = |offset| origin(line_of(text, offset));
    tables.into_iter().map(|table| rule(table, at, &origin(line))).collect()
}

fn rule(
    table: &dyn TableLike,
    origin_at: impl Fn(usize) -> Origin,
    list: &Origin,
) -> Result<Rule, Error> {
    let place = |name: &str| {
        let span = table.key(name).and_then(toml_edit::Key::span);
        span.map_or_else(|| list.clone(), |span| origin_at(span.start))
    };
    let begins = table.iter().next().map_or_else(|| list.clone(), |(name, _)| place(name));
    let mut rule = Rule::any(Verdict::Ask, Source::Given(begins.clone()));
    let mut verdict = None;
    for (name, item) in table.iter() {
        let bad = |problem: String| Error::bad_rule(place(name), problem);
        let words = || item.as_str().filter(|text| !text.trim().is_empty());
        let needed = || words().ok_or_else(|| bad(format!("`{name}` of a rule must be text")));
        let glob = |error: globset::Error| bad(format!("`{name}` of a rule: {error}"));
        match name {
            "tool" => rule.tool = Some(Pattern::name(needed()?).map_err(glob)?),
            "path" => rule.path = Some(Pattern::path(needed()?).map_err(glob)?),
            "reason" => rule.reason = Some(needed()?.to_owned()),
            "effect" => rule.effect = Some(effect(needed()?).map_err(bad)?),
            "verdict" => verdict = Some(self::verdict(needed()?).map_err(bad)?),
            "command" => {
                let begin = permission::Pattern::parse(needed()?);
                rule.command =
                    Some(begin.map_err(|error| bad(format!("`command` of a rule: {error}")))?);
            }
            other => return Err(bad(format!("a rule has no `{other}`; it has {KEYS}"))),
        }
    }
    rule.verdict = verdict.ok_or_else(|| {
        Error::bad_rule(begins, "a rule needs a `verdict`: allow, ask, refuse or stop")
    })?;
    Ok(rule)
}

fn effect(name: &str) -> Result<EffectKind, String> {
    EffectKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names: Vec<_> = EffectKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("`effect` of a rule must be one of {}, not {name:?}", names.join(", "))
    })
}

fn verdict(name: &str) -> Result<Verdict, String> {
    Verdict::ALL.into_iter().find(|verdict| verdict.name() == name).ok_or_else(|| {
        format!("`verdict` of a rule must be allow, ask, refuse or stop, not {name:?}")
    })
}
