//! Twenty ways to break a valid file.

/// A way to break a text, and what it makes of one: several broken texts, or none if the text
/// has nothing that can be broken in this way.
pub(crate) struct Mutation {
    pub(crate) name: &'static str,
    pub(crate) apply: fn(&str, language: &str) -> Vec<String>,
}

pub(crate) const MUTATIONS: [Mutation; 20] = [
    Mutation { name: "delete a closing bracket", apply: |text, _| delete_each(text, &CLOSING) },
    Mutation { name: "delete an opening bracket", apply: |text, _| delete_each(text, &OPENING) },
    Mutation { name: "double a closing bracket", apply: |text, _| double_each(text, &CLOSING) },
    Mutation { name: "double an opening bracket", apply: |text, _| double_each(text, &OPENING) },
    Mutation { name: "close with another bracket", apply: |text, _| close_otherwise(text) },
    Mutation { name: "delete a quote", apply: |text, _| delete_each(text, &["\""]) },
    Mutation { name: "insert a closing bracket", apply: |text, _| insert_line(text, ")") },
    Mutation { name: "insert an opening bracket", apply: |text, _| insert_line(text, "{") },
    Mutation { name: "insert a stray token", apply: |text, _| insert_line(text, "@ ) $ (") },
    Mutation { name: "insert a sentence", apply: |text, _| insert_line(text, SENTENCE) },
    Mutation { name: "insert a fence", apply: |text, _| insert_line(text, "```") },
    Mutation {
        name: "leave a conflict marker",
        apply: |text, _| insert_line(text, "<<<<<<< HEAD"),
    },
    Mutation { name: "leave a bare marker", apply: |text, _| insert_line(text, MARKER) },
    Mutation { name: "cut in the middle of a line", apply: |text, _| cut(text) },
    Mutation { name: "delete a closing line", apply: |text, _| delete_closing_lines(text) },
    Mutation { name: "double a fragment of a line", apply: |text, _| double_fragments(text) },
    Mutation {
        name: "delete a keyword",
        apply: |text, language| without(text, keywords(language)),
    },
    Mutation {
        name: "delete a separator",
        apply: |text, language| spaced(text, separators(language)),
    },
    Mutation {
        name: "double an operator",
        apply: |text, language| doubled(text, operators(language)),
    },
    Mutation { name: "join two lines", apply: |text, language| join(text, language) },
];

const OPENING: [&str; 3] = ["(", "[", "{"];
const CLOSING: [&str; 3] = [")", "]", "}"];
const SENTENCE: &str = "Here is the updated code, it's what you asked for (as discussed";
const MARKER: &str = "{... existing code ...";

/// At most this many texts of one kind: from the beginning, the middle and the end.
const PLACES: usize = 4;

/// Some of many places, evenly spread.
fn spread(places: Vec<usize>) -> Vec<usize> {
    if places.len() <= PLACES {
        return places;
    }
    (0..PLACES).map(|n| places[n * (places.len() - 1) / (PLACES - 1)]).collect()
}

/// Where any of `needles` stands in a text, and which of them.
///
/// A bracket in a literal is text, which nothing can break.
fn find(text: &str, needles: &[&'static str]) -> Vec<(usize, &'static str)> {
    let found = |needle: &'static str| text.match_indices(needle).map(move |(at, _)| (at, needle));
    let is_bracket = |needle| OPENING.contains(&needle) || CLOSING.contains(&needle);
    let mut places: Vec<_> = needles
        .iter()
        .copied()
        .flat_map(found)
        .filter(|(at, needle)| !is_bracket(needle) || !in_literal(text, *at))
        .collect();
    places.sort_unstable();
    let chosen = spread((0..places.len()).collect());
    chosen.into_iter().map(|at| places[at]).collect()
}

fn in_literal(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    ['"', '`', '\''].iter().any(|quote| line.matches(*quote).count() % 2 == 1)
}

fn replaced(text: &str, at: usize, length: usize, with: &str) -> String {
    format!("{}{with}{}", &text[..at], &text[at + length..])
}

fn delete_each(text: &str, needles: &[&'static str]) -> Vec<String> {
    find(text, needles)
        .into_iter()
        .map(|(at, needle)| replaced(text, at, needle.len(), ""))
        .collect()
}

fn double_each(text: &str, needles: &[&'static str]) -> Vec<String> {
    find(text, needles).into_iter().map(|(at, needle)| replaced(text, at, 0, needle)).collect()
}

fn close_otherwise(text: &str) -> Vec<String> {
    let other = |needle| if needle == ")" { "]" } else { ")" };
    find(text, &CLOSING)
        .into_iter()
        .map(|(at, needle)| replaced(text, at, needle.len(), other(needle)))
        .collect()
}

/// The beginnings of the lines of a text but the first.
fn line_starts(text: &str) -> Vec<usize> {
    let starts = text.match_indices('\n').map(|(at, _)| at + 1);
    starts.filter(|at| *at < text.len()).collect()
}

fn insert_line(text: &str, line: &str) -> Vec<String> {
    let line = format!("{line}\n");
    // Behind a tag, anything is text.
    let starts = line_starts(text).into_iter().filter(|at| !text[..*at].ends_with(">\n"));
    spread(starts.collect()).into_iter().map(|at| replaced(text, at, 0, &line)).collect()
}

/// Cuts behind an opening bracket or an assignment, where nothing can end.
fn cut(text: &str) -> Vec<String> {
    find(text, &["(", "[", "{", "= \"", ": \""])
        .into_iter()
        .map(|(at, needle)| text[..at + needle.len()].to_owned())
        .collect()
}

fn delete_closing_lines(text: &str) -> Vec<String> {
    let is_closing = |line: &str| {
        let line = line.trim().trim_end_matches([';', ',']);
        matches!(line, "}" | ")" | "]" | "end" | "fi" | "done" | "esac" | "})" | "],")
            || matches!(line, "</select>" | "</form>" | "</table>" | "</section>" | "</header>")
            || matches!(line, "</main>" | "</ul>")
    };
    let ends = |at: usize| at + text[at..].find('\n').map_or(text.len() - at, |end| end + 1);
    let starts = line_starts(text).into_iter().filter(|at| is_closing(&text[*at..ends(*at)]));
    spread(starts.collect()).into_iter().map(|at| replaced(text, at, ends(at) - at, "")).collect()
}

/// Doubles a line up to behind its first opening bracket.
fn double_fragments(text: &str) -> Vec<String> {
    let fragments = find(text, &OPENING).into_iter().map(|(at, _)| {
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let fragment = format!("{}\n", &text[start..=at]);
        replaced(text, start, 0, &fragment)
    });
    fragments.collect()
}

fn without(text: &str, needles: &[&'static str]) -> Vec<String> {
    delete_each(text, needles)
}

/// Leaves a space in place of a separator: names that run together are one name.
fn spaced(text: &str, needles: &[&'static str]) -> Vec<String> {
    find(text, needles)
        .into_iter()
        .map(|(at, needle)| replaced(text, at, needle.len(), " "))
        .collect()
}

fn doubled(text: &str, needles: &[&'static str]) -> Vec<String> {
    find(text, needles).into_iter().map(|(at, needle)| replaced(text, at, 0, needle)).collect()
}

/// Joins a line that a line break ends with the next.
fn join(text: &str, language: &str) -> Vec<String> {
    let ends: &[&'static str] = match language {
        "go" => &["1\n", "]\n", "item)\n"],
        "kotlin" => &["]\n    t", "\"low\"\n"],
        "python" => &["\"]\n", "10}\n", "math\n"],
        "ruby" => &["\"json\"\n", ":high].freeze\n"],
        "toml" => &["\"\n", "]\n"],
        "yaml" => &["\"\n"],
        _ => &[],
    };
    let joined = find(text, ends).into_iter().map(|(at, end)| {
        let newline = at + end.find('\n').unwrap_or_default();
        replaced(text, newline, 1, " ")
    });
    joined.collect()
}

/// Words without which a text of the language is none.
fn keywords(language: &str) -> &'static [&'static str] {
    match language {
        "bash" => &["then", "done", "fi\n", "esac", " do\n", "in\n"],
        "c" => &["struct {", "#endif", "if ("],
        "cpp" => &["namespace ", "operator", "class ", "template "],
        "csharp" => &["class ", "namespace ", "foreach ", "switch "],
        "css" => &["@media "],
        "go" => &["func ", "struct ", "struct{", "type ", "package "],
        "java" => &["class ", "interface ", "enum "],
        "javascript" => &["import ", "function ", "class ", " of "],
        "json" => &["true", "false", "null"],
        "kotlin" => &["fun ", "class ", " in ", "import "],
        "php" => &["function ", "class ", "foreach ", " as ", "namespace "],
        "python" => &["def ", "class ", "import ", " in ", "if ", "for ", "with "],
        "ruby" => &["def ", "end\n", "module "],
        "rust" => &["fn ", "let name", "let mut", "impl", "for ", "struct ", "match "],
        "typescript" | "tsx" => &["interface ", "function ", "class "],
        _ => &[],
    }
}

/// Marks without which two parts run into each other.
fn separators(language: &str) -> &'static [&'static str] {
    match language {
        "bash" => &["debug) "],
        "c" | "cpp" => &[";\n", ", "],
        "csharp" | "java" | "php" => &[";\n", ", "],
        "css" => &[": "],
        "go" => &[", ", " := "],
        "html" => &["</"],
        "javascript" | "typescript" | "tsx" => &[", ", " => "],
        "json" | "jsonc" => &[",\n    ", ": "],
        "kotlin" => &[", ", " = "],
        "python" => &[":\n", ", "],
        "ruby" => &[", ", " => "],
        "rust" => &[", ", " => "],
        "toml" => &[" = ", ", "],
        "yaml" => &["ch\", ", ": {"],
        _ => &[],
    }
}

/// Operators that nothing can have two of.
fn operators(language: &str) -> &'static [&'static str] {
    match language {
        "bash" => &[" && "],
        "c" | "cpp" | "csharp" | "java" => &[" = ", " <= ", " > "],
        "css" => &[": "],
        "go" => &[" := ", " >= ", ", "],
        "html" => &["=\""],
        "javascript" | "typescript" | "tsx" => &[" = ", " => ", " > "],
        "json" | "jsonc" => &[", ", ": ", ",\n"],
        "kotlin" => &[" = ", " -> ", " == "],
        "php" => &[" = ", " => ", "->"],
        "python" => &[" = ", ", ", ":\n"],
        "ruby" => &[" = ", " => "],
        "rust" => &[" = ", " => ", " -> "],
        "toml" => &[" = ", ", "],
        "yaml" => &[", "],
        _ => &[],
    }
}
