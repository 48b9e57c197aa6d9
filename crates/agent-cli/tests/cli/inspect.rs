//! `agent doctor` and `agent debug prompt`.

use serde_json::{Value, json};

use crate::support::{Place, finish, server};

/// The state of each check, by its name.
fn states(checked: &Value) -> Vec<(String, String)> {
    let checks = checked["checks"].as_array().expect("checks");
    let word = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
    checks.iter().map(|check| (word(check, "name"), word(check, "status"))).collect()
}

fn state(checked: &Value, name: &str) -> String {
    let found = states(checked).into_iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no {name} in {checked}")).1
}

#[test]
fn where_everything_is_there_it_says_so() {
    let place = Place::new();
    let url = server("200 OK", r#"{"data": [{"id": "m", "max_model_len": 40000}]}"#);
    let mut command = place.agent(&["doctor", "--json", "-m", "openai/m"]);
    let output = command.env("OPENAI_BASE_URL", &url).output().expect("it runs");
    let checked: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{checked}");
    assert_eq!(checked["ok"], true);
    for name in ["configuration", "model", "provider", "window", "state"] {
        assert_eq!(state(&checked, name), "ok", "{checked}");
    }
    let window = checked["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .find(|check| check["name"] == "window");
    assert_eq!(window.expect("a window")["message"], "40000 tokens");
}

#[test]
fn what_is_broken_says_what_to_do_and_exits_with_1() {
    let refused = server("401 Unauthorized", r#"{"error": {"message": "no"}}"#);
    let other = server("200 OK", r#"{"data": [{"id": "other"}]}"#);
    for (config, url, arguments, name, words) in [
        ("nonsense = 1\n", "", &[][..], "configuration", "nonsense"),
        ("", "", &["-m", "openai/gpt-5"], "provider", "OPENAI_API_KEY"),
        ("", "http://127.0.0.1:9", &["-m", "openai/m"], "provider", "127.0.0.1:9"),
        ("", refused.as_str(), &["-m", "openai/m"], "provider", "key"),
        ("", other.as_str(), &["-m", "openai/m"], "provider", "does not list"),
        ("", "", &["-m", "nobody/m"], "model", "nobody"),
        ("", "", &["-m", "replay/none.jsonl"], "model", "none.jsonl"),
    ] {
        let place = Place::new();
        place.write("home/.config/agent/config.toml", config);
        for json in [true, false] {
            let mut all = vec!["doctor"];
            all.extend(arguments);
            all.extend(json.then_some("--json"));
            let mut command = place.agent(&all);
            if !url.is_empty() {
                command.env("OPENAI_BASE_URL", url);
            }
            let output = command.output().expect("it runs");
            let stdout = String::from_utf8(output.stdout).expect("text");
            assert_eq!(output.status.code(), Some(1), "{name} {stdout}");
            assert!(stdout.contains(words), "{words}: {stdout}");
            if json {
                let checked: Value = serde_json::from_str(&stdout).expect("JSON");
                assert_eq!(
                    (state(&checked, name).as_str(), &checked["ok"]),
                    ("broken", &json!(false))
                );
            } else {
                assert!(stdout.lines().any(|line| line.starts_with(&format!("broken   {name}"))));
            }
        }
    }
}

#[test]
fn the_prompt_is_what_a_model_is_sent() {
    let place = Place::new();
    place.write("work/AGENTS.md", "Use tabs.\n");
    let model = place.script(&[finish("Done.")]);
    let shown = place.run(&["debug", "prompt", "-m", &model, "--output-format", "json", "do it"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let recording = place.path("recording.jsonl").display().to_string();
    let ran = place.run(&["run", "-m", &model, "--record", &recording, "do it"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let recorded = place.read("recording.jsonl");
    let lines = recorded.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let request = lines.map(|line| line["line"]["request"].clone()).find(Value::is_object);
    let (shown, sent) = (shown.json(), request.expect("a request"));
    assert_eq!(shown["messages"], sent["messages"]);
    assert_eq!(shown["tools"], sent["tools"]);
    let text = place.run(&["debug", "prompt", "-m", &model, "do it"]).stdout;
    for words in ["--- system\n", "Use tabs.", "--- user\ndo it\n", "--- tool read_file\n"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let plan = place.run(&["debug", "prompt", "-m", &model, "--approval", "plan"]).stdout;
    assert!(!plan.contains("--- tool edit_file"), "{plan}");
}

#[test]
fn there_is_a_prompt_without_a_model_and_none_where_none_is_asked() {
    let place = Place::new();
    let mut command = place.agent(&["debug", "prompt", "do it", "--protocol", "json"]);
    // Somebody may have a server of that kind here.
    let output = command
        .env("AGENT_MODEL", "openai/m")
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .output();
    let shown = String::from_utf8(output.expect("it runs").stdout).expect("text");
    assert!(shown.contains("--- the reply follows"), "{shown}");
    let none = place.run(&["debug", "prompt", "-m", "openai/m", "undo the last change"]);
    assert_eq!((none.code, none.stdout.as_str()), (Some(0), ""), "{none:?}");
    assert!(none.stderr.contains("no model is asked"), "{none:?}");
}

#[cfg(unix)]
#[test]
fn the_directories_above_tell_agents_too_as_far_as_the_repository_reaches() {
    let place = Place::new();
    let model = place.script(&[finish("Done.")]);
    place.write("home/AGENTS.md", "Mine.\n");
    place.write("home/code/AGENTS.md", "Of nobody's business.\n");
    place.write("home/code/repository/AGENTS.md", "Of the repository.\n");
    place.write("home/code/repository/a/b/AGENTS.md", "Of the part.\n");
    let below = place.path("home/code/repository/a/b").display().to_string();
    let shown = || {
        let ended = place.run(&["debug", "prompt", "-C", &below, "-m", &model]);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
        let (_, instructions) = ended.stdout.split_once("# Instructions").expect("instructions");
        let end = instructions.find("\n\n--- user").expect("an end");
        instructions[..end].to_owned()
    };
    // Without a repository the way up ends at home.
    assert_eq!(
        shown(),
        " of this project (AGENTS.md)\n\nWhere they differ, the later one counts.\n\n\
         ## ../../../../AGENTS.md\n\nMine.\n\n## ../../../AGENTS.md\n\nOf nobody's business.\n\n\
         ## ../../AGENTS.md\n\nOf the repository.\n\n## AGENTS.md\n\nOf the part."
    );
    place.write("home/code/repository/.git", "gitdir: elsewhere\n");
    assert_eq!(
        shown(),
        " of this project (AGENTS.md)\n\nWhere they differ, the later one counts.\n\n\
         ## ../../AGENTS.md\n\nOf the repository.\n\n## AGENTS.md\n\nOf the part."
    );
    // A link leads nowhere else, and what does not fit is cut, the farthest first.
    std::fs::remove_file(place.path("home/code/repository/AGENTS.md")).expect("it is removed");
    std::os::unix::fs::symlink("../AGENTS.md", place.path("home/code/repository/AGENTS.md"))
        .expect("a link");
    let ended = place.run(&["debug", "prompt", "-C", &below, "-m", &model]);
    assert!(!ended.stdout.contains("nobody's business"), "{}", ended.stdout);
    std::fs::write(place.path("home/code/repository/a/b/AGENTS.md"), "x".repeat(40_000))
        .expect("a file");
    std::fs::remove_file(place.path("home/code/repository/AGENTS.md")).expect("it is removed");
    place.write("home/code/repository/AGENTS.md", "Of the repository.\n");
    let ended = place.run(&["debug", "prompt", "-C", &below, "-m", &model]);
    assert!(!ended.stdout.contains("Of the repository."), "{}", ended.stdout);
}
