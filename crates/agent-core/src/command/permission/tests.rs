use super::*;

fn permitted(line: &str, patterns: &[&str]) -> Result<(), String> {
    let patterns: Vec<Pattern> =
        patterns.iter().map(|pattern| Pattern::parse(pattern).expect("a pattern")).collect();
    Execution::line(line).permitted_by(&patterns).map_err(|denied| denied.to_string())
}

#[test]
fn every_part_needs_permission_as_the_table_says() {
    let table = include_str!("../../../../../fixtures/commands/permission.txt");
    let rows: Vec<&str> =
        table.lines().filter(|row| !row.starts_with("# ") && *row != "#").collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let columns: Vec<&str> = row.split(" => ").collect();
        let [patterns, line, expected] = columns.as_slice() else { panic!("{row}") };
        let patterns: Vec<&str> = patterns.split(", ").filter(|it| *it != "-").collect();
        let found = match permitted(&line.replace('⏎', "\n"), &patterns) {
            Ok(()) => "permitted".to_owned(),
            Err(reason) => reason,
        };
        if found != *expected {
            wrong.push(format!("{} => {line} => {found}", patterns.join(", ")));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(rows.len() >= 40, "{}", rows.len());
}

#[test]
fn arguments_are_words_as_they_stand() {
    let pattern = [Pattern::parse("grep -r").expect("a pattern")];
    let arguments = |words: &[&str]| {
        Execution::arguments(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    };
    for (words, permitted, line) in [
        (&["grep", "-r", "$(rm x); y"][..], true, "grep -r '$(rm x); y'"),
        (&["grep", "it's"], false, r"grep 'it'\''s'"),
        (&["grep -r"], false, "'grep -r'"),
        (&[], false, ""),
    ] {
        let execution = arguments(words);
        assert_eq!(execution.permitted_by(&pattern).is_ok(), permitted, "{words:?}");
        assert_eq!(execution.line, line);
    }
}

#[test]
fn a_pattern_is_the_beginning_of_one_command() {
    for bad in ["", "*", "a; b", "a $(b)", "a > f", "(a)", "$X", "X=1", "a | b", "a *.rs"] {
        assert!(Pattern::parse(bad).is_err(), "{bad:?}");
    }
}
