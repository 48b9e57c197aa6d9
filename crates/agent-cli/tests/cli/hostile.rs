//! Surroundings that are not well-meaning: a repository whose settings execute programs, a kernel
//! without what the sandbox needs, commands that say too much.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
    thread,
};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use serde_json::{Value, json};

use crate::support::{Ended, Place, call, finish};

/// A repository in which everything that git can be made to execute leaves a mark.
fn hostile_repository() -> Place {
    let place = Place::new();
    let mark = format!("touch {}", place.path("executed").display());
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    for directory in ["objects", "refs/heads", "info"] {
        fs::create_dir_all(place.path("work/.git").join(directory)).expect("a directory");
    }
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {mark}\n\tpager = {mark}\n\teditor = \
         {mark}\n\tsshCommand = {mark}\n\tgitProxy = {mark}\n\thooksPath = evil\n[pager]\n\tstatus = \
         {mark}\n\tdiff = {mark}\n[diff]\n\texternal = {mark}\n[diff \"evil\"]\n\tcommand = \
         {mark}\n\ttextconv = {mark}\n[filter \"evil\"]\n\tclean = {mark}\n\tsmudge = {mark}\n\t\
         process = {mark}\n\trequired = true\n[merge \"evil\"]\n\tdriver = {mark}\n[credential]\n\t\
         helper = !{mark}\n[alias]\n\tstatus = !{mark}\n\tversion = !{mark}\n[gpg]\n\tprogram = \
         {mark}\n[include]\n\tpath = ../evil/more\n"
    );
    place.write("work/.git/config", &config);
    place.write("work/evil/more", &format!("[core]\n\taskPass = {mark}\n"));
    let attributes = "* filter=evil diff=evil merge=evil\n";
    place.write("work/.gitattributes", attributes);
    place.write("work/.git/info/attributes", attributes);
    place.write("work/a.txt", "one\n");
    for hook in ["post-checkout", "pre-commit", "post-commit", "post-index-change", "fsmonitor"] {
        for directory in ["evil", ".git/hooks"] {
            let hook =
                place.write(&format!("work/{directory}/{hook}"), &format!("#!/bin/sh\n{mark}\n"));
            fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).expect("a mode");
        }
    }
    place
}

#[test]
fn nothing_that_a_repository_is_set_up_to_execute_is_executed() {
    let place = hostile_repository();
    let edit = call(
        "apply_patch",
        &json!({"path": "a.txt", "edits": [{"line": 1, "old": "one", "new": "two"}]}),
    );
    let search = call("grep_search", &json!({"query": "one"}));
    let list = call("list_dir", &json!({"relative_workspace_path": "."}));
    let replies = [list, search, edit, finish("Done.")];
    let ended = place.play(&replies, &["Change one to two."]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for arguments in [
        &["doctor"][..],
        &["diff"],
        &["changes"],
        &["undo"],
        &["redo"],
        &["run", "-q", "undo everything"],
        &["run", "-q", "what can you do?"],
        &["sessions", "list"],
        &["config", "show"],
        &["debug", "prompt", "-m", "ollama/x", "explain a.txt"],
        &["tool", "read_file", r#"{"target_file": "a.txt"}"#],
        &["tool", "file_search", r#"{"query": "a"}"#],
        &["tool", "check_syntax", r#"{"path": "a.txt"}"#],
        &["tool", "run_command", r#"{"command": "echo hi"}"#],
    ] {
        place.run(arguments);
        assert!(!place.path("executed").exists(), "{arguments:?}");
    }
    // Nor where a model asks git how things are, as far as reading goes.
    let status = json!({"command": "git status; git log; git --version"}).to_string();
    place.run(&["tool", "run_command", &status]);
    assert!(!place.path("executed").exists(), "git status");
    // Whoever asks git without that care gets what the repository is set up for.
    let git = Command::new("git").arg("status").current_dir(place.path("work")).output();
    if git.is_ok() {
        assert!(place.path("executed").exists(), "the repository is not hostile: {git:?}");
    }
}

/// Runs the program in a kernel that knows no Landlock.
fn without_landlock(place: &Place, arguments: &[&str]) -> Ended {
    let calls = [
        libc::SYS_landlock_create_ruleset,
        libc::SYS_landlock_add_rule,
        libc::SYS_landlock_restrict_self,
    ];
    let rules = calls.into_iter().map(|call| (call, Vec::new())).collect();
    let unknown = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let arch = std::env::consts::ARCH.try_into().expect("a known machine");
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, unknown, arch).expect("a filter");
    let filter: BpfProgram = filter.try_into().expect("a program");
    let mut agent = place.agent(arguments);
    // A filter holds for one thread and what it starts.
    let started = thread::spawn(move || {
        seccompiler::apply_filter(&filter).expect("the filter is installed");
        agent.output()
    });
    Ended::of(started.join().expect("the thread ends").expect("the program runs"))
}

#[test]
fn a_kernel_without_landlock_is_said_plainly() {
    let place = Place::new();
    let hello = json!({"command": "echo hello"}).to_string();
    let result = without_landlock(&place, &["tool", "run_command", &hello]).json();
    assert_eq!(result["stdout"], "hello\n", "{result}");
    let sandbox = result["sandbox"].as_str().unwrap_or_default();
    if sandbox.starts_with("bubblewrap") {
        // Mounts confine where the kernel does not.
        return;
    }
    assert!(sandbox.starts_with("none: bubblewrap: "), "{sandbox}");
    assert!(
        sandbox.ends_with("landlock: the sandbox can't be entered: the kernel has no Landlock"),
        "{sandbox}"
    );
    let script = place.script(&[finish("Done.")]);
    let strict = without_landlock(&place, &["run", "-m", &script, "--sandbox", "strict", "go on"]);
    assert_eq!(strict.code, Some(17), "{strict:?}");
    assert!(strict.stderr.contains("the kernel has no Landlock"), "{strict:?}");
    let doctor = without_landlock(&place, &["doctor"]);
    assert!(doctor.stdout.contains("the kernel has no Landlock"), "{doctor:?}");
    // What is guarded is put back all the same.
    let attempt = json!({"command": "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit"});
    let result = without_landlock(&place, &["tool", "run_command", &attempt.to_string()]).json();
    assert_eq!(result["put_back"], json!([".git/hooks/pre-commit"]), "{result}");
    assert!(!Path::new(&place.path("work/.git/hooks/pre-commit")).exists());
}

#[test]
fn a_gigabyte_of_output_costs_no_memory() {
    let place = Place::new();
    let arguments = json!({"command": "head -c 1073741824 /dev/zero; echo done >&2"}).to_string();
    // The limit holds for each process: there is no room for what is said.
    let line = format!("ulimit -v 700000; exec \"$0\" tool run_command '{arguments}'");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_agent")]).current_dir(place.path("work"));
    shell.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    shell.env("HOME", place.path("home")).stdin(Stdio::null());
    let result = Ended::of(shell.output().expect("it runs")).json();
    assert_eq!((&result["exit_code"], &result["stderr"]), (&json!(0), &json!("done\n")));
    let stdout = result["stdout"].as_str().unwrap_or_default();
    assert_eq!(result["truncated"], true);
    assert!(stdout.contains(" of 1073741824 bytes left out …]"), "{}", stdout.len());
    assert!(stdout.len() < 256 * 1024, "{}", stdout.len());
}

#[test]
fn a_confined_command_traces_and_signals_nobody() {
    let place = Place::new();
    let mut victim = Command::new("sleep").arg("60").spawn().expect("a process");
    let id = victim.id();
    let run = |command: Value| {
        let params = json!({ "command": command }).to_string();
        place.run(&["tool", "run_command", &params]).json()
    };
    let trace = format!(
        "import ctypes; c = ctypes.CDLL(None, use_errno=True); print(c.ptrace(16, {id}, 0, 0), c.kill({id}, 9))"
    );
    let first = run(json!(["python3", "-c", trace]));
    let confined = first["sandbox"].as_str().is_some_and(|words| !words.starts_with("none"));
    if confined && first["exit_code"] != 127 {
        assert_eq!(first["stdout"], "-1 -1\n", "{first}");
    }
    if confined {
        for line in
            [format!("kill -9 {id}"), format!("kill -STOP {id}"), format!("cat /proc/{id}/environ")]
        {
            assert_eq!(run(json!(line))["success"], false, "{line}");
        }
        assert!(victim.try_wait().expect("it is there").is_none(), "it was ended");
    }
    victim.kill().expect("it is there");
    victim.wait().expect("the end");
}
