//! `[preset.NAME]`: several values under one name, to be chosen together.
//!
//! ```toml
//! [preset.local]
//! model = "ollama/qwen2.5-coder:7b"
//! max_turns = 12
//! ```

use super::{Entry, Error, Inert, Layer, Origin};

/// The section.
pub(super) const SECTION: &str = "preset";

/// Values under a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Preset {
    pub(super) name: String,
    pub(super) entries: Vec<Entry>,
    /// What it gave in vain, because its file came with a workspace.
    pub(super) inert: Vec<Inert>,
}

/// Who chose a preset, and so what it gives way to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen<'a> {
    /// The variable of this name: every other variable counts more.
    Variable(&'static str, &'a str),
    /// The flag of this name: only flags count more.
    Flag(&'static str, &'a str),
}

/// The layers with the chosen preset among them. `files` are the user's before the workspace's;
/// where several have a preset of that name, the first one's is taken.
///
/// # Errors
///
/// No file has a preset of that name.
pub fn with_preset<const FILES: usize>(
    chosen: Option<Chosen<'_>>,
    files: [Layer; FILES],
    environment: Layer,
    flags: Layer,
) -> Result<Vec<Layer>, Error> {
    let Some(chosen) = chosen else {
        return Ok(files.into_iter().chain([environment, flags]).collect());
    };
    let (origin, name) = match chosen {
        Chosen::Variable(variable, name) => (Origin::Environment(variable.to_owned()), name),
        Chosen::Flag(flag, name) => (Origin::Flag(flag), name),
    };
    let presets = || files.iter().flat_map(|file| &file.presets);
    let Some(Preset { entries, inert, .. }) = presets().find(|preset| preset.name == name).cloned()
    else {
        let mut known: Vec<String> = presets().map(|preset| preset.name.clone()).collect();
        known.sort();
        known.dedup();
        return Err(Error::UnknownPreset { origin, name: name.to_owned(), known });
    };
    let preset = Layer { entries, inert, ..Layer::default() };
    let above = match chosen {
        Chosen::Variable(..) => [preset, environment, flags],
        Chosen::Flag(..) => [environment, preset, flags],
    };
    Ok(files.into_iter().chain(above).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Key, Trust};

    const USER: &str = "max_turns = 1\n[preset.long]\nmax_turns = 2\nollama.num_ctx = 4096\n";
    const WORKSPACE: &str = "[preset.long]\nmax_turns = 3\n\n[preset.wild]\napproval = 'all'\n";

    fn layers(chosen: Option<Chosen<'_>>) -> Result<Vec<Layer>, Error> {
        let user = Layer::file("user", USER, Trust::Full).unwrap();
        let workspace = Layer::file("workspace", WORKSPACE, Trust::Workspace).unwrap();
        let variable = |name: &str| (name == "AGENT_MAX_TURNS").then(|| "4".to_owned());
        let environment = Layer::environment(variable).unwrap();
        with_preset(chosen, [user, workspace], environment, Layer::default())
    }

    #[test]
    fn what_a_flag_chose_counts_more_than_variables_and_what_a_variable_chose_less() {
        for (chosen, turns, window) in [
            (None, 4, 16384),
            (Some(Chosen::Variable("AGENT_PRESET", "long")), 4, 4096),
            (Some(Chosen::Flag("--preset", "long")), 2, 4096),
        ] {
            let config = Config::layered(layers(chosen).unwrap());
            assert_eq!(config.count(Key::MaxTurns), Some(turns), "{chosen:?}");
            assert_eq!(config.count(Key::OllamaNumCtx), Some(window), "{chosen:?}");
        }
        let config = Config::layered(layers(Some(Chosen::Flag("--preset", "long"))).unwrap());
        assert_eq!(config.setting(Key::MaxTurns).origin.to_string(), "user:3");
    }

    #[test]
    fn a_preset_that_came_with_a_workspace_permits_nothing() {
        let layers = layers(Some(Chosen::Flag("--preset", "wild"))).unwrap();
        let inert: Vec<String> =
            layers.iter().flat_map(Layer::inert).map(ToString::to_string).collect();
        assert!(inert[0].starts_with("workspace:5: `approval` is ignored"), "{inert:?}");
        assert_eq!(Config::layered(layers).text(Key::Approval), Some("edits"));
        let file = Layer::file("workspace", WORKSPACE, Trust::Workspace).unwrap();
        assert_eq!(file.withheld(), ["[preset.wild] approval = \"all\""]);
    }

    #[test]
    fn an_unknown_name_is_told_with_those_that_there_are() {
        let error = layers(Some(Chosen::Flag("--preset", "lnog"))).unwrap_err();
        assert_eq!(error.to_string(), "--preset: there is no preset `lnog`");
        assert_eq!(error.help(), "did you mean `long`? There are: long, wild");
        let none = with_preset(
            Some(Chosen::Variable("AGENT_PRESET", "x")),
            [Layer::default(), Layer::default()],
            Layer::default(),
            Layer::default(),
        );
        let error = none.unwrap_err();
        assert_eq!(
            error.help(),
            "write one: [preset.x] with its keys, in the file that `agent config path` names"
        );
    }

    #[test]
    fn mistakes_in_a_preset_are_named_like_any_other() {
        for (text, message) in [
            ("[preset.a]\nmax_turn = 3", "f:2: unknown key `preset.a.max_turn`"),
            ("preset = 'a'", "f:1: unknown key `preset`"),
            ("[preset]\na = 1", "f:2: unknown key `preset.a`"),
            ("[preset.a]\nmax_turns = 'x'", "f:2: `max_turns` must be"),
            (
                "[[preset.a.policy.rules]]\npath = 'x'\nverdict = 'refuse'",
                "f:1: unknown key `preset.a.policy`",
            ),
        ] {
            let error = Layer::file("f", text, Trust::Full).unwrap_err();
            assert!(error.to_string().starts_with(message), "{text}: {error}");
        }
        let error = Layer::file("f", "[preset.a]\nmax_turn = 3", Trust::Full).unwrap_err();
        assert_eq!(error.help(), "did you mean `max_turns`?");
    }
}
