//! A sketch is merged or declined; what is merged holds no marker and is what its edits make.

use agent_tools::edit::{self, EditLimits};
use agent_tools::sketch::{self, Merge};
use agent_tools::{Encoding, TextFile};
use arbitrary::Arbitrary;

use crate::text::{Text, new_markers};

/// What is tried.
#[derive(Debug, Arbitrary)]
pub struct Input {
    original: Text,
    sketch: Text,
    kind: u8,
}

/// Holds them against an input.
pub fn check(input: &Input) {
    let (original, sketch) = (input.original.to_string(), input.sketch.to_string());
    let path = ["a.rs", "a.py", "a.html", "a.md", ""][usize::from(input.kind) % 5];
    let merged = sketch::merge_text(&original, &sketch, path);
    match sketch::merge(&original, &sketch, path) {
        Merge::Declined(decline) => {
            assert!(!decline.to_string().is_empty());
            assert_eq!(merged, Err(decline));
        }
        Merge::Applied(edits) => {
            let utf8 = TextFile::parse(original.clone().into_bytes())
                .ok()
                .filter(|file| matches!(file.encoding(), Encoding::Utf8 | Encoding::Utf8Bom));
            let applied = utf8.map(|file| edit::apply(&file, &edits, &EditLimits::NONE));
            let Ok(merged) = merged else {
                // New text that no file can hold, such as a NUL.
                return assert!(!matches!(applied, Some(Ok(_))));
            };
            assert_ne!(merged, original);
            assert_eq!(new_markers(&original, &merged), [""; 0]);
            // An empty last line without an ending can't be told from the ending of the line before
            // it, so a file without a final newline may seem to gain one.
            assert!(!original.ends_with('\n') || merged.is_empty() || merged.ends_with('\n'));
            if let Some(applied) = applied {
                assert_eq!(applied.expect("a plan").text.bytes(), merged.as_bytes());
            }
        }
    }
}
