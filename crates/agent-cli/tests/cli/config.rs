use crate::support::{Ended, Place};

#[test]
fn show_prints_a_file_that_means_the_same() {
    let place = Place::new();
    let shown = place.run(&["config", "show"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    place.write("home/.config/agent/config.toml", &shown.stdout);
    assert_eq!(place.run(&["config", "show"]).stdout, shown.stdout);
}

#[test]
fn every_value_knows_where_it_comes_from() {
    let place = Place::new();
    let user = place.write("home/.config/agent/config.toml", "max_turns = 3\nlimits.edits = 5\n");
    place.write("work/.agent/config.toml", "max_turns = 4\nopenai.base_url = 'http://evil/v1'\n");
    let mut command = place.agent(&["config", "show", "--origin", "-m", "ollama/x"]);
    command.env("AGENT_OLLAMA_NUM_CTX", "999");
    let ended = Ended::of(command.output().expect("the program runs"));
    for line in [
        "model = \"ollama/x\"  # flag: --model".to_owned(),
        "max_turns = 4  # .agent/config.toml:1".to_owned(),
        "# openai.base_url is not set".to_owned(),
        "ollama.num_ctx = 999  # environment: AGENT_OLLAMA_NUM_CTX".to_owned(),
        format!("limits.edits = 5  # {}:2", user.display()),
        "limits.matches = 50  # default".to_owned(),
    ] {
        assert!(ended.stdout.lines().any(|shown| shown == line), "{line}: {}", ended.stdout);
    }
    let warning = "warning: .agent/config.toml:2: `openai.base_url` is ignored: ";
    assert!(ended.stderr.starts_with(warning), "{}", ended.stderr);
}

#[test]
fn set_writes_the_users_file_and_keeps_its_comments() {
    let place = Place::new();
    let path = place.path("home/.config/agent/config.toml");
    assert_eq!(place.run(&["config", "path"]).stdout, format!("{}\n", path.display()));
    assert_eq!(place.run(&["config", "set", "max_turns", "7"]).code, Some(0));
    assert_eq!(place.read("home/.config/agent/config.toml"), "max_turns = 7\n");
    place.write("home/.config/agent/config.toml", "# mine\nmax_turns = 7 # few\n");
    assert_eq!(place.run(&["config", "set", "max_turns", "8"]).code, Some(0));
    assert_eq!(place.read("home/.config/agent/config.toml"), "# mine\nmax_turns = 8 # few\n");
}

#[test]
fn set_refuses_what_would_not_be_read_back() {
    let place = Place::new();
    for (arguments, code, words) in [
        (&["config", "set", "max_turn", "7"][..], 2, "did you mean `max_turns`?"),
        (&["config", "set", "max_turns", "many"], 2, "must be a whole number from 1 to 100000"),
        (&["config", "set", "max_turns", "-1"], 2, "must be a whole number from 1 to 100000"),
        (&["config", "set", "openai.api_key", "sk"], 2, "set OPENAI_API_KEY"),
        (&["config", "set", "max_turns"], 2, "required"),
        (&["config", "unset", "max_turns"], 2, "unrecognized subcommand"),
    ] {
        let ended = place.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""), "{arguments:?}");
        assert!(ended.stderr.contains(words), "{arguments:?} {}", ended.stderr);
    }
    place.write("home/.config/agent/config.toml", "nonsense = 1\n");
    let ended = place.run(&["config", "set", "max_turns", "7"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    assert!(ended.stderr.contains("config.toml:1: unknown key `nonsense`"), "{ended:?}");
    assert_eq!(place.read("home/.config/agent/config.toml"), "nonsense = 1\n");
}

#[test]
fn a_workspaces_file_that_is_none_is_told_from_one_that_is_broken() {
    let place = Place::new();
    place.write("work/.agent", "not a directory");
    assert_eq!(place.run(&["config", "show"]).code, Some(0));
    std::fs::remove_file(place.path("work/.agent")).expect("removed");
    place.write("work/.agent/config.toml", "max_turns = 'x'\n");
    let ended = place.run(&["config", "show"]);
    assert_eq!(ended.code, Some(10));
    assert!(ended.stderr.contains(".agent/config.toml:1: `max_turns` must be"), "{ended:?}");
}

#[test]
#[cfg(unix)]
fn a_workspaces_file_that_leads_outside_is_not_followed() {
    let place = Place::new();
    let outside = place.write("outside.toml", "max_turns = 3\n");
    std::fs::create_dir(place.path("work/.agent")).expect("a directory");
    let link = place.path("work/.agent/config.toml");
    std::os::unix::fs::symlink(outside, link).expect("a link");
    let ended = place.run(&["config", "show"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    assert!(ended.stderr.contains("agent::config::unreadable"), "{ended:?}");
}
