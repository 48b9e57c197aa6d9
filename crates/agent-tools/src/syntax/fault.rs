//! What a parser could not make sense of.

use tree_sitter::{Node, Tree, TreeCursor};

/// One place where a text is not as its grammar wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The byte to point at.
    pub(super) at: usize,
    /// The first and last line of what could not be read, counted from 0.
    pub(super) lines: (usize, usize),
    /// What is wrong there.
    pub(super) message: String,
}

/// No text has more faults than this that are worth telling apart.
const MAX_FAULTS: usize = 1_000;

/// The most of the text that a message repeats, in characters.
const MAX_QUOTED: usize = 40;

/// All faults of a tree, in the order of the text.
pub(super) fn faults(tree: &Tree, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut cursor = tree.walk();
    // With a cursor and without recursion: a hostile text nests as deeply as it is long.
    loop {
        let node = cursor.node();
        faults.extend(fault(node, text));
        if faults.len() >= MAX_FAULTS {
            break;
        }
        // HTML has one node for its own kind of fault, which does not mark its parents.
        let worth_entering = node.has_error() || node.language().name() == Some("html");
        if !(worth_entering && cursor.goto_first_child()) && !goto_next(&mut cursor) {
            break;
        }
    }
    faults.sort_by_key(|fault| fault.at);
    faults.dedup_by_key(|fault| fault.at);
    faults
}

/// Goes to the next node that is not below this one.
fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

fn fault(node: Node<'_>, text: &str) -> Option<Fault> {
    let (at, message) = if node.is_missing() {
        (node.start_byte(), missing(node))
    } else if node.is_error() {
        unexpected(node, text)
    } else if node.kind() == "erroneous_end_tag" {
        let tag = quoted(node, text);
        (node.start_byte(), format!("{tag} closes no open element"))
    } else {
        return None;
    };
    let lines = (node.start_position().row, node.end_position().row);
    Some(Fault { at, lines, message })
}

/// A message for something that has to be there and is not.
fn missing(node: Node<'_>) -> String {
    let kind = node.kind();
    if node.is_named() {
        return format!("missing {}", kind.replace('_', " "));
    }
    let opening = opening_of(kind).and_then(|opening| {
        let parent = node.parent()?;
        let mut cursor = parent.walk();
        parent.children(&mut cursor).find(|child| child.kind() == opening)
    });
    match opening {
        Some(opening) => {
            let line = opening.start_position().row + 1;
            format!("missing `{kind}` for the `{}` of line {line}", opening.kind())
        }
        None => format!("missing `{}`", kind.escape_debug()),
    }
}

fn opening_of(closing: &str) -> Option<&'static str> {
    match closing {
        ")" => Some("("),
        "]" => Some("["),
        "}" => Some("{"),
        _ => None,
    }
}

/// Where to point in a stretch that could not be read, and what to say.
///
/// What the parser skipped lies directly below the error, together with what it had read of the
/// constructs that never came to their end. A bracket without its partner among them is nearly
/// always the cause, wherever the parser gave up.
fn unexpected(node: Node<'_>, text: &str) -> (usize, String) {
    let mut open: Vec<Node<'_>> = Vec::new();
    let mut cursor = node.walk();
    let mut first_inner_error = None;
    for child in node.children(&mut cursor) {
        match child.kind() {
            "(" | "[" | "{" => open.push(child),
            closing @ (")" | "]" | "}") => {
                let matches =
                    open.last().is_some_and(|open| opening_of(closing) == Some(open.kind()));
                if !matches {
                    return (child.start_byte(), format!("unexpected `{closing}`"));
                }
                open.pop();
            }
            _ if child.is_error() && first_inner_error.is_none() => {
                first_inner_error = Some(child);
            }
            _ => {}
        }
    }
    if let Some(open) = open.last() {
        return (open.start_byte(), format!("`{}` is never closed", open.kind()));
    }
    let at = first_inner_error.unwrap_or(node);
    let quoted = quoted(at, text);
    let message = if quoted.is_empty() {
        "syntax error".to_owned()
    } else if at.child_count() == 0 {
        format!("unexpected {quoted}")
    } else {
        format!("syntax error in {quoted}")
    };
    (at.start_byte(), message)
}

/// The beginning of what a node covers, in backticks; empty if there is nothing to see.
fn quoted(node: Node<'_>, text: &str) -> String {
    let covered = text.get(node.byte_range()).unwrap_or_default();
    let Some(line) = covered.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return String::new();
    };
    match line.char_indices().nth(MAX_QUOTED) {
        Some((cut, _)) => format!("`{}…`", &line[..cut]),
        None => format!("`{line}`"),
    }
}
