use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, finish, server};

fn fault(fault: &Value) -> Value {
    json!({ "purpose": "decide", "fault": fault })
}

#[test]
fn the_answer_alone_goes_to_standard_output() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    let look = call("read_file", &json!({ "target_file": "a.txt", "explanation": "Look" }));
    let ended = place.play(&[look, finish("It says one.")], &["what does a.txt say?"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout, "It says one.\n");
    assert!(ended.stderr.contains("› read_file  a.txt  Look\n  1 line · "), "{}", ended.stderr);
    assert!(ended.stderr.contains("finished · 2 turns · "), "{}", ended.stderr);
    assert!(!ended.stderr.contains('\x1b'), "{}", ended.stderr);
}

#[test]
fn quiet_leaves_only_the_answer() {
    let ended = Place::new().play(&[finish("Done.")], &["-q", "do"]);
    assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("Done.\n", ""));
}

#[test]
fn json_is_one_object_with_the_whole_run() {
    let ended = Place::new().play(&[finish("Done.")], &["--output-format", "json", "do"]);
    let object = ended.json();
    assert_eq!(object["user_query"], "do");
    assert_eq!(object["response"], "Done.");
    assert_eq!(object["outcome"], "finished");
    assert_eq!(object["exit_code"], 0);
    assert_eq!(object["history"][0]["tool"], "finish");
    assert_eq!(object.get("error"), None);
    assert_eq!(ended.stderr, "");
}

#[test]
fn stream_json_begins_with_init_and_ends_with_result() {
    let place = Place::new();
    for flags in [&["--json"][..], &["--output-format", "stream-json"]] {
        let mut arguments = flags.to_vec();
        arguments.push("do");
        let events = place.play(&[finish("Done.")], &arguments).lines();
        let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
        assert_eq!(types, ["system", "assistant", "user", "result"]);
        assert_eq!(events[3]["result"], "Done.");
        let session = &events[0]["session_id"];
        assert!(events.iter().all(|event| event["session_id"] == *session), "{events:?}");
    }
}

/// Each way to end, by what the model's side does.
#[test]
fn every_outcome_has_its_exit_code_its_name_and_its_diagnostic() {
    let outside = call("read_file", &json!({ "target_file": "../secret", "explanation": "x" }));
    let status = |code: u16| fault(&json!({ "status": code, "body": "{}" }));
    let empty = json!({ "purpose": "decide", "text": "" });
    let look = call("list_dir", &json!({ "relative_workspace_path": ".", "explanation": "x" }));
    let gone = || finish("never reached");
    for (replies, code, outcome, error) in [
        (vec![empty.clone(), empty.clone(), empty], 1, "failed", "agent::model::malformed"),
        (vec![status(401)], 11, "auth", "agent::provider::unauthorized"),
        (vec![status(404)], 12, "provider", "agent::provider::not_found"),
        (vec![fault(&json!({ "cut_after_bytes": 0 }))], 12, "provider", "agent::provider::network"),
        (vec![look.clone(), look, gone()], 13, "budget", "agent::budget::turns"),
        (
            vec![outside.clone(), outside.clone(), outside],
            14,
            "policy",
            "agent::policy::repeated_violation",
        ),
    ] {
        let place = Place::new();
        let turns = if code == 13 { "2" } else { "9" };
        let arguments = ["--max-turns", turns, "--output-format", "json", "do"];
        let ended = place.play(&replies, &arguments);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        let object = ended.json();
        assert_eq!(object["outcome"], outcome);
        assert_eq!(object["exit_code"], code);
        assert_eq!(object["error"]["code"], error);
        assert!(object["error"]["help"].is_string(), "{object}");
        assert!(ended.stderr.contains(error) && ended.stderr.contains("help: "), "{ended:?}");
        // The words of the diagnostic are the same in text.
        let ended = place.play(&replies, &["--max-turns", turns, "do"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""));
        assert!(ended.stderr.contains(error), "{ended:?}");
    }
}

#[test]
fn a_wrong_command_line_is_told_from_a_wrong_configuration() {
    let place = Place::new();
    place.write("broken/agent/config.toml", "max_turns = \n");
    let broken = place.path("broken").display().to_string();
    for (arguments, variables, code, error) in [
        (&["run"][..], &[][..], 2, "agent::usage::no_task"),
        (&["run", "  "], &[], 2, "agent::usage::empty_task"),
        (&["run", "-C", "nowhere", "do"], &[], 2, "agent::usage::directory"),
        (&["run", "--max-turns", "0", "do"], &[], 2, "agent::usage::wrong_value"),
        (&["run", "--max-cost=-1", "do"], &[], 2, "agent::usage::wrong_value"),
        (&["run", "--time-limit", "0", "do"], &[], 2, "agent::usage::wrong_value"),
        (
            &["run", "--max-cost", "1", "-m", "ollama/x", "do"],
            &[],
            2,
            "agent::usage::unknown_price",
        ),
        (
            &["run", "-m", "openai/gpt-5", "--base-url", "http://127.0.0.1:1/v1", "do"],
            &[("AGENT_MAX_COST", "1")],
            10,
            "agent::config::unknown_price",
        ),
        (&["run", "-m", "gpt", "do"], &[], 2, "agent::usage::model"),
        (&["run", "-m", "mistral/x", "do"], &[], 2, "agent::usage::model"),
        (&["run", "-m", "gemini/pro", "do"], &[], 10, "agent::config::no_key"),
        (
            &["run", "-m", "openai/x", "--base-url", "here", "do"],
            &[],
            2,
            "agent::usage::wrong_value",
        ),
        (&["run", "-o", "no/such/dir/f", "do"], &[], 2, "agent::usage::output_file"),
        (&["run", "do"], &[("AGENT_MODEL", "gpt")], 10, "agent::config::model"),
        (&["run", "do"], &[("AGENT_MAX_TURNS", "x")], 10, "agent::config::wrong_value"),
        (&["run", "do"], &[("XDG_CONFIG_HOME", &broken)], 10, "agent::config::syntax"),
        (&["run", "do"], &[("AGENT_LOG", "a=b=c")], 10, "agent::config::log"),
        (&["run", "-m", "replay/none.jsonl", "do"], &[], 10, "agent::config::recording"),
        (
            &["run", "-m", "ollama/x", "do"],
            &[("OLLAMA_HOST", "h:p:q")],
            10,
            "agent::config::endpoint",
        ),
    ] {
        let run = |more: &[&str]| {
            let mut command = place.agent(arguments);
            command.args(more).envs(variables.iter().copied());
            Ended::of(command.output().expect("the program runs"))
        };
        let ended = run(&[]);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(code), ""),
            "{arguments:?} {ended:?}"
        );
        assert!(ended.stderr.contains(error), "{arguments:?} {}", ended.stderr);
        // Programs that read JSON are told in JSON, last.
        let name = if code == 2 { "usage" } else { "config" };
        let whole = run(&["--output-format", "json"]).json();
        let events = run(&["--json"]).lines();
        assert_eq!(events.len(), 1, "{arguments:?} {events:?}");
        assert_eq!(events[0]["type"], "result");
        for object in [&whole, &events[0]] {
            assert_eq!(object["outcome"], name, "{arguments:?} {object}");
            assert_eq!(object["exit_code"], code, "{arguments:?} {object}");
            assert_eq!(object["error"]["code"], error, "{arguments:?} {object}");
        }
    }
}

#[test]
fn warnings_come_after_the_sessions_beginning() {
    let place = Place::new();
    place.write("work/.agent/config.toml", "approval = 'all'\n");
    let ended = place.play(&[finish("Done.")], &["--json", "do"]);
    let events = ended.lines();
    let types: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(types, ["system", "warning", "assistant", "user", "result"]);
    assert!(ended.stderr.starts_with("warning: .agent/config.toml:1: `approval` is ignored"));
    // Also where there is no session, whoever looks at the screen is warned.
    let ended = place.run(&["run", "-m", "replay/none", "do"]);
    assert!(ended.stderr.starts_with("warning: .agent/config.toml:1: "), "{ended:?}");
}

#[test]
fn what_this_version_lacks_is_a_usage_error() {
    let place = Place::new();
    for (arguments, words) in [
        (&["run", "--approval", "always", "do"][..], "choose ask, edits, all or plan"),
        (&["run", "--sandbox", "none", "do"], "invalid value 'none' for '--sandbox <MODE>'"),
        (&["run", "--allow-command", "ls; rm", "do"], "give the first words of one command"),
        (&["chats"], "unrecognized subcommand 'chats'"),
        (&["run", "--max-turn", "3", "do"], "'--max-turns'"),
        (&[], "there is nobody to talk with"),
    ] {
        let ended = place.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
}

#[test]
fn without_any_provider_the_error_names_the_ways_to_get_one() {
    if std::net::TcpStream::connect("127.0.0.1:11434").is_ok() {
        // This machine has a provider: the very thing that must not be there.
        return;
    }
    let place = Place::new();
    let ended = place.run(&["run", "do"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    for way in [
        "no_model",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "ollama serve",
        "OLLAMA_HOST",
        "agent demo",
    ] {
        assert!(ended.stderr.contains(way), "{way}: {}", ended.stderr);
    }
}

#[test]
fn a_vendor_without_its_key_is_not_asked() {
    let place = Place::new();
    for (model, key) in [
        ("openai/gpt-5", "OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("gemini/pro", "GEMINI_API_KEY"),
    ] {
        let ended = place.run(&["run", "-m", model, "do"]);
        assert_eq!(ended.code, Some(10), "{ended:?}");
        assert!(ended.stderr.contains("no_key") && ended.stderr.contains(key), "{ended:?}");
    }
}

#[test]
fn a_base_url_alone_takes_the_servers_first_model() {
    let place = Place::new();
    let url = server("404 Not Found", "{}") + "/v1";
    let mut command = place.agent(&["run", "--output-format", "json", "do"]);
    command.env("OPENAI_BASE_URL", url);
    let ended = Ended::of(command.output().expect("the program runs"));
    assert_eq!(ended.json()["error"]["code"], "agent::provider::not_found");

    let url = server("200 OK", r#"{"data": [{"id": "first"}, {"id": "second"}]}"#) + "/v1";
    let mut command = place.agent(&["run", "--output-format", "json", "do"]);
    command.env("OPENAI_BASE_URL", url);
    let ended = Ended::of(command.output().expect("the program runs"));
    assert_eq!(ended.json()["model"], "openai/first", "{ended:?}");
}

#[test]
fn the_answer_file_holds_this_runs_answer_or_nothing() {
    let place = Place::new();
    place.write("work/answer.txt", "an older and longer answer\n");
    let ended = place.play(&[finish("New.")], &["-o", "answer.txt", "do"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "New.\n"));
    assert_eq!(place.read("work/answer.txt"), "New.\n");
    let ended = place.play(&[fault(&json!({ "status": 401 }))], &["-o", "answer.txt", "do"]);
    assert_eq!(ended.code, Some(11));
    assert_eq!(place.read("work/answer.txt"), "");
}

#[test]
fn a_closed_standard_output_is_no_panic() {
    let place = Place::new();
    for format in ["text", "json", "stream-json"] {
        let model = place.script(&[finish("Done.")]);
        let mut command = place.agent(&["run", "-m", &model, "--output-format", format, "do"]);
        let mut child = command.spawn().expect("the program runs");
        drop(child.stdout.take());
        let ended = Ended::of(child.wait_with_output().expect("the program ends"));
        assert_eq!(ended.code, Some(0), "{format} {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{ended:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_answer_that_can_not_be_written_is_not_success() {
    let place = Place::new();
    let model = place.script(&[finish("Done.")]);
    for format in ["text", "json", "stream-json"] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("/dev/full");
        let mut command = place.agent(&["run", "-m", &model, "--output-format", format, "do"]);
        let ended = Ended::of(command.stdout(Stdio::from(full)).output().expect("it runs"));
        assert_eq!(ended.code, Some(1), "{format} {ended:?}");
        assert!(ended.stderr.contains("agent::output"), "{format} {ended:?}");
    }
}

#[test]
fn read_only_refuses_to_write_and_says_so() {
    let place = Place::new();
    let create = call(
        "create_file",
        &json!({ "target_file": "new.txt", "content": "x", "explanation": "y" }),
    );
    let ended = place.play(&[create, finish("I did not.")], &["--read-only", "do"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!place.path("work/new.txt").exists());
    assert!(ended.stderr.contains("not done: create_file new.txt: refused"), "{ended:?}");
}
