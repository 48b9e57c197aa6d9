use std::{process::Child, thread, time::Duration};

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, finish};

/// Runs a task in a place.
fn ran(place: &Place, replies: &[Value], arguments: &[&str]) -> Value {
    let ended = place.play(replies, &[&["--output-format", "json"], arguments].concat());
    ended.json()
}

fn notes(place: &Place, id: &str) -> Vec<Value> {
    let shown = place.run(&["sessions", "show", id, "--output-format", "json"]).json();
    shown["notes"].as_array().expect("notes").clone()
}

/// The conversations that the model was sent in a session, as texts.
fn requests(place: &Place, id: &str) -> Vec<String> {
    let mut sent: Vec<Value> = Vec::new();
    let notes = notes(place, id);
    let lines = notes.iter().filter_map(|note| note.get("line"));
    lines
        .map(|line| {
            let request = &line["request"];
            let keep = request["keep"].as_u64().unwrap_or_default();
            sent.truncate(usize::try_from(keep).expect("few"));
            sent.extend(request["messages"].as_array().expect("messages").iter().cloned());
            sent.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
        })
        .collect()
}

#[test]
fn a_session_goes_on_with_the_next_request() {
    let place = Place::new();
    let create = call("create_file", &json!({ "target_file": "a.txt", "content": "one\n" }));
    let first = ran(&place, &[create, finish("Made.")], &["make a.txt"]);
    let id = first["session_id"].as_str().expect("an id");
    place.write("work/a.txt", "two\n");

    let expects = json!({ "contains": ["make a.txt", "Made.", "not as you last saw", "and now?"] });
    let mut answer = finish("Nothing.");
    answer["expect"] = expects;
    let second = ran(&place, &[answer], &["-c", "and now?"]);
    assert_eq!((&second["session_id"], &second["outcome"]), (&json!(id), &json!("finished")));
    assert_eq!((&second["user_query"], &second["turns"]), (&json!("and now?"), &json!(1)));

    let third = ran(&place, &[finish("Still.")], &["-r", &id[..13], "and then?"]);
    assert_eq!(third["session_id"], id);
    let sent = requests(&place, id);
    assert_eq!(sent.len(), 4);
    for pair in sent.windows(2) {
        assert!(pair[1].starts_with(&pair[0]), "{}\n\n{}", pair[0], pair[1]);
    }

    let listed = place.run(&["sessions", "--output-format", "json"]).json();
    let session = &listed["sessions"][0];
    assert_eq!((&session["id"], &session["task"]), (&json!(id), &json!("make a.txt")));
    assert_eq!((&session["requests"], &session["actions"]), (&json!(3), &json!(4)));
    assert_eq!(session["outcome"], "finished");
    let shown = place.run(&["sessions", "show", &id[..13]]).stdout;
    for words in ["> make a.txt\n", "  create_file a.txt\n", "Made.\n", "> and then?\n", "Still.\n"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn without_a_task_only_what_is_unfinished_goes_on() {
    let place = Place::new();
    let list = call("list_dir", &json!({ "path": "." }));
    let first = ran(&place, &[list], &["--max-turns", "1", "look around"]);
    assert_eq!(first["outcome"], "budget");
    let mut answer = finish("Empty.");
    answer["expect"] = json!({ "contains": ["look around"], "last": "goes on now" });
    let model = place.script(&[answer]);
    let ended = place.run(&["resume", "-m", &model, "-q"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Empty.\n"), "{ended:?}");
    let ended = place.run(&["resume", "-m", &model, "-q"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
    assert!(ended.stderr.contains("agent::usage::no_task"), "{}", ended.stderr);
}

/// Kills the run once the session has an action of this tool that has begun.
fn kill_in(place: &Place, mut child: Child, tool: &str) {
    for _ in 0..600 {
        thread::sleep(Duration::from_millis(20));
        let shown = place.run(&["sessions", "--output-format", "json"]).stdout;
        let listed: Value = serde_json::from_str(&shown).unwrap_or_default();
        let Some(id) = listed["sessions"][0]["id"].as_str() else { continue };
        let begun = notes(place, id).iter().any(|note| note["tool"] == tool);
        if begun {
            break;
        }
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn a_call_that_was_cut_off_gets_a_result_and_says_what_is_known() {
    let place = Place::new();
    place.write("work/a.txt", "one\ntwo\n");
    // The model's plan for the edit never comes, so the edit is cut off before it is made.
    let sketch = json!({
        "target_file": "a.txt", "instructions": "x", "code_edit": "zzz\n# ... existing code ...\nyyy\n",
    });
    let slow = json!({ "purpose": "edit_plan", "text": "x", "fault": { "stall_ms": 600_000 } });
    let create = json!({ "target_file": "b.txt", "content": "b\n" });
    let mut both = call("create_file", &create);
    let calls = both["calls"].as_array_mut().expect("calls");
    calls.push(json!({ "name": "edit_file", "arguments": sketch }));
    calls.push(json!({ "name": "delete_file", "arguments": { "target_file": "a.txt" } }));
    let model = place.script(&[both, slow]);
    let child = place.agent(&["run", "-q", "-m", &model, "do"]).spawn().expect("runs");
    kill_in(&place, child, "edit_file");

    let listed = place.run(&["sessions"]).stdout;
    assert!(listed.contains("unfinished"), "{listed}");
    let mut answer = finish("Done.");
    answer["expect"] = json!({
        "contains": [
            "interrupted: the program ended before this call had a result; no file was changed by it",
            "it was not begun",
        ],
        "last": "goes on now",
    });
    let model = place.script(&[answer]);
    let ended = place.run(&["resume", "-m", &model, "--output-format", "json"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let report = ended.json();
    let history: Vec<_> = report["history"].as_array().expect("a list").iter().collect();
    let tools: Vec<_> = history.iter().map(|action| action["tool"].clone()).collect();
    assert_eq!(tools, ["create_file", "edit_file", "finish"]);
    assert_eq!(report["undone"][0]["target_file"], "a.txt");
    assert_eq!(place.read("work/a.txt"), "one\ntwo\n");
}

#[test]
fn sessions_are_found_by_the_beginning_of_their_id_and_removed() {
    let place = Place::new();
    let ids: Vec<String> = ["one", "two"]
        .map(|task| {
            let report = ran(&place, &[finish("Done.")], &[task]);
            report["session_id"].as_str().expect("an id").to_owned()
        })
        .into();
    for (prefix, words) in [
        ("ffff", "there is no session whose id begins with `ffff`"),
        (&ids[0][..4], "several sessions have an id"),
        ("", "there is no session"),
        ("%", "there is no session"),
    ] {
        for arguments in [&["sessions", "show", prefix][..], &["run", "-r", prefix, "x"]] {
            let ended = place.run(arguments);
            assert_eq!(ended.code, Some(2), "{arguments:?} {ended:?}");
            assert!(ended.stderr.contains(words), "{arguments:?} {}", ended.stderr);
        }
    }
    let ended = place.run(&["sessions", "rm", &ids[0], "nothing"]);
    assert_eq!(ended.code, Some(2), "one slip removes nothing");
    assert_eq!(place.run(&["sessions", "rm", &ids[0]]).code, Some(0));
    let listed = place.run(&["sessions", "list", "--output-format", "json"]).json();
    let left: Vec<_> = listed["sessions"].as_array().expect("a list").iter().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["id"], ids[1].as_str());
}

#[test]
fn a_session_belongs_to_its_directory() {
    let place = Place::new();
    place.write("elsewhere/x", "");
    let report = ran(&place, &[finish("Done.")], &["one"]);
    let id = report["session_id"].as_str().expect("an id");
    let elsewhere = place.path("elsewhere").display().to_string();
    let ended = place.run(&["run", "-C", &elsewhere, "-c", "x"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let ended = place.run(&["run", "-C", &elsewhere, "-r", id, "x"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("the session is one of"), "{}", ended.stderr);
    // Called up from elsewhere it works in its own directory.
    let create = call("create_file", &json!({ "target_file": "b.txt", "content": "b\n" }));
    let model = place.script(&[create, finish("Done.")]);
    let mut command = place.agent(&["resume", id, "more", "-q", "-m", &model]);
    let ended = Ended::of(command.current_dir(&elsewhere).output().expect("runs"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(place.read("work/b.txt"), "b\n");
    let listed = place.run(&["sessions", "-C", &elsewhere]);
    assert_eq!((listed.code, listed.stdout.as_str()), (Some(0), ""));
    assert_eq!(place.run(&["sessions", "--all"]).stdout.lines().count(), 1);
}

#[test]
fn an_ephemeral_run_leaves_no_session() {
    let place = Place::new();
    let ended = place.play(&[finish("Done.")], &["-q", "--ephemeral", "one"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!place.path("home").exists());
    let ended = place.run(&["sessions"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), ""));
    assert!(!place.path("home").exists());
}

#[test]
fn a_read_only_session_that_may_edit_now_gets_the_tools_for_it() {
    let place = Place::new();
    let mut first = finish("A plan.");
    first["expect"] = json!({ "tools": [
        "list_dir", "grep_search", "file_search", "read_file", "check_syntax", "finish",
    ] });
    ran(&place, &[first], &["--read-only", "plan it"]);
    let create = call("create_file", &json!({ "target_file": "b.txt", "content": "b\n" }));
    let report = ran(&place, &[create, finish("Done.")], &["-c", "do it"]);
    assert_eq!(report["outcome"], "finished", "{report}");
    assert_eq!(place.read("work/b.txt"), "b\n");
}

#[test]
fn old_sessions_and_changes_are_pruned_and_what_that_costs_is_said() {
    let place = Place::new();
    let create = call("create_file", &json!({ "target_file": "b.txt", "content": "b\n" }));
    ran(&place, &[create, finish("Done.")], &["one"]);
    let nothing = place.run(&["sessions", "prune"]);
    assert_eq!(nothing.stdout, "removed: sessions: 0, changes: 0\n", "{nothing:?}");
    thread::sleep(Duration::from_millis(5));
    let all = ["sessions", "prune", "--older-than", "0"];
    let dry = place.run(&[&all[..], &["--dry-run"]].concat()).stdout;
    let work = std::fs::canonicalize(place.path("work")).expect("a path").display().to_string();
    let expected = format!(
        "would be removed: sessions: 1, changes: 1\n\
         could no longer be undone or redone in {work}:\n      1  b.txt +1 -0\n"
    );
    assert_eq!(dry, expected);
    let object = place.run(&[&all[..], &["--output-format", "json"]].concat()).json();
    assert_eq!(object["changes"][0]["id"], 1, "{object}");
    assert_eq!(place.run(&["sessions"]).stdout, "");
    let ended = place.run(&["undo"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(place.read("work/b.txt"), "b\n");
}

#[test]
fn edits_that_nobody_answered_wait_for_the_session_to_go_on() {
    let place = Place::new();
    let (mut calls, files) = (Vec::new(), ["a.txt", "b.txt"]);
    for file in files {
        place.write(&format!("work/{file}"), "one\n");
        let edits = json!([{"line": 1, "old": "one", "new": "two"}]);
        calls.push(json!({"name": "apply_patch", "arguments": {"path": file, "edits": edits}}));
    }
    let reply = json!({"purpose": "decide", "calls": calls});
    let first = ["--approval", "ask", "--output-format", "json", "change both"];
    let ended = place.play(&[reply, finish("Done.")], &first).json();
    assert_eq!((&ended["exit_code"], &ended["awaiting_approval"]), (&json!(15), &json!(true)));
    let pending: Vec<&Value> =
        ended["pending_edits"].as_array().expect("a list").iter().map(|it| &it["file"]).collect();
    assert_eq!(pending, files);

    let model = place.script(&[finish("Done after all.")]);
    let again =
        |approval: &str| place.run(&["resume", "-m", &model, "--approval", approval, "--json"]);
    let nobody = again("ask");
    assert_eq!(nobody.code, Some(15), "{nobody:?}");
    assert_eq!(place.read("work/a.txt"), "one\n");
    let shown = place.run(&["sessions", "show", ended["session_id"].as_str().expect("an id")]);
    assert!(shown.stdout.contains("  waits to be allowed: b.txt\n"), "{shown:?}");

    let allowed = again("edits");
    assert_eq!(allowed.code, Some(0), "{allowed:?}");
    assert_eq!(place.read("work/a.txt") + &place.read("work/b.txt"), "two\ntwo\n");
    let path = place.path("session.jsonl");
    let (id, path) = (ended["session_id"].as_str().expect("an id"), path.to_str().expect("a path"));
    assert_eq!(place.run(&["sessions", "export", id, "-o", path]).code, Some(0));
    let replayed = place.run(&["replay", path]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
}
