//! Which files a request is about, and what of them the first message shows.

use std::collections::BTreeMap;

use agent_tools::{
    Workspace, definition,
    find::{self, FindLimits},
    read,
    write::Entry,
};

use serde::{Deserialize, Serialize};

use super::lets_names_go;
use crate::{Cancel, Redactor, journal::LARGEST_FILE, policy::is_test};

/// Bytes of one file that are shown, and of all together.
const FILE_BYTES: usize = 4_000;
const ALL_BYTES: usize = 7_000;
/// Files that are shown, and files that count.
const MOST_SHOWN: usize = 5;
const MOST_FILES: usize = 60;
/// Files among which the request may name some.
const MOST_LISTED: usize = 10_000;
/// Bytes of the names in the first message.
const NAMES_BYTES: usize = 1_000;
/// Files that are named where a test is not to be changed.
const MOST_CODE: usize = 8;
/// A larger file is not even looked into.
const LARGEST: u64 = 200_000;

/// A file as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Where it is.
    pub path: String,
    /// All of its text, or what a request names of it; no secrets.
    pub text: String,
}

/// The workspace's files, as far as a request is about them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Files {
    /// All paths in a small workspace, and the first few in a large one.
    pub paths: Vec<String>,
    /// The ones that the request names.
    pub named: Vec<String>,
    /// The ones that are shown.
    pub shown: Vec<Shown>,
    /// What the request puts into quotes.
    pub quoted: Vec<String>,
    /// The files on whose text it depends what is asked and offered, by their hashes.
    pub sha256: BTreeMap<String, String>,
}

impl Files {
    /// The files that `task` is about: those that it names, else those that hold what it names,
    /// else all where they are few; and what a named test is about.
    pub(crate) fn of(
        workspace: &Workspace,
        task: &str,
        redactor: &Redactor,
        cancel: &Cancel,
    ) -> Self {
        let limits = FindLimits { files: MOST_LISTED };
        let mut paths = find::file_search(workspace, "**", limits, &cancel.flag())
            .map_or_else(|_| Vec::new(), |found| found.files);
        paths.sort();
        let named: Vec<String> = paths.iter().filter(|path| names(task, path)).cloned().collect();
        let (quoted, terms) = terms(task);
        let read = |path: &String| Some(Shown { path: path.clone(), text: text(workspace, path)? });
        let mut about: Vec<Shown> = named.iter().filter_map(read).collect();
        let rest: Vec<Shown> = paths
            .iter()
            .filter(|path| !named.contains(path))
            .take(MOST_FILES)
            .filter_map(read)
            .collect();
        let size = |files: &[Shown]| files.iter().map(|file| file.text.len()).sum::<usize>();
        if about.is_empty() {
            let holds = |file: &&Shown| terms.iter().any(|term| has_word(&file.text, term));
            let holding: Vec<Shown> = rest.iter().filter(holds).cloned().collect();
            if !holding.is_empty() && holding.len() <= MOST_SHOWN {
                about = holding;
            } else if rest.len() == paths.len() && rest.len() <= 4 && size(&rest) <= FILE_BYTES {
                about = rest;
            }
        } else {
            // A test is about what it imports.
            let tests = || about.iter().filter(|file| is_test(&file.path));
            let is_tested = |file: &&Shown| tests().any(|test| mentions(&test.text, &file.path));
            let tested: Vec<Shown> = rest.iter().filter(is_tested).take(2).cloned().collect();
            about.extend(tested);
        }
        let mut left = ALL_BYTES;
        about.retain_mut(|file| {
            file.text = redactor.clean(&excerpt(file, &terms)).into_owned();
            let fits = file.text.len() <= left;
            left -= if fits { file.text.len() } else { 0 };
            fits
        });
        about.truncate(MOST_SHOWN);
        let paths = counted(paths, &named, &about);
        let shown = about.iter().map(|file| &file.path);
        // What is removed in one file may be used in any other.
        let used = paths.iter().filter(|_| lets_names_go(task) && !quoted.is_empty());
        let hash = |path: &String| Some((path.clone(), hash(workspace, path)?));
        let sha256 = shown.chain(&named).chain(used).filter_map(hash).collect();
        Self { paths, named, shown: about, quoted, sha256 }
    }

    /// The files that are no tests, those first that the request is about.
    pub(crate) fn code(&self) -> Vec<&str> {
        let about = self.shown.iter().map(|file| &file.path).chain(&self.named);
        let mut code: Vec<&str> = Vec::new();
        for path in about.chain(&self.paths).filter(|path| !is_test(path)) {
            if !code.contains(&path.as_str()) {
                code.push(path);
            }
        }
        code.truncate(MOST_CODE);
        code
    }

    /// The first message: the request, the names of the files, and what is shown of them.
    pub(crate) fn message(&self, task: &str) -> String {
        let mut left = NAMES_BYTES;
        let fitting = self.paths.iter().take_while(|path| {
            let fits = path.len() + 2 <= left;
            left = left.saturating_sub(path.len() + 2);
            fits
        });
        let names: Vec<&str> = fitting.map(String::as_str).collect();
        let more = if names.len() < self.paths.len() { ", and others" } else { "" };
        let mut message = format!("{task}\n\nFiles: {}{more}\n", names.join(", "));
        for Shown { path, text } in &self.shown {
            let end = if text.ends_with('\n') { "" } else { "\n" };
            message.push_str(&format!("\n{path}:\n```\n{text}{end}```\n"));
        }
        message
    }
}

/// The files that count: those that the request is about, and of the others the first.
fn counted(paths: Vec<String>, named: &[String], shown: &[Shown]) -> Vec<String> {
    let is_about =
        |path: &String| named.contains(path) || shown.iter().any(|file| file.path == *path);
    let mut others = 0;
    let counts = |path: &String| {
        others += usize::from(!is_about(path));
        is_about(path) || others <= MOST_FILES
    };
    paths.into_iter().filter(counts).collect()
}

/// The text of a file that is one and not too large.
pub(crate) fn text(workspace: &Workspace, path: &str) -> Option<String> {
    let path = workspace.resolve(path).ok()?;
    let file = read::read_text(workspace, &path, LARGEST).ok()?;
    Some(file.text().into_owned())
}

fn hash(workspace: &Workspace, path: &str) -> Option<String> {
    let path = workspace.resolve(path).ok()?;
    match Entry::read(workspace, &path, LARGEST_FILE).ok()? {
        Entry::File { content, .. } => Some(content.sha256().to_owned()),
        Entry::Absent | Entry::Link { .. } => None,
    }
}

/// What is shown of a file: all of it, or the definitions that the request names, by name.
fn excerpt(file: &Shown, terms: &[String]) -> String {
    if file.text.len() <= FILE_BYTES {
        return file.text.clone();
    }
    let all = definition::outline(&file.path, &file.text);
    let lines: Vec<&str> = file.text.lines().collect();
    let mut excerpt = String::new();
    for (name, place) in &all {
        let is_named = place.path.last().is_some_and(|last| terms.contains(last));
        let code = lines.get(place.lead_line - 1..place.last_line).unwrap_or_default().join("\n");
        if is_named && excerpt.len() + code.len() <= FILE_BYTES {
            excerpt.push_str(&format!("(line {})\n{code}\n", place.lead_line));
        } else if excerpt.len() + name.len() < FILE_BYTES {
            excerpt.push_str(&format!("(line {}: {name})\n", place.first_line));
        }
    }
    if excerpt.is_empty() {
        let end = file.text.floor_char_boundary(FILE_BYTES);
        return format!("{}\n(more follows)\n", &file.text[..end]);
    }
    excerpt
}

/// Whether a request names the file: its path, the end of it, or its name.
fn names(task: &str, path: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let words = task.split(|c: char| !is_part(c)).map(|word| word.trim_end_matches('.'));
    let name = path.rsplit('/').next().unwrap_or(path);
    words.filter(|word| !word.is_empty()).any(|word| {
        let word = word.trim_start_matches("./");
        word == path || word == name || (word.contains('/') && path.ends_with(&format!("/{word}")))
    })
}

/// What a request puts into quotes.
pub(crate) fn quoted(task: &str) -> Vec<String> {
    terms(task).0
}

/// What the request puts into quotes, and beside that what looks like a name in code.
fn terms(task: &str) -> (Vec<String>, Vec<String>) {
    let mut quoted = Vec::new();
    for mark in ['`', '"', '\''] {
        let parts: Vec<&str> = task.split(mark).collect();
        // Between the first and second mark, the third and fourth, and so on.
        let inner = parts.iter().skip(1).step_by(2).take(parts.len().saturating_sub(1) / 2);
        quoted.extend(inner.map(|part| part.trim().to_owned()));
    }
    quoted.retain(|term| (2..=80).contains(&term.len()) && !term.contains('\n'));
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = task.split(|c: char| !is_part(c)).filter(|word| word.len() > 2);
    let is_code = |word: &&str| {
        word.contains('_')
            || word.chars().skip(1).any(char::is_uppercase)
            || task.contains(&format!("{word}("))
    };
    let mut terms: Vec<String> = words.filter(is_code).map(str::to_owned).collect();
    terms.extend(quoted.iter().map(|term| term.trim_end_matches("()").to_owned()));
    terms.dedup();
    (quoted, terms)
}

/// Whether a text holds a term with nothing of a name around it.
pub(crate) fn has_word(text: &str, term: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    !term.is_empty()
        && text.match_indices(term).any(|(at, _)| {
            let before = text[..at].chars().next_back().is_some_and(is_part);
            let after = text[at + term.len()..].chars().next().is_some_and(is_part);
            !(before && term.starts_with(is_part) || after && term.ends_with(is_part))
        })
}

/// The words of a request without the names of files like this one, whose parts may be the names
/// of definitions as well.
pub(crate) fn without_files(task: &str, path: &str) -> String {
    let Some((_, extension)) = path.rsplit_once('.') else { return task.to_owned() };
    let extension = format!(".{extension}");
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_file = |word: &str| {
        let word = word.trim_end_matches(|c: char| !is_part(c)).trim_end_matches('.');
        word.ends_with(&extension)
    };
    task.split_inclusive(|c: char| !is_part(c)).filter(|word| !is_file(word)).collect()
}

/// Whether a text speaks of a file by its name without extension.
fn mentions(text: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    stem.len() > 2 && has_word(text, stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_path_or_name() {
        for (task, path, named) in [
            ("Fix src/a.py.", "src/a.py", true),
            ("Fix `a.py`, please", "src/a.py", true),
            ("File \"lib/a.py\", line 3", "src/lib/a.py", true),
            ("tests/a.py:3: AssertionError", "tests/a.py", true),
            ("Fix a.pyc", "a.py", false),
            ("Fix the parser", "parser.py", false),
        ] {
            assert_eq!(names(task, path), named, "{task}");
        }
    }

    #[test]
    fn terms_are_what_is_quoted_or_looks_like_code() {
        let (quoted, terms) =
            terms("Rename `old_name` to `newName`, don't touch main() or MAX_SIZE");
        assert_eq!(quoted, ["old_name", "newName"]);
        assert_eq!(terms, ["old_name", "newName", "main", "MAX_SIZE", "old_name", "newName"]);
        assert!(has_word("a = old_name(1)", "old_name"));
        assert!(!has_word("a = old_names(1)", "old_name"));
        assert_eq!(without_files("In main.py, `src/a.py`: fix main.", "b.py"), "In  `: fix main.");
        assert_eq!(without_files("Fix Store.get in store.", "a.py"), "Fix Store.get in store.");
    }
}
