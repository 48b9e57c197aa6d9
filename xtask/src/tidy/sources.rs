//! Rules for what stands in a file.

use std::path::Path;

/// More lines than this in a source file, and it holds more than one concept.
const LONGEST: usize = 400;

/// Marks of unfinished work, put together here so that this file does not hold them.
const UNFINISHED: [&str; 4] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
];

/// Where home directories lie; likewise put together.
const HOMES: [&str; 3] = [concat!("/ho", "me/"), concat!("/Us", "ers/"), concat!("/ro", "ot/")];

/// Things that belong to a layer further out, by the directory that must not name them. Unit tests
/// at the end of a file are free to.
const OUT_OF_PLACE: [(&str, &[&str]); 4] = [
    (
        "crates/agent-tools/src/",
        &["async fn", "std::net", "std::process", "SystemTime", "Instant::now", "std::env"],
    ),
    ("crates/agent-llm/src/", &["std::fs", "tokio::fs", "std::process", "tokio::process"]),
    ("crates/agent-core/src/", &["println!", "eprintln!", "reqwest::", "clap::", "miette::"]),
    ("crates/agent-cli/src/", &["reqwest::", "cap_std::"]),
];

/// What is wrong with a source file.
pub(super) fn problems(file: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if lines > LONGEST {
        problems.push(format!("{file}: {lines} lines, more than {LONGEST}; split it by concept"));
    }
    for (number, line) in (1..).zip(text.lines()) {
        for mark in UNFINISHED.into_iter().filter(|mark| has_word(line, mark)) {
            problems.push(format!("{file}:{number}: unfinished: `{mark}`"));
        }
    }
    for (directory, strangers) in OUT_OF_PLACE {
        if !file.starts_with(directory) || file.ends_with("/tests.rs") {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
        for (number, line) in (1..).zip(code.lines()) {
            let code = line.split("//").next().unwrap_or(line);
            for stranger in strangers.iter().filter(|stranger| code.contains(**stranger)) {
                problems.push(format!("{file}:{number}: `{stranger}` has no place in this layer"));
            }
        }
    }
    problems
}

/// Whether `word` stands in `line` and is not a part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        outside(before) && (word.ends_with('(') || outside(after))
    })
}

/// The machine that the check runs on: its paths have no place in the repository.
pub(super) struct Machine {
    paths: Vec<String>,
}

impl Machine {
    /// The machine on which the repository lies at `root`.
    pub(super) fn new(root: &Path) -> Self {
        let mut paths: Vec<String> = HOMES.map(str::to_owned).to_vec();
        paths.push(root.display().to_string());
        Self { paths }
    }

    /// Where `bytes` name a place on this machine, or in somebody's home.
    pub(super) fn problems(&self, file: &str, bytes: &[u8]) -> Vec<String> {
        let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
        let mut problems = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            for path in self.paths.iter().filter(|path| line.contains(path.as_str())) {
                problems.push(format!("{file}:{number}: a path of one machine: `{path}`"));
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_order_has_no_problem() {
        let text = "//! A noun.\n\nfn todo_list() {}\n";
        assert_eq!(problems("crates/agent-tools/src/noun.rs", text), [""; 0]);
    }

    #[test]
    fn four_hundred_lines_are_the_limit() {
        assert_eq!(problems("a.rs", &"\n".repeat(400)), [""; 0]);
        assert_eq!(
            problems("a.rs", &"\n".repeat(401)),
            ["a.rs: 401 lines, more than 400; split it by concept"]
        );
    }

    #[test]
    fn unfinished_work_is_named_with_its_line() {
        let text =
            format!("fn a() {{}}\n// {}: later\nfn b() {{ {}) }}\n", UNFINISHED[0], UNFINISHED[2]);
        assert_eq!(
            problems("a.rs", &text),
            [
                format!("a.rs:2: unfinished: `{}`", UNFINISHED[0]),
                format!("a.rs:3: unfinished: `{}`", UNFINISHED[2]),
            ]
        );
    }

    #[test]
    fn a_layer_that_reaches_outside_is_named_except_in_unit_tests() {
        let text = "use std::process;\n// std::net\n#[cfg(test)]\nmod tests {\nuse std::net;\n}\n";
        assert_eq!(
            problems("crates/agent-tools/src/a.rs", text),
            ["crates/agent-tools/src/a.rs:1: `std::process` has no place in this layer"]
        );
        assert_eq!(problems("crates/agent-cli/src/a.rs", text), [""; 0]);
    }

    #[test]
    fn a_path_of_the_machine_is_named_and_binary_files_are_passed_over() {
        let machine = Machine::new(Path::new("/srv/checkout"));
        assert_eq!(
            machine.problems("a.md", b"see\n/srv/checkout/x\n"),
            ["a.md:2: a path of one machine: `/srv/checkout`"]
        );
        assert_eq!(machine.problems("a.bin", b"\xff/srv/checkout"), [""; 0]);
        assert_eq!(machine.problems("a.md", b"/usr/bin/env\n"), [""; 0]);
    }
}
