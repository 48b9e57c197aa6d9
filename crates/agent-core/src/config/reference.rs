//! The default configuration file: every key with its default, as comments.

use super::{Kind, Spec, Value, table::TABLE};

/// What is said before the keys.
const HEAD: &str = "\
# The configuration of `agent`. Every line is a comment that holds the default: take the `#` away
# from what is to be otherwise. `agent config path` says where this file belongs, and `agent config
# show --origin` which value holds and why.
#
# Keys of providers are read from the environment alone: OPENAI_API_KEY, ANTHROPIC_API_KEY,
# GEMINI_API_KEY. Each key of this file has a variable too: `max_turns` is AGENT_MAX_TURNS,
# `ollama.num_ctx` is AGENT_OLLAMA_NUM_CTX. Variables count more than files, and flags more than
# variables.
";

/// What is said behind them: tables whose names are the user's.
const TAIL: &str = "
# Values to be chosen together: `agent run --preset local`, or AGENT_PRESET=local.
#[preset.local]
#model = \"ollama/qwen2.5-coder:7b\"
#max_turns = 12

# What may be done; the first rule that fits decides. `agent config policy` shows all.
#[[policy.rules]]
#path = \"migrations/\"
#verdict = \"refuse\"
#reason = \"migrations are written by hand\"

# Tools of other programs: an MCP server.
#[mcp.servers.git]
#command = \"uvx\"
#args = [\"mcp-server-git\"]
";

/// The file. It says nothing that does not hold without it.
pub fn default_file() -> String {
    let mut text = HEAD.to_owned();
    let mut section = "";
    // Keys without a section come first, since TOML has no way back to them.
    let (plain, sectioned): (Vec<&Spec>, Vec<&Spec>) =
        TABLE.iter().partition(|spec| !spec.name.contains('.'));
    for spec in plain.into_iter().chain(sectioned) {
        let (its_section, name) = spec.name.split_once('.').unwrap_or(("", spec.name));
        if its_section != section {
            text += &format!("\n#[{its_section}]\n");
            section = its_section;
        }
        text += &format!("\n{}#{name} = {}\n", explained(spec), shown(spec));
    }
    text + TAIL
}

/// What the key is for, in lines of comment.
fn explained(spec: &Spec) -> String {
    const WIDTH: usize = 98;
    let unset = if spec.default.is_none() { "; not set" } else { "" };
    let words = format!("{} ({}{unset})", spec.doc, spec.kind);
    let mut lines = vec!["#".to_owned()];
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(format!("# {word}")),
        }
    }
    lines.join("\n") + "\n"
}

/// The default, and where there is none a value of the kind.
fn shown(spec: &Spec) -> Value {
    let default = spec.default.and_then(|text| spec.kind.parse(text).ok());
    default.unwrap_or_else(|| match spec.kind {
        Kind::Text => Value::Text("…".to_owned()),
        Kind::Url => Value::Text("http://127.0.0.1:8080/v1".to_owned()),
        Kind::Choice(words) => Value::Text(words.first().copied().unwrap_or_default().to_owned()),
        Kind::Count { min, .. } => Value::Count(min),
        Kind::Number { min, .. } => Value::Number(min),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Layer, Trust};

    #[test]
    fn as_it_is_it_changes_nothing() {
        let layer = Layer::file("default", &default_file(), Trust::Full).unwrap();
        assert_eq!(layer, Layer::default());
    }

    #[test]
    fn without_its_hashes_it_is_read_and_gives_the_defaults() {
        let uncommented: Vec<String> = default_file()
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(rest) if rest.is_empty() || rest.starts_with(' ') => String::new(),
                Some(rest) => rest.to_owned(),
                None => line.to_owned(),
            })
            .collect();
        let layer = Layer::file("default", &uncommented.join("\n"), Trust::Full).unwrap();
        let config = Config::layered([layer]);
        for (setting, spec) in config.settings().iter().zip(&TABLE) {
            assert!(setting.value.is_some(), "{}", spec.name);
            if let Some(default) = spec.default {
                assert_eq!(setting.value, spec.kind.parse(default).ok(), "{}", spec.name);
            }
        }
    }
}
