//! Anything is read as a patch or refused; what is applied brings no marker and keeps the end of
//! the file.

use agent_tools::patch::{self, Patch};
use arbitrary::Arbitrary;

use crate::text::{Text, new_markers};

/// What is tried.
#[derive(Debug, Arbitrary)]
pub struct Input {
    original: Text,
    patch: Form,
}

#[derive(Debug, Arbitrary)]
enum Form {
    Pairs(Vec<(Text, Text)>),
    SearchReplace(Vec<(Text, Text)>),
    SearchReplaceText(Text),
    Envelope(Vec<Row>),
    Unified(Vec<Row>),
}

/// A line of an envelope or of a unified diff.
#[derive(Debug, Arbitrary)]
enum Row {
    Kept(Text),
    Deleted(Text),
    Added(Text),
    Bare(Text),
    Header(Text),
    Numbers(u8, u8),
    EndOfFile,
    OtherFile,
}

const PATH: &str = "src/a.rs";

impl Row {
    fn text(&self) -> String {
        let each = |prefix: &str, lines: &Text| -> String {
            lines.lines().iter().map(|line| format!("{prefix}{line}\n")).collect()
        };
        match self {
            Self::Kept(lines) => each(" ", lines),
            Self::Deleted(lines) => each("-", lines),
            Self::Added(lines) => each("+", lines),
            Self::Bare(lines) => each("", lines),
            Self::Header(lines) => each("@@ ", lines),
            Self::Numbers(old, new) => format!("@@ -{old},3 +{new},4 @@\n"),
            Self::EndOfFile => "*** End of File\n".to_owned(),
            Self::OtherFile => "--- a/b.rs\n+++ b/b.rs\n*** Update File: b.rs\n".to_owned(),
        }
    }
}

fn text(rows: &[Row], before: &str, after: &str) -> String {
    let rows: String = rows.iter().map(Row::text).collect();
    format!("{before}{rows}{after}")
}

/// Holds them against an input.
pub fn check(input: &Input) {
    let original = input.original.to_string();
    let owned = |(old, new): &(Text, Text)| (old.to_string(), new.to_string());
    let (pairs, written): (Vec<(String, String)>, String);
    let patch = match &input.patch {
        Form::Pairs(texts) => {
            pairs = texts.iter().map(owned).collect();
            Patch::Pairs(&pairs)
        }
        Form::SearchReplace(texts) => {
            let block = |(old, new): &(Text, Text)| {
                format!("{PATH}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n")
            };
            written = texts.iter().map(block).collect();
            Patch::SearchReplace(&written)
        }
        Form::SearchReplaceText(text) => {
            written = text.to_string();
            Patch::SearchReplace(&written)
        }
        Form::Envelope(lines) => {
            written =
                text(lines, "*** Begin Patch\n*** Update File: src/a.rs\n", "*** End Patch\n");
            Patch::V4a(&written)
        }
        Form::Unified(lines) => {
            written = text(lines, "--- a/src/a.rs\n+++ b/src/a.rs\n", "");
            Patch::UnifiedDiff(&written)
        }
    };
    match patch::merge_patch_text(PATH, &original, &patch) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(patched) => {
            assert_ne!(patched, original);
            assert_eq!(new_markers(&original, &patched), [""; 0]);
            // An empty last line without an ending can't be told from the ending of the line before
            // it, so a file without a final newline may seem to gain one.
            assert!(!original.ends_with('\n') || patched.is_empty() || patched.ends_with('\n'));
        }
    }
}
