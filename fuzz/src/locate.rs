//! Old lines that stand in a file once are replaced there and nowhere else; lines that stand in it
//! more than once are refused.

use agent_tools::patch::{self, Patch, PatchError};
use arbitrary::Arbitrary;

use crate::text::Text;

/// What is tried.
#[derive(Debug, Arbitrary)]
pub struct Input {
    file: Text,
    from: u8,
    count: u8,
    new: Text,
}

fn plain(text: &Text) -> Vec<String> {
    let plain = |line: &String| !line.contains(['\n', '\r', '\0', '\u{feff}']);
    text.lines().into_iter().filter(plain).collect()
}

fn ended(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Holds them against an input.
pub fn check(input: &Input) {
    let (file, new) = (plain(&input.file), plain(&input.new));
    let from = usize::from(input.from).min(file.len());
    let end = (from + usize::from(input.count)).min(file.len());
    let old = &file[from..end];
    if old.iter().all(|line| line.trim().is_empty()) || ended(old) == ended(&new) {
        return;
    }
    let places = file.windows(old.len()).filter(|window| *window == old).count();
    let pairs = [(ended(old), ended(&new))];
    match patch::merge_patch_text("a.rs", &ended(&file), &Patch::Pairs(&pairs)) {
        Ok(patched) => {
            assert_eq!(places, 1);
            assert_eq!(patched, ended(&[&file[..from], &new, &file[end..]].concat()));
        }
        Err(PatchError::Marker { .. }) => {}
        Err(error) => assert!(places > 1, "{error}"),
    }
}
