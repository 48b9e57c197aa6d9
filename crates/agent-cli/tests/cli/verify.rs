//! Tests after edits: red, the model at work, green, or given up.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, finish};

/// A small project whose one function subtracts where it should add.
struct Project {
    language: &'static str,
    /// The program without which there is nothing to try.
    toolchain: &'static str,
    test: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// The file with the function, around the operator.
    source: (&'static str, &'static str, &'static str),
}

const PROJECTS: [Project; 5] = [
    Project {
        language: "shell",
        toolchain: "sh",
        test: "sh test.sh",
        files: &[(
            "test.sh",
            ". ./add.sh\n[ \"$(add 2 3)\" = 5 ] || { echo \"FAIL add: got $(add 2 3)\"; exit 1; }\n",
        )],
        source: ("add.sh", "add() { echo $(($1 ", " $2)); }\n"),
    },
    Project {
        language: "Python",
        toolchain: "python3",
        test: "python3 -m unittest",
        files: &[(
            "test_add.py",
            "import unittest\nfrom add import add\n\n\nclass TestAdd(unittest.TestCase):\n    def \
             test_add(self):\n        self.assertEqual(add(2, 3), 5)\n",
        )],
        source: ("add.py", "def add(a, b):\n    return a ", " b\n"),
    },
    Project {
        language: "Node",
        toolchain: "node",
        test: "node --test",
        files: &[(
            "add.test.js",
            "const test = require('node:test');\nconst assert = require('node:assert');\nconst add \
             = require('./add.js');\ntest('adds', () => assert.strictEqual(add(2, 3), 5));\n",
        )],
        source: ("add.js", "module.exports = (a, b) => a ", " b;\n"),
    },
    Project {
        language: "Rust",
        toolchain: "cargo",
        test: "cargo test --offline",
        files: &[
            ("Cargo.toml", "[package]\nname = \"add\"\nedition = \"2021\"\n[workspace]\n"),
            ("tests/add.rs", "#[test]\nfn adds() {\n    assert_eq!(add::add(2, 3), 5);\n}\n"),
        ],
        source: ("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a ", " b\n}\n"),
    },
    Project {
        language: "Go",
        toolchain: "go",
        test: "go test ./...",
        files: &[
            ("go.mod", "module example.com/add\n\ngo 1.20\n"),
            (
                "add_test.go",
                "package add\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(2, 3) \
                 != 5 {\n\t\tt.Errorf(\"got %d\", Add(2, 3))\n\t}\n}\n",
            ),
        ],
        source: ("add.go", "package add\n\nfunc Add(a, b int) int { return a ", " b }\n"),
    },
];

impl Project {
    #[expect(clippy::print_stderr, reason = "what is skipped is said")]
    fn place(&self) -> Option<Place> {
        // A toolchain's own home does not move with the test.
        let there = Command::new(self.toolchain).arg("--version").output();
        let there = there.is_ok() || self.toolchain == "sh";
        if !there {
            eprintln!("skipped: {}, since there is no `{}` here", self.language, self.toolchain);
            return None;
        }
        let place = Place::new();
        for (name, text) in self.files {
            place.write(&format!("work/{name}"), text);
        }
        let (name, before, after) = self.source;
        place.write(&format!("work/{name}"), &format!("{before}-{after}"));
        Some(place)
    }

    /// A reply that writes the function with `operator`.
    fn edit(&self, operator: &str) -> Value {
        let (name, before, after) = self.source;
        let line = before.lines().count();
        let text = |operator: &str| format!("{before}{operator}{after}");
        let replacement = text(operator).lines().nth(line - 1).map(str::to_owned);
        let edits = json!([{"start_line": line, "end_line": line, "replacement": replacement}]);
        call("apply_patch", &json!({"path": name, "edits": edits}))
    }

    fn run(&self, place: &Place, replies: &[Value], more: &[&str]) -> Ended {
        let model = place.script(replies);
        let mut arguments = vec!["run", "-m", &model, "--output-format", "json"];
        arguments.extend(["--test", self.test]);
        arguments.extend(more);
        arguments.push("Make add work.");
        let mut agent = place.agent(&arguments);
        for (variable, directory) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let home = std::env::var_os("HOME").unwrap_or_default();
            let own = std::env::var_os(variable);
            agent.env(variable, own.unwrap_or_else(|| Path::new(&home).join(directory).into()));
        }
        Ended::of(agent.output().expect("it runs"))
    }
}

fn outcome(report: &Value) -> Value {
    json!([
        report["outcome"],
        report["exit_code"],
        report["retry_count"],
        report["last_test_result"]["passed"],
        report["last_test_result"]["attempt"]
    ])
}

#[test]
fn tests_that_pass_after_the_edit_end_it() {
    for project in PROJECTS {
        let Some(place) = project.place() else { continue };
        let replies = [project.edit("+"), finish("Done.")];
        let ended = project.run(&place, &replies, &[]);
        let report = ended.json();
        assert_eq!(
            outcome(&report),
            json!(["finished", 0, 0, true, 1]),
            "{}: {ended:?}",
            project.language
        );
    }
}

#[test]
fn failing_tests_are_handed_back_until_they_pass() {
    for project in PROJECTS {
        let Some(place) = project.place() else { continue };
        let replies = [
            project.edit("*"),
            // Claiming to be done does not make them pass.
            finish("Done."),
            project.edit("/"),
            project.edit("+"),
            finish("Done at last."),
        ];
        let ended = project.run(&place, &replies, &[]);
        let report = ended.json();
        assert_eq!(
            outcome(&report),
            json!(["finished", 0, 3, true, 3]),
            "{}: {ended:?}",
            project.language
        );
        assert_eq!(report["response"], "Done at last.");
    }
}

#[test]
fn tests_that_stay_red_end_the_run_as_failed() {
    for project in PROJECTS {
        let fates = [("keep", "^"), ("undo", "-")];
        // What is taken back depends on no language.
        let fates = if project.language == "shell" { &fates[..] } else { &fates[..1] };
        for (fate, left) in fates {
            let Some(place) = project.place() else { continue };
            let replies =
                [project.edit("*"), project.edit("/"), project.edit("%"), project.edit("^")];
            let ended = project.run(&place, &replies, &["--on-failure", fate]);
            let report = ended.json();
            let language = project.language;
            assert_eq!(
                outcome(&report),
                json!(["failed", 1, 3, false, 4]),
                "{language}: {ended:?}"
            );
            assert_eq!(report["error"]["code"], "agent::tests::failed");
            let (name, before, after) = project.source;
            assert_eq!(
                place.read(&format!("work/{name}")),
                format!("{before}{left}{after}"),
                "{language}"
            );
            let failure = &report["last_test_result"]["failures"][0];
            assert!(
                failure["message"].as_str().is_some_and(|words| !words.is_empty()),
                "{language}: {report}"
            );
        }
    }
}

#[test]
fn the_same_failure_again_and_again_ends_it_early() {
    let project = &PROJECTS[0];
    let place = project.place().expect("there is a shell");
    let replies = [project.edit("- 1 -"), project.edit("- 0 - 1 -"), project.edit(" - 1 - ")];
    let ended = project.run(&place, &replies, &["--retries", "9"]);
    assert_eq!(outcome(&ended.json()), json!(["failed", 1, 2, false, 3]), "{ended:?}");
}

#[test]
fn tests_that_nobody_named_run_only_where_they_are_permitted() {
    let project = &PROJECTS[1];
    let Some(place) = project.place() else { return };
    let replies = [project.edit("+"), finish("Done.")];
    let ended = place.play(&replies, &["--output-format", "json", "Make add work."]);
    let report = ended.json();
    assert_eq!(report["last_test_result"]["command"], "python3 -m unittest", "{ended:?}");
    assert_eq!(report["last_test_result"]["passed"], Value::Null);
    assert_eq!(ended.code, Some(0));
    let place = project.place().expect("it was there");
    let allow = ["--allow-command", "python3 -m unittest", "--output-format", "json"];
    let ended = place.play(&replies, &[&allow[..], &["Make add work."]].concat());
    assert_eq!(outcome(&ended.json()), json!(["finished", 0, 0, true, 1]), "{ended:?}");
}

#[test]
fn a_recording_answers_for_the_tests() {
    let project = &PROJECTS[0];
    let Some(place) = project.place() else { return };
    let replies = [project.edit("*"), project.edit("+"), finish("Done.")];
    let path = |name: &str| place.path(name).display().to_string();
    let recording = path("recording.jsonl");
    let ended = project.run(&place, &replies, &["--record", &recording]);
    assert_eq!(outcome(&ended.json()), json!(["finished", 0, 1, true, 2]), "{ended:?}");
    let replayed = place.run(&["replay", &recording]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    // The test's files are not in the recording, so it can't have been run.
    let text = place.read("recording.jsonl").replace(r#""passed":false"#, r#""passed":true"#);
    place.write("changed.jsonl", &text);
    let replayed = place.run(&["replay", &path("changed.jsonl")]);
    assert_eq!(replayed.code, Some(1), "{replayed:?}");
    assert!(
        replayed.stderr.contains("step 2: the request for decide is different"),
        "{replayed:?}"
    );
}
