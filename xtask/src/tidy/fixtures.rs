//! Rules for the end-to-end cases.

use std::path::Path;

use crate::{Failure, case::Case, process::Program};

/// Where the cases lie.
const CASES: &str = "fixtures/cases/";

/// What is wrong with the fixtures below `root`, which has `files`.
pub(super) fn problems(root: &Path, files: &[String]) -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for rest in files.iter().filter_map(|file| file.strip_prefix(CASES)) {
        match rest.split_once('/') {
            Some((name, _)) if names.last() != Some(&name) => names.push(name),
            Some(_) => {}
            None => problems.push(format!("{CASES}{rest}: a stray file; a case is a directory")),
        }
    }
    for name in names {
        if let Err(problem) = Case::load(&root.join(CASES).join(name)) {
            problems.push(problem);
        }
    }
    if root.join(".git").exists() {
        let arguments = ["ls-files", "--others", "--ignored", "--exclude-standard", "fixtures"];
        let ignored =
            Program { name: "git", arguments: &arguments, environment: &[] }.output(root)?;
        // Cases hold ignore files of their own, which hide files from `git add`.
        problems
            .extend(ignored.lines().map(|file| format!("{file}: not committed; `git add -f` it")));
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the tests lay out a tree of their own")]

    use std::fs;

    use super::*;

    /// The problems of a tree with these files.
    fn problems_of(files: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let files: Vec<String> = files.iter().map(|(file, _)| (*file).to_owned()).collect();
        problems(root.path(), &files).unwrap()
    }

    #[test]
    fn a_case_in_order_has_no_problem() {
        let found = problems_of(&[
            ("fixtures/cases/one/case.toml", "why = \"w\"\ntask = \"t\"\n"),
            ("fixtures/cases/one/events.jsonl", ""),
            ("fixtures/cases/one/script.jsonl", ""),
            ("fixtures/demo/anything", ""),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn stray_files_are_named() {
        let found = problems_of(&[
            ("fixtures/cases/note.md", ""),
            ("fixtures/cases/one/case.toml", "why = \"w\"\ntask = \"t\"\n"),
            ("fixtures/cases/one/events.jsonl", ""),
            ("fixtures/cases/one/script.json", ""),
        ]);
        assert_eq!(
            found,
            [
                "fixtures/cases/note.md: a stray file; a case is a directory",
                "one: script.json: no such file belongs to a case",
            ]
        );
    }
}
