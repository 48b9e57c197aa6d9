use super::*;

/// The commands of a line as the table writes them.
fn shape(line: &str) -> Result<Vec<String>, &'static str> {
    let word = |word: &Word| match word {
        Word::Literal(text) => text.clone(),
        Word::Expanded(raw) => format!("<{raw}>"),
    };
    let part = |part: &Part| {
        let mut shape: Vec<String> = part.words.iter().map(word).collect();
        shape.extend(part.redirects.iter().map(|redirect| match redirect {
            Redirect::Read(from) => format!("read:{}", word(from)),
            Redirect::Write(to) => format!("write:{}", word(to)),
            Redirect::Duplicate => "duplicate".to_owned(),
        }));
        shape
            .extend(part.assignments.iter().map(|(name, value)| format!("{name}={}", word(value))));
        shape.join("|")
    };
    parse(line).map(|parts| parts.iter().map(part).collect()).map_err(|uncertain| uncertain.0)
}

#[test]
fn a_line_consists_of_what_the_table_says() {
    let table = include_str!("../../../../../fixtures/commands/words.txt");
    let rows: Vec<&str> =
        table.lines().filter(|row| !row.starts_with("# ") && *row != "#").collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let (line, expected) = row.split_once(" =>").expect("two columns");
        let found = match shape(&unescaped(line)) {
            Ok(parts) => parts.join(" ;; "),
            Err(reason) => format!("? {reason}"),
        };
        if found != expected.trim_start() {
            wrong.push(format!("{line} => {found}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(rows.len() >= 80, "{}", rows.len());
}

/// The characters that the table's signs stand for.
fn unescaped(text: &str) -> String {
    let stands_for = |sign| match sign {
        '⏎' => '\n',
        '⇥' => '\t',
        '␍' => '\r',
        '␀' => '\0',
        '⍽' => '\u{a0}',
        other => other,
    };
    text.chars().map(stands_for).collect()
}
