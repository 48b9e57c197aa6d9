use super::*;

fn user(text: &str) -> Layer {
    Layer::file("user.toml", text, Trust::Full).expect("a good file")
}

fn file_error(text: &str) -> String {
    let error = Layer::file("c.toml", text, Trust::Full).expect_err("a bad file");
    format!("{error} ({})", error.help())
}

fn environment(variables: &[(&str, &str)]) -> Result<Layer, Error> {
    Layer::environment(|wanted| {
        let mut found = variables.iter().filter(|(name, _)| *name == wanted);
        found.next().map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn rows_are_in_the_order_of_the_keys_and_defaults_suit_their_kind() {
    for (row, spec) in table::TABLE.iter().enumerate() {
        assert_eq!(spec.key.row(), row, "{}", spec.name);
        assert!(!spec.doc.is_empty() && !spec.doc.ends_with('.'), "{}", spec.name);
        let value = &Config::layered([]).setting(spec.key).value.clone();
        assert_eq!(value.is_some(), spec.default.is_some(), "{}", spec.name);
        if let Some(value) = value {
            let item = toml_edit::Item::Value(value.into());
            assert_eq!(spec.kind.read(&item).as_ref(), Ok(value), "{}", spec.name);
        }
        let last = table::TABLE.iter().filter(|other| other.name == spec.name).count();
        assert_eq!(last, 1, "{} is there once", spec.name);
    }
}

#[test]
fn later_layers_win_and_each_value_knows_its_origin() {
    let config = Config::layered([
        user("max_turns = 30\ntemperature = 1\n\n[ollama]\nnum_ctx = 8192\n"),
        Layer::file("ws/.agent/config.toml", "max_turns = 40", Trust::Workspace).unwrap(),
        environment(&[("AGENT_OLLAMA_NUM_CTX", "4096"), ("AGENT_MODEL", "")]).unwrap(),
        Layer::default().flag("--model", Key::Model, "openai/x").unwrap(),
    ]);
    let shown = |key: Key| {
        let Setting { value, origin, .. } = config.setting(key);
        format!("{} from {origin}", value.as_ref().map_or("-".to_owned(), Value::to_string))
    };
    assert_eq!(shown(Key::MaxTurns), "40 from ws/.agent/config.toml:1");
    assert_eq!(shown(Key::Temperature), "1.0 from user.toml:2");
    assert_eq!(shown(Key::OllamaNumCtx), "4096 from AGENT_OLLAMA_NUM_CTX");
    assert_eq!(shown(Key::Model), "\"openai/x\" from --model");
    assert_eq!(shown(Key::LimitsEdits), "30 from default");
    assert_eq!(shown(Key::OpenaiBaseUrl), "- from default");
    assert_eq!(config.seconds(Key::HttpConnectTimeout), Some(Duration::from_secs(10)));
    assert_eq!(config.number(Key::Temperature), Some(1.0));
    assert_eq!(config.text(Key::MaxTurns), None);
}

#[test]
fn sections_dotted_keys_and_inline_tables_mean_the_same() {
    for text in [
        "[openai]\nbase_url = \"http://h/v1\"",
        "openai.base_url = \"http://h/v1\"",
        "openai = { base_url = \"http://h/v1\" }",
    ] {
        let config = Config::layered([user(text)]);
        assert_eq!(config.text(Key::OpenaiBaseUrl), Some("http://h/v1"), "{text}");
    }
}

#[test]
fn vendors_variables_count_below_ours() {
    for (variables, expected, origin) in [
        (&[("OLLAMA_HOST", "box:1")][..], "box:1", "OLLAMA_HOST"),
        (&[("OLLAMA_HOST", "box:1"), ("AGENT_OLLAMA_HOST", "b")], "b", "AGENT_OLLAMA_HOST"),
    ] {
        let config = Config::layered([environment(variables).unwrap()]);
        assert_eq!(config.text(Key::OllamaHost), Some(expected));
        assert_eq!(config.setting(Key::OllamaHost).origin.to_string(), origin);
    }
}

#[test]
fn mistakes_in_a_file_name_file_line_and_key() {
    for (text, expected) in [
        ("\nmax_turn = 3", "c.toml:2: unknown key `max_turn` (did you mean `max_turns`?)"),
        ("base_url = 'x'", "c.toml:1: unknown key `base_url` (did you mean `openai.base_url`?)"),
        (
            "[openai]\n\nbaseurl = 'x'",
            "c.toml:3: unknown key `openai.baseurl` (did you mean `openai.base_url`?)",
        ),
        ("zzz = 1", "c.toml:1: unknown key `zzz` (`agent config show` lists every key)"),
        (
            "[openai]\napi_key = 'sk'",
            "c.toml:2: unknown key `openai.api_key` (keys are read from the environment alone, so \
             that no file holds one: set OPENAI_API_KEY)",
        ),
        ("openai = 3", "c.toml:1: unknown key `openai` (did you mean `openai.api`?)"),
        (
            "[model]\nx = 1",
            "c.toml:1: `model` must be text, not a table (`model`: the model, as PROVIDER/MODEL: openai/…, anthropic/…, gemini/…, ollama/… or replay/PATH)",
        ),
        (
            "max_turns = \"many\"",
            "c.toml:1: `max_turns` must be a whole number from 1 to 100000, not \"many\" \
             (`max_turns`: decision steps after which a run ends)",
        ),
        (
            "max_turns = 0 # none",
            "c.toml:1: `max_turns` must be a whole number from 1 to 100000, not 0 \
             (`max_turns`: decision steps after which a run ends)",
        ),
        (
            "max_turns =\n",
            "c.toml:1: not valid TOML: string values must be quoted, expected literal string (mend line 1 of c.toml)",
        ),
        (
            "max_turns = 1\nmax_turns = 2",
            "c.toml:2: not valid TOML: duplicate key (mend line 2 of c.toml)",
        ),
    ] {
        assert_eq!(file_error(text), expected, "{text}");
    }
}

#[test]
fn values_that_no_key_takes_are_refused_wherever_they_stand() {
    for (key, bad, good) in [
        (Key::MaxTurns, &["-1", "1.5", "0x10", "", "100001", " 3"][..], &["1", "100000"][..]),
        (Key::Temperature, &["hot", "-0.1", "2.1", "NaN", "inf"], &["0", "2", "0.25"]),
        (Key::Approval, &["never", "EDITS", "none"], &["ask", "edits", "all", "plan"]),
        (Key::Protocol, &["xml", "JSON", ""], &["auto", "tools", "json"]),
        (Key::Planner, &["yes", "true"], &["auto", "on", "off"]),
        (Key::Model, &["", "  "], &["openai/gpt", "nonsense"]),
        (
            Key::OpenaiBaseUrl,
            &["localhost:8080", "ftp://h/v1", "http://", "http:///v1", "http://a b/"],
            &["http://127.0.0.1:8080/v1", "https://api.openai.com/v1"],
        ),
    ] {
        for text in bad {
            let error = Layer::default().flag("--flag", key, text).expect_err(text);
            assert_eq!(error.origin(), Some(&Origin::Flag("--flag")), "{text}");
        }
        for text in good {
            assert!(Layer::default().flag("--flag", key, text).is_ok(), "{text}");
        }
    }
    let error = environment(&[("AGENT_MAX_TURNS", "x")]).expect_err("no number").to_string();
    assert_eq!(
        error,
        "AGENT_MAX_TURNS: `max_turns` must be a whole number from 1 to 100000, not \"x\""
    );
}

#[test]
fn a_workspaces_file_can_neither_send_keys_elsewhere_nor_loosen_anything() {
    let text = "model = 'replay/x.jsonl'\nmax_turns = 3\napproval = 'all'\nollama.host = 'evil'\n\
                openai.base_url = 'http://evil/v1'\n";
    let layer = Layer::file(".agent/config.toml", text, Trust::Workspace).unwrap();
    let warnings: Vec<String> = layer.inert().iter().map(Inert::to_string).collect();
    assert_eq!(
        warnings,
        [
            ".agent/config.toml:1: `model` is ignored: a file that came with the workspace must \
             not bring the model's replies along; `agent config set model VALUE` sets it for you, `agent config trust` trusts the whole file as it stands",
            ".agent/config.toml:3: `approval` is ignored: a file that came with the workspace must \
             not choose what is done without asking; `agent config set approval VALUE` sets it for you, `agent config trust` trusts the whole file as it stands",
            ".agent/config.toml:4: `ollama.host` is ignored: a file that came with the workspace \
             must not choose where your key and files are sent; `agent config set ollama.host \
             VALUE` sets it for you, `agent config trust` trusts the whole file as it stands",
            ".agent/config.toml:5: `openai.base_url` is ignored: a file that came with the \
             workspace must not choose where your key and files are sent; `agent config set \
             openai.base_url VALUE` sets it for you, `agent config trust` trusts the whole file as it stands",
        ]
    );
    assert_eq!(
        Config::layered([layer]),
        Config::layered([
            Layer::file(".agent/config.toml", "\nmax_turns = 3", Trust::Workspace).unwrap()
        ])
    );

    let harmless = "model = 'ollama/x'\napproval = 'plan'";
    let layer = Layer::file("w", harmless, Trust::Workspace).unwrap();
    assert_eq!(layer.inert(), []);
    assert_eq!(user(text).inert(), []);
}

#[test]
fn set_changes_one_value_and_leaves_the_rest_to_the_byte() {
    let before = "# mine\nmax_turns = 3  # few\n\n[ollama] # local\nnum_ctx=1024\n";
    for (key, value, after) in [
        ("max_turns", "7", "# mine\nmax_turns = 7  # few\n\n[ollama] # local\nnum_ctx=1024\n"),
        (
            "ollama.num_ctx",
            "2048",
            "# mine\nmax_turns = 3  # few\n\n[ollama] # local\nnum_ctx=2048\n",
        ),
        (
            "model",
            "ollama/a\"b",
            "# mine\nmax_turns = 3  # few\nmodel = 'ollama/a\"b'\n\n[ollama] # local\nnum_ctx=1024\n",
        ),
        (
            "openai.base_url",
            "http://h/v1",
            "# mine\nmax_turns = 3  # few\n\n[ollama] # local\nnum_ctx=1024\n\n[openai]\nbase_url = \
             \"http://h/v1\"\n",
        ),
        (
            "temperature",
            "0",
            "# mine\nmax_turns = 3  # few\ntemperature = 0.0\n\n[ollama] # local\nnum_ctx=1024\n",
        ),
    ] {
        assert_eq!(set("c.toml", before, key, value).as_deref(), Ok(after), "{key}");
    }
    assert_eq!(set("c.toml", "", "max_turns", "7").as_deref(), Ok("max_turns = 7\n"));
}

#[test]
fn set_refuses_what_would_not_be_read_back() {
    for (text, key, value, expected) in [
        ("", "max_turn", "7", "unknown key `max_turn`"),
        ("", "ollama", "7", "unknown key `ollama`"),
        (
            "",
            "max_turns",
            "all",
            "`max_turns` must be a whole number from 1 to 100000, not \"all\"",
        ),
        (
            "a = ",
            "max_turns",
            "7",
            "c.toml:1: not valid TOML: string values must be quoted, expected literal string",
        ),
        ("a = 1", "max_turns", "7", "c.toml:1: unknown key `a`"),
    ] {
        let error = set("c.toml", text, key, value).expect_err(key);
        assert_eq!(error.to_string(), expected);
    }
}

fn rules_of(text: &str, trust: Trust) -> Layer {
    Layer::file("c.toml", text, trust).expect("a good file")
}

#[test]
fn rules_of_later_layers_are_tried_first_and_know_their_line() {
    let config = Config::layered([
        rules_of(
            "[[policy.rules]]\npath = 'a'\nverdict = 'allow'\n\n[[policy.rules]]\nverdict = 'ask'\n",
            Trust::Full,
        ),
        rules_of("policy.rules = [{ command = 'git push', verdict = 'stop' }]", Trust::Full),
    ]);
    let shown: Vec<String> =
        config.rules().iter().map(|rule| format!("{rule} ({})", rule.source)).collect();
    assert_eq!(
        shown,
        [
            "command git push: stop (c.toml:1)",
            "path a: allow (c.toml:2)",
            "everything: ask (c.toml:6)",
        ]
    );
}

#[test]
fn rules_that_came_with_a_workspace_can_only_forbid() {
    let text = "[[policy.rules]]\npath = 'a'\nverdict = 'allow'\n[[policy.rules]]\nverdict = 'ask'\n\
                [[policy.rules]]\npath = 'b'\nverdict = 'refuse'\n[[policy.rules]]\npath = 'c'\n\
                verdict = 'stop'\n";
    let layer = rules_of(text, Trust::Workspace);
    let warnings: Vec<String> = layer.inert().iter().map(Inert::to_string).collect();
    let ignored = "a rule is ignored: a file that came with the workspace must not permit \
                   anything; write the rule into your own file (`agent config path`), or trust the whole \
                   file as it stands (`agent config trust`)";
    assert_eq!(warnings, [format!("c.toml:2: {ignored}"), format!("c.toml:5: {ignored}")]);
    let kept: Vec<String> =
        Config::layered([layer]).rules().iter().map(ToString::to_string).collect();
    assert_eq!(kept, ["path b: refuse", "path c: stop"]);
}

#[test]
fn a_bad_rule_is_an_error_with_its_line() {
    for (rule, problem) in [
        ("path = 'a'", "c.toml:2: a rule needs a `verdict`: allow, ask, refuse or stop"),
        (
            "verdict = 'deny'",
            "c.toml:2: `verdict` of a rule must be allow, ask, refuse or stop, not \"deny\"",
        ),
        (
            "verdict = 'ask'\neffect = 'fly'",
            "c.toml:3: `effect` of a rule must be one of read, write, delete, undo, execute, network, external, not \"fly\"",
        ),
        ("verdict = 'ask'\npath = ''", "c.toml:3: `path` of a rule must be text"),
        ("verdict = 'ask'\npath = 3", "c.toml:3: `path` of a rule must be text"),
        ("verdict = 'ask'\ncommand = ''", "c.toml:3: `command` of a rule must be text"),
        ("verdict = 'ask'\ncommand = []", "c.toml:3: `command` of a rule must be text"),
        (
            "verdict = 'ask'\ncommand = 'a; b'",
            "c.toml:3: `command` of a rule: give the first words of one command, such as `cargo test`",
        ),
        (
            "verdict = 'ask'\nfile = 'a'",
            "c.toml:3: a rule has no `file`; it has tool, effect, path, command, verdict and reason",
        ),
    ] {
        let text = format!("[[policy.rules]]\n{rule}\n");
        let error = Layer::file("c.toml", &text, Trust::Full).expect_err(rule);
        assert_eq!(error.to_string(), problem);
    }
    let error = Layer::file("c.toml", "[policy]\nrules = 3\n", Trust::Full).expect_err("no list");
    assert_eq!(error.to_string(), "c.toml:2: `policy.rules` is a list of tables: [[policy.rules]]");
    assert!(
        Layer::file("c.toml", "[[policy.rules]]\npath = '[a'\nverdict = 'ask'\n", Trust::Full)
            .is_err()
    );
}
