//! Valid files of every language.

use std::fs;
use std::path::Path;

/// A small valid file.
pub(crate) struct Sample {
    /// The directory of its language below the fixtures.
    pub(crate) language: String,
    pub(crate) name: String,
    pub(crate) text: String,
}

/// All samples, in the order of their languages and names.
pub(crate) fn samples() -> Vec<Sample> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/syntax");
    let mut samples = Vec::new();
    for directory in fs::read_dir(root).unwrap().map(Result::unwrap) {
        for file in fs::read_dir(directory.path()).unwrap().map(Result::unwrap) {
            samples.push(Sample {
                language: directory.file_name().into_string().unwrap(),
                name: file.file_name().into_string().unwrap(),
                text: fs::read_to_string(file.path()).unwrap(),
            });
        }
    }
    samples.sort_by(|a, b| (&a.language, &a.name).cmp(&(&b.language, &b.name)));
    samples
}

/// A comment on a line of its own, in the languages that have one.
pub(crate) fn comment(language: &str, note: &str) -> Option<String> {
    match language {
        "bash" | "python" | "ruby" | "toml" | "yaml" => Some(format!("# {note}\n")),
        "css" => Some(format!("/* {note} */\n")),
        "html" => Some(format!("<!-- {note} -->\n")),
        "json" => None,
        _ => Some(format!("// {note}\n")),
    }
}

/// Texts that an edit of a valid file leads to and that are valid: a line break more, a blank
/// line less, `note` as a comment before a blank line.
pub(crate) fn valid_edits(sample: &Sample, note: &str) -> Vec<String> {
    let lines: Vec<&str> = sample.text.split_inclusive('\n').collect();
    let with = |at: usize, line: &str| [&lines[..at], &[line], &lines[at..]].concat().concat();
    let mut edited = vec![with(lines.len(), "\n")];
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.trim().is_empty()) {
        edited.push([&lines[..at], &lines[at + 1..]].concat().concat());
        edited.push(with(at, "\n"));
        edited.extend(comment(&sample.language, note).map(|comment| with(at, &comment)));
    }
    edited
}
