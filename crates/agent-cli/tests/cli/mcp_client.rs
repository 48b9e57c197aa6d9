//! Servers of others, well-behaved and not.

use std::{
    fs,
    path::Path,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, finish};

pub(crate) const SERVER: &str = include_str!("server.sh");

/// A place whose user has declared the server `s` of this mode.
pub(crate) fn with_server(mode: &str, more: &str) -> Place {
    let place = Place::new();
    let script = place.write("server.sh", SERVER);
    let config = format!(
        "[mcp.servers.s]\ncommand = \"sh\"\nargs = [{:?}, {mode:?}]\n{more}",
        script.display().to_string()
    );
    place.write("home/.config/agent/config.toml", &config);
    place
}

/// Processes that were started in the place and are still there.
pub(crate) fn left_behind(place: &Place) -> Vec<String> {
    let mark = place.path("").display().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_the_place = processes.filter(|process| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(mark.trim_end_matches('/'))
    });
    let line = |process: fs::DirEntry| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ")
    };
    of_the_place.map(line).filter(|line| !line.is_empty()).collect()
}

/// What a call of a misbehaving server comes to.
enum Comes {
    /// To this text.
    To(&'static str),
    /// To nothing, and these words say why.
    ToNothing(&'static [&'static str]),
    /// To no call: the server can't be used, for these words' reason.
    ToNoServer(&'static str),
}

use Comes::{To, ToNoServer, ToNothing};

const UNKNOWN: &str = "Whether the call was carried out is unknown";
const QUICK_START: &str = "start_timeout_seconds = 2";
const QUICK_CALL: &str = "call_timeout_seconds = 2";

#[test]
fn a_misbehaving_server_costs_its_time_and_no_more() {
    let modes: [(&str, &str, Comes); 29] = [
        ("well", "", To("well")),
        (
            "crash-at-start",
            "",
            ToNoServer("ended with exit code 3; its standard error ends with: no licence"),
        ),
        ("hang-at-start", QUICK_START, ToNoServer("did not answer within 2 s")),
        ("noise-at-start", "", To("well")),
        ("late", "", To("well")),
        ("only-noise", QUICK_START, ToNoServer("holds what is no message: \"Booting\"")),
        ("huge-at-start", "", ToNoServer("sent a message of more than 8388608 bytes")),
        ("closes-its-output", "", ToNoServer("the MCP server `s` closed its output")),
        ("floods-stderr", "", To("well")),
        ("lingering-child", "", To("well")),
        ("ignores-the-end", "", To("well")),
        ("ignores-term", "", To("well")),
        ("wrong-version", "", ToNoServer("it speaks 1999-01-01")),
        ("wrong-id", QUICK_START, ToNoServer("the MCP server `s`")),
        ("no-greeting", "", ToNoServer("the MCP server `s` answered")),
        ("refuses-greeting", "", ToNoServer("not today")),
        ("half-a-message", "", ToNoServer("the MCP server `s` ended with exit code 0")),
        ("dies-in-list", "", ToNoServer("ended with exit code 4")),
        ("hangs-in-list", QUICK_START, ToNoServer("did not answer within 2 s")),
        ("two-of-a-name", "", To("well")),
        ("bad-schema", "", To("well")),
        ("endless-list", "", To("well")),
        ("list-changes", "", To("well")),
        ("dies-in-call", "", ToNothing(&["exit code 9", "out of memory", "is unknown"])),
        ("hangs-in-call", QUICK_CALL, ToNothing(&["within 2 s", UNKNOWN])),
        ("huge-in-call", "", ToNothing(&["more than 8388608 bytes", UNKNOWN])),
        ("noise-in-call", "", To("fine")),
        ("error-in-call", "", ToNothing(&["no such thing (-32602)", "was not carried out"])),
        ("odd-result", "", ToNothing(&["the MCP server `s` answered"])),
    ];
    thread::scope(|scope| {
        for (mode, more, comes) in modes {
            scope.spawn(move || {
                let place = with_server(mode, more);
                let started = Instant::now();
                let ended = place.run(&["mcp", "call", "s", "echo"]);
                let told = format!("{mode}: {ended:?}");
                assert!(started.elapsed() < Duration::from_secs(60), "{told}");
                match comes {
                    To(text) => {
                        assert_eq!(
                            (ended.code, &ended.json()["content"]),
                            (Some(0), &json!(text)),
                            "{told}"
                        );
                    }
                    ToNothing(words) => {
                        let result = ended.json();
                        assert_eq!(
                            (ended.code, &result["success"]),
                            (Some(1), &json!(false)),
                            "{told}"
                        );
                        let message = result["message"].as_str().expect("a message");
                        for word in words {
                            assert!(message.contains(word), "{word}: {told}");
                        }
                    }
                    ToNoServer(words) => {
                        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{told}");
                        let said = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
                        assert!(said.contains(words), "{words}: {told}");
                    }
                }
                if cfg!(target_os = "linux") {
                    assert_eq!(left_behind(&place), Vec::<String>::new(), "{mode}");
                }
            });
        }
    });
}

#[test]
fn what_is_no_text_is_named_and_what_a_server_asks_is_refused() {
    for (mode, text) in
        [("image", "[an image, image/png, 3 bytes, not shown]"), ("asks-back", "refused")]
    {
        let ended = with_server(mode, "").run(&["mcp", "call", "s", "echo", "{}"]);
        assert_eq!(ended.json()["content"], text, "{mode} {ended:?}");
    }
    let ended = with_server("no-tools", "").run(&["mcp", "call", "s", "echo"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("has no tool `echo`"), "{}", ended.stderr);
    let ended = with_server("tool-error", "").run(&["mcp", "call", "s", "echo"]);
    assert_eq!((ended.code, &ended.json()["content"]), (Some(1), &json!("it is broken")));
}

#[test]
fn a_server_sees_no_secret_that_it_was_not_given() {
    let place = with_server("shows-environment", "env = { TOKEN = \"<${GIVEN}>\" }");
    let run = |given: Option<&str>| {
        let mut command = place.agent(&["mcp", "call", "s", "echo"]);
        command.env("OPENAI_API_KEY", "sk-not-for-you").envs(given.map(|value| ("GIVEN", value)));
        Ended::of(command.output().expect("the program runs"))
    };
    assert_eq!(run(Some("x")).json()["content"], "key= token=<x>");
    let ended = run(None);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("${GIVEN}"), "{}", ended.stderr);
}

#[test]
fn a_server_that_came_with_the_directory_is_inert_until_it_is_trusted_to_the_letter() {
    let place = Place::new();
    let script = place.write("server.sh", SERVER);
    let declare = |mode: &str| {
        let server = json!({ "command": "sh", "args": [script, mode], "trusted": true });
        let file = json!({ "mcpServers": { "theirs": server } });
        place.write("work/.mcp.json", &file.to_string());
    };
    declare("well");
    let refused = place.run(&["mcp", "call", "theirs", "echo"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(10), ""));
    assert!(refused.stderr.contains("agent::config::not_trusted"), "{}", refused.stderr);
    let listed = place.run(&["mcp", "list"]);
    assert!(listed.stdout.contains("theirs  not trusted, not started"), "{listed:?}");
    let ran = place.play(&[finish("done")], &["look"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("agent mcp trust theirs"), "{}", ran.stderr);

    assert_eq!(place.run(&["mcp", "trust", "theirs"]).code, Some(0));
    assert_eq!(place.run(&["mcp", "call", "theirs", "echo"]).json()["content"], "well");
    // Another argument makes it another server, whatever its name is.
    declare("image");
    assert_eq!(place.run(&["mcp", "call", "theirs", "echo"]).code, Some(10));
    declare("well");
    assert_eq!(place.run(&["mcp", "call", "theirs", "echo"]).code, Some(0));
}

#[test]
fn servers_are_declared_listed_and_removed() {
    let place = Place::new();
    let script = place.write("server.sh", SERVER).display().to_string();
    let added =
        place.run(&["mcp", "add", "mine", "--env", "A=secret", "--", "sh", &script, "well"]);
    assert_eq!((added.code, added.stderr.as_str()), (Some(0), ""));
    let listed = place.run(&["mcp", "list", "--json"]).json();
    assert_eq!(listed[0]["tools"], json!(["mine__echo", "mine__other"]), "{listed}");
    assert_eq!((&listed[0]["env"], &listed[0]["trusted"]), (&json!(["A"]), &json!(true)));
    assert!(listed[0]["tokens"].as_u64().is_some_and(|tokens| tokens > 10), "{listed}");
    let shown = place.run(&["mcp", "get", "mine"]);
    assert!(shown.stdout.contains("mine__echo") && !shown.stdout.contains("secret"), "{shown:?}");
    assert_eq!(place.run(&["mcp", "get", "other"]).code, Some(2));
    assert_eq!(place.run(&["mcp", "call", "mine", "no_such"]).code, Some(2));
    assert_eq!(place.run(&["mcp", "remove", "mine"]).code, Some(0));
    assert_eq!(place.run(&["mcp", "remove", "mine"]).code, Some(2));
    assert_eq!(place.run(&["mcp", "list", "--json"]).json(), json!([]));
}

/// Results of a run's calls, by tool.
pub(crate) fn results(ended: &Ended) -> Vec<(String, Value)> {
    let report = ended.json();
    let history = report["history"].as_array().expect("a history").iter();
    history
        .map(|entry| {
            (entry["tool"].as_str().unwrap_or_default().to_owned(), entry["result"].clone())
        })
        .collect()
}

#[test]
fn a_run_uses_the_tools_as_the_policy_permits() {
    let replies = [call("s__echo", &json!({})), finish("done")];
    let format = ["--output-format", "json", "call it"];
    for (more, flags, success) in [
        ("", &["--approval", "all"][..], true),
        ("", &[], false),
        ("[[policy.rules]]\ntool = \"s__*\"\nverdict = \"allow\"\n", &[], true),
        (
            "[[policy.rules]]\ntool = \"s__echo\"\nverdict = \"refuse\"\n",
            &["--approval", "all"],
            false,
        ),
    ] {
        let place = with_server("well", more);
        let arguments: Vec<&str> = flags.iter().chain(&format).copied().collect();
        let ended = place.play(&replies, &arguments);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let results = results(&ended);
        assert_eq!(
            (results[0].0.as_str(), &results[0].1["success"]),
            ("s__echo", &json!(success)),
            "{more} {results:?}"
        );
        if cfg!(target_os = "linux") {
            assert_eq!(left_behind(&place), Vec::<String>::new());
        }
    }
}

#[test]
fn a_run_goes_on_without_a_server_that_is_broken_and_with_one_that_died_once() {
    let ended = with_server("crash-at-start", "").play(&[finish("done")], &["look"]);
    assert_eq!(ended.code, Some(0));
    assert!(ended.stderr.contains("its tools are missing"), "{}", ended.stderr);

    let twice =
        [call("s__echo", &json!({})), call("s__echo", &json!({ "again": 1 })), finish("done")];
    let flags = ["--approval", "all", "--output-format", "json", "call it"];
    let results_of = |mode| results(&with_server(mode, "").play(&twice, &flags));
    let once = results_of("dies-once");
    assert_eq!(
        (&once[0].1["success"], &once[1].1["content"]),
        (&json!(false), &json!("alive again")),
        "{once:?}"
    );
    let again = results_of("dies-in-call");
    assert_eq!((&again[0].1["success"], &again[1].1["success"]), (&json!(false), &json!(false)));
}

#[test]
fn trusting_for_one_run_is_not_remembered() {
    let place = Place::new();
    let script = place.write("server.sh", SERVER);
    let file = json!({ "mcpServers": { "s": { "command": "sh", "args": [script, "well"] } } });
    place.write("work/.mcp.json", &file.to_string());
    let replies = [call("s__echo", &json!({})), finish("done")];
    let flags = ["--approval", "all", "--output-format", "json"];
    let with = |more: &[&'static str]| {
        let arguments: Vec<&str> = flags.iter().chain(more).copied().collect();
        results(&place.play(&replies, &arguments))[0].1["success"].clone()
    };
    assert_eq!(with(&["--trust", "call it"]), json!(true));
    assert_eq!(with(&["call it"]), json!(false));
}

#[test]
fn an_interrupted_run_leaves_no_server() {
    let place = with_server("hangs-in-call", "");
    let model = place.script(&[call("s__echo", &json!({}))]);
    let mut command = place.agent(&["run", "-m", &model, "--approval", "all", "call it"]);
    let child = command.stdin(Stdio::null()).spawn().expect("the program starts");
    thread::sleep(Duration::from_secs(3));
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill").args(["-INT", &id]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let ended = Ended::of(child.wait_with_output().expect("the program ends"));
    assert_eq!(ended.code, Some(130), "{ended:?}");
    if Path::new("/proc/self/environ").exists() {
        assert_eq!(left_behind(&place), Vec::<String>::new());
    }
}

/// Calls of tools, one after another.
fn calls(calls: &[(&str, Value)]) -> Vec<Value> {
    calls.iter().map(|(tool, arguments)| call(tool, arguments)).chain([finish("done")]).collect()
}

/// Kills the server for files of the agent that runs it, with its supervisor.
const KILL: &str = "for p in /proc/[0-9]*; do if [ \"$(readlink $p/cwd)\" = \"$PWD\" ] && \
                    tr '\\0' ' ' <$p/cmdline | grep -q 'serve [f]s'; then kill -9 ${p#/proc/}; fi; done";

#[test]
#[cfg(target_os = "linux")]
fn tools_go_through_servers_of_our_own_and_directly_where_those_are_gone() {
    let place = Place::new();
    place.write(
        "home/.config/agent/config.toml",
        "[mcp]\nroute = \"mcp\"\n[sandbox]\nmode = \"off\"\n",
    );
    let read = || ("read_file", json!({ "target_file": "a.txt" }));
    let kill = || ("run_command", json!({ "command": KILL }));
    let model = place.script(&calls(&[
        ("create_file", json!({ "target_file": "a.txt", "content": "one\n" })),
        kill(),
        read(),
        kill(),
        read(),
        (
            "apply_patch",
            json!({ "path": "a.txt", "edits": [{ "line": 1, "old": "one", "new": "1" }] }),
        ),
        ("read_file", json!({ "target_file": "../outside" })),
    ]));
    let arguments = ["run", "-m", &model, "--approval", "all", "--output-format", "json", "go"];
    let ended = place.run(&arguments);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let results = results(&ended);
    let ways: Vec<&str> =
        results.iter().map(|(_, result)| result["route"].as_str().unwrap_or("none")).collect();
    let expected = ["mcp", "mcp", "mcp", "mcp", "direct", "direct", "direct", "none"];
    assert_eq!(ways, expected, "{results:?}");
    let reason = results[4].1["route_reason"].as_str().expect("a reason");
    assert!(reason.contains("`fs` ended twice"), "{reason}");
    assert_eq!(
        (&results[4].1["content"], &results[6].1["success"]),
        (&json!("one\n"), &json!(false))
    );
    assert_eq!(place.read("work/a.txt"), "1\n");
    assert_eq!(left_behind(&place), Vec::<String>::new());
    // Whoever made a change, it is in the same record.
    assert_eq!(place.run(&["undo", "2"]).code, Some(0));
    assert!(!place.path("work/a.txt").exists());
}
