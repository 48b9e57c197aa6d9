//! What a parser could not make sense of.

use tree_sitter::{Node, Tree, TreeCursor};

use super::Language;

/// One place where a text is not as its grammar wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The byte to point at.
    pub(super) at: usize,
    /// Where what could not be read ends.
    pub(super) end: usize,
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
pub(super) fn faults(language: Language, tree: &Tree, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut cursor = tree.walk();
    // With a cursor and without recursion: a hostile text nests as deeply as it is long.
    loop {
        let node = cursor.node();
        faults.extend(fault(node, text));
        if faults.len() >= MAX_FAULTS {
            break;
        }
        // What is wrong with an element of HTML is in its node and does not mark its parents.
        let worth_entering = node.has_error() || language == Language::Html;
        let entered = worth_entering && cursor.goto_first_child();
        if !entered && !goto_next(&mut cursor) {
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
    } else if node.kind() == "element" {
        let tag = unclosed_tag(node, text)?;
        (node.start_byte(), format!("`<{tag}>` is never closed"))
    } else if node.has_error() {
        (hidden(node)?, "syntax error: something is missing here".to_owned())
    } else {
        return None;
    };
    let lines = (node.start_position().row, node.end_position().row);
    Some(Fault { at, end: node.end_byte(), lines, message })
}

/// Where the fault of a node may be that none of its children shows.
///
/// Grammars have tokens without a name, such as the end of a line. Where one is missing, nothing in
/// the tree says so, but two parts of the node that belong on lines of their own share one.
fn hidden(node: Node<'_>) -> Option<usize> {
    let mut cursor = node.walk();
    let children: Vec<_> = node.children(&mut cursor).collect();
    if children.iter().any(|child| child.has_error() || child.is_missing()) {
        return None;
    }
    let mut pairs = children.windows(2);
    let crowded = pairs.find(|pair| pair[0].end_position().row == pair[1].start_position().row);
    Some(crowded.map_or(node.start_byte(), |pair| pair[1].start_byte()))
}

/// The name of an HTML element that has to be closed and is not.
fn unclosed_tag<'a>(element: Node<'_>, text: &'a str) -> Option<&'a str> {
    /// Elements that end by themselves.
    const OPTIONAL: [&str; 33] = [
        "area", "base", "body", "br", "caption", "col", "colgroup", "dd", "dt", "embed", "head",
        "hr", "html", "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param",
        "rp", "rt", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
    ];
    let first = element.child(0).filter(|child| child.kind() == "start_tag")?;
    let last = element.child(element.child_count().checked_sub(1)?)?;
    let name = text.get(first.named_child(0)?.byte_range())?;
    let closed = last.kind() == "end_tag"
        || OPTIONAL.iter().any(|optional| name.eq_ignore_ascii_case(optional));
    (!closed).then_some(name)
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
