//! The tables in `fixtures/policy`, row by row.

use super::*;
use crate::command::permission::Execution;
use crate::config::{Config, Layer, Trust};

const MODES: [Approval; 4] = [Approval::Ask, Approval::Edits, Approval::All, Approval::Plan];

fn effect(text: &str) -> Effect {
    let (verb, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim().to_owned();
    match verb {
        "read" => Effect::Read(rest),
        "write" => Effect::Write(rest),
        "delete" => Effect::Delete(rest),
        "undo" => Effect::Undo,
        "run" => Effect::Execute(Execution::line(&rest)),
        "connect" => Effect::Network(rest),
        "external" => Effect::External(rest),
        _ => panic!("no effect: {text}"),
    }
}

/// Compares every row of a table with what `rules` and the built-in rows decide. Each row counts
/// once.
fn check(table: &str, rules: &[Rule]) -> usize {
    let mut rows = 0;
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let mut columns = row.split('|').map(str::trim);
        let mut call = columns.next().expect("effects");
        let mut past = Past::default();
        if let Some((rest, deleted)) = call.rsplit_once(" x")
            && let Ok(deleted) = deleted.parse()
        {
            (call, past.deleted) = (rest, deleted);
        }
        let (tool, effects) = call.split_once(": ").unwrap_or(("edit_file", call));
        let effects: Vec<Effect> =
            effects.split(" + ").filter(|text| !text.is_empty()).map(effect).collect();
        let expected: Vec<&str> = columns.collect();
        let [verdicts @ .., decider] = expected.as_slice() else { panic!("{row}") };
        for (approval, expected) in MODES.into_iter().zip(verdicts) {
            let policy = Policy::new(approval, rules);
            let judgement = policy.judge(tool, &effects, past);
            assert_eq!(judgement.verdict.name(), *expected, "{approval:?}: {row}");
            let by = match (&judgement.decider, approval) {
                (Decider::Plan, Approval::Plan) => continue,
                (Decider::Rule(number, _), _) => format!("rule {number}"),
                (Decider::BuiltIn(name), _) => (*name).to_owned(),
                (Decider::NoEffect | Decider::Plan | Decider::Question | Decider::Tests, _) => {
                    judgement.decider.to_string()
                }
            };
            assert_eq!(by, *decider, "{approval:?}: {row}");
        }
        assert_eq!(verdicts.len(), MODES.len(), "{row}");
        rows += 1;
    }
    rows
}

#[test]
fn built_in_rows_decide_as_the_table_says() {
    let rows = check(include_str!("../../../../fixtures/policy/built-in.txt"), &[]);
    assert!(rows >= 90, "{rows}");
}

#[test]
fn given_rules_decide_first() {
    let text = include_str!("../../../../fixtures/policy/given.toml");
    let layer = Layer::file("given.toml", text, Trust::Full).expect("good rules");
    let config = Config::layered([layer]);
    let rows = check(include_str!("../../../../fixtures/policy/given.txt"), config.rules());
    assert!(rows >= 40, "{rows}");
}

#[test]
fn a_refusal_says_what_why_what_else_and_by_which_rule() {
    let refusal = |rules: &[Rule], effect: Effect| {
        Policy::new(Approval::Edits, rules).judge("t", &[effect], Past::default()).refusal()
    };
    assert_eq!(
        refusal(&[], Effect::Write("Cargo.lock".to_owned())),
        "refused, not done: to write `Cargo.lock`. It is a lock file, which its own tool writes. \
         Change the manifest instead; the tool brings the lock file up to date. [lock-files (built in)]"
    );
    let rule = Rule {
        path: Some(Pattern::path("gen/").expect("a glob")),
        reason: Some("made by `make gen`".to_owned()),
        ..Rule::any(
            Verdict::Refuse,
            Source::Given(crate::config::Origin::File { path: "c.toml".to_owned(), line: 3 }),
        )
    };
    assert_eq!(
        refusal(&[rule], Effect::Write("gen/a".to_owned())),
        "refused, not done: to write `gen/a`. Made by `make gen`. Do without it, and say so in \
         your answer. [rule 1 (c.toml:3)]"
    );
}

#[test]
fn every_row_fits_something_and_has_words() {
    for row in &table::ROWS {
        assert!(!row.why.is_empty() && !row.why.ends_with('.'), "{}", row.name);
        assert_eq!(row.instead.is_empty(), row.caution == Caution::Free, "{}", row.name);
    }
    let mut names: Vec<_> = table::ROWS.iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), table::ROWS.len());
}

#[test]
fn a_withheld_tool_is_told_from_an_unknown_one() {
    assert!(withheld("edit_file", Approval::Plan).is_some());
    assert!(withheld("read_file", Approval::Plan).is_none());
    assert!(withheld("no_such_tool", Approval::Plan).is_none());
    assert!(withheld("edit_file", Approval::Edits).is_none());
}

#[test]
fn tests_stay_where_the_request_is_about_the_code() {
    let policy = Policy::new(Approval::All, []);
    let past = Past { keeps_tests: true, ..Past::default() };
    let verdict = |effect: Effect, past| policy.judge("t", &[effect], past).verdict;
    let test = || "tests/test_a.py".to_owned();
    assert_eq!(verdict(Effect::Write(test()), past), Verdict::Refuse);
    assert_eq!(verdict(Effect::Delete(test()), past), Verdict::Refuse);
    assert_eq!(verdict(Effect::Read(test()), past), Verdict::Allow);
    assert_eq!(verdict(Effect::Write("a.py".to_owned()), past), Verdict::Allow);
    assert_eq!(verdict(Effect::Write(test()), Past::default()), Verdict::Allow);
    let judgement = policy.judge("t", &[Effect::Write(test())], past);
    assert_eq!(judgement.breach(), Breach::None);
    assert_eq!(
        judgement.refusal(),
        "refused, not done: to write `tests/test_a.py`. The request does not ask to change tests. \
         Change the code that it tests instead. [tests stay]"
    );
}
