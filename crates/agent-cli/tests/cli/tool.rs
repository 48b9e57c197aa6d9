use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Place, feed};

#[test]
fn a_tool_answers_with_one_json_object() {
    let place = Place::new();
    place.write("work/a.txt", "one\ntwo\n");
    let work = place.path("work").canonicalize().expect("a path");
    let ended = place.run(&["tool", "read_file", r#"{"target_file": "a.txt", "start_line": 2}"#]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let object = ended.json();
    assert_eq!((&object["success"], &object["content"]), (&json!(true), &json!("two\n")));
    assert_eq!(object["file_path"], json!(work.join("a.txt")));
    // Without parameters, those that have to be there are missing.
    for arguments in [&["tool", "read_file"][..], &["tool", "read_file", "[]"]] {
        let ended = place.run(arguments);
        assert_eq!((ended.code, &ended.json()["success"]), (Some(1), &json!(false)), "{ended:?}");
    }
    let ended = place.run(&["tool", "read_file", r#"{"target_file": "../a"}"#]);
    assert_eq!((ended.code, &ended.json()["success"]), (Some(1), &json!(false)), "{ended:?}");
}

#[test]
fn parameters_come_from_standard_input_where_a_dash_asks_for_it() {
    let place = Place::new();
    place.write("work/sub/a.txt", "one\n");
    let mut command = place.agent(&["tool", "-C", "sub", "read_file", "-"]);
    let child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
    let ended = feed(child, r#"{"target_file": "a.txt"}"#);
    assert_eq!((ended.code, &ended.json()["content"]), (Some(0), &json!("one\n")), "{ended:?}");
}

#[test]
fn slips_of_the_user_are_usage_errors() {
    let place = Place::new();
    for (arguments, words) in [
        (&["tool", "readfile", "{}"][..], "did you mean `read_file`?"),
        (&["tool", "xyzzy", "{}"], "the tools are list_dir, "),
        (&["tool", "finish", "{}"], "there is no tool `finish`"),
        (&["tool", "read_file", "{"], "agent::usage::bad_json"),
        (&["tool", "read_file", ""], "agent::usage::bad_json"),
        (&["tool", "-C", "nowhere", "read_file"], "agent::usage::directory"),
        (&["tool"], "required"),
    ] {
        let ended = place.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?} {ended:?}");
        assert!(ended.stderr.contains(words), "{arguments:?} {}", ended.stderr);
    }
}

#[test]
fn lines_are_answered_in_order_and_a_bad_one_stops_nothing() {
    let place = Place::new();
    let calls = concat!(
        r#"{"id": 1, "tool": "create_file", "params": {"target_file": "a", "content": "x\n"}}"#,
        "\n\nno json\n",
        r#"{"id": "three", "tool": "no_such_tool"}"#,
        "\n",
        r#"{"id": 4, "tool": "read_file", "params": {"target_file": "a"}}"#,
    );
    let mut command = place.agent(&["tool", "--jsonl"]);
    let child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
    let ended = feed(child, calls);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let answers = ended.lines();
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(1), &Value::Null, &json!("three"), &json!(4)]);
    let succeeded: Vec<&Value> =
        answers.iter().map(|answer| &answer["result"]["success"]).collect();
    assert_eq!(succeeded, [&json!(true), &json!(false), &json!(false), &json!(true)]);
    let problem = answers[1]["result"]["message"].as_str().unwrap_or_default();
    assert!(problem.starts_with("line 3: this is no JSON object: "), "{problem}");
    assert_eq!(answers[3]["result"]["content"], "x\n");
}

#[test]
fn the_list_has_a_schema_for_every_tool() {
    let listed = Place::new().run(&["tool", "--list"]).json();
    let tools = listed.as_array().expect("a list");
    assert!(tools.len() >= 10, "{listed}");
    for tool in tools {
        assert!(tool["name"].is_string() && tool["description"].is_string(), "{tool}");
        assert_eq!(tool["parameters"]["type"], "object", "{tool}");
    }
}

#[test]
fn an_edit_without_a_model_says_what_to_do_instead() {
    let place = Place::new();
    if std::net::TcpStream::connect("127.0.0.1:11434").is_ok() {
        return;
    }
    place.write("work/a.txt", "one\ntwo\n");
    let sketch = r##"{"target_file": "a.txt", "instructions": "x",
        "code_edit": "# ... existing code ...\nzzz\n# ... existing code ...\n"}"##;
    let ended = place.run(&["tool", "edit_file", sketch]);
    assert_eq!((ended.code, &ended.json()["success"]), (Some(1), &json!(false)), "{ended:?}");
    assert_eq!(place.read("work/a.txt"), "one\ntwo\n");
}
