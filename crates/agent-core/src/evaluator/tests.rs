//! Scores against those that a person gave.

use super::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    score: u8,
    why: String,
    signals: Signals,
}

/// The ranks of values; equal ones share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let same = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    values.iter().map(|value| below(*value) + (same(*value) + 1.0) / 2.0).collect()
}

/// Spearman's correlation of two lists.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let product = |(a, b): (&f64, &f64)| (a - mean_a) * (b - mean_b);
    let together: f64 = a.iter().zip(&b).map(product).sum();
    let own = |of: &[f64], mean: f64| of.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    together / (own(&a, mean_a) * own(&b, mean_b)).sqrt()
}

#[test]
fn ranks_and_correlation_are_what_they_are_called() {
    assert_eq!(ranks(&[3.0, 1.0, 3.0]), [2.5, 1.0, 2.5]);
    assert!((correlation(&[1.0, 2.0, 3.0], &[2.0, 4.0, 9.0]) - 1.0).abs() < 1e-9);
    assert!((correlation(&[1.0, 2.0, 3.0], &[9.0, 4.0, 2.0]) + 1.0).abs() < 1e-9);
}

fn rows(text: &str) -> Vec<Row> {
    text.lines().map(|row| serde_json::from_str(row).expect(row)).collect()
}

/// The correlation of given scores with those that are counted, and the rows that are more than
/// one apart.
fn compared(rows: Vec<Row>) -> (f64, Vec<String>) {
    assert_eq!(rows.len(), 30);
    let (mut given, mut found, mut far) = (Vec::new(), Vec::new(), Vec::new());
    for Row { score, why, signals } in rows {
        let evaluation = Evaluation::of(signals);
        if score.abs_diff(evaluation.score) > 1 {
            far.push(format!("{score}, not {}: {why} ({})", evaluation.score, evaluation.reason));
        }
        given.push(f64::from(score));
        found.push(f64::from(evaluation.score));
    }
    (correlation(&given, &found), far)
}

#[test]
fn scores_follow_those_that_a_person_gave() {
    let rows = rows(include_str!("../../../../fixtures/evaluator/sessions.jsonl"));
    let (correlation, far) = compared(rows);
    println!("rank correlation: {correlation:.3}");
    assert_eq!(far, Vec::<String>::new());
    assert!(correlation >= 0.7, "{correlation}");
}

/// These scores were given before any was counted, and no rule was made after them. What a person
/// sees and no count tells (a wrong answer, a weaker test) is among them.
#[test]
fn scores_follow_those_that_were_given_blind() {
    let rows = rows(include_str!("../../../../fixtures/evaluator/blind.jsonl"));
    let (correlation, far) = compared(rows);
    println!("rank correlation, blind: {correlation:.3}; {} of 30 are far", far.len());
    assert!(correlation >= 0.7, "{correlation}: {far:#?}");
}

#[test]
fn a_score_says_what_it_is_made_of() {
    let signals = Signals {
        tests_first: Some(false),
        tests_last: Some(true),
        retries: 2,
        files: 1,
        declined: 1,
        failed_calls: 1,
        calls: 8,
        answered: true,
        ..serde_json::from_str(r#"{"outcome": "finished", "intent": "edit"}"#).expect("signals")
    };
    let evaluation = Evaluation::of(signals);
    assert_eq!(evaluation.score, 4);
    let reason = "finished; the tests pass after 2 failed runs; 1 call was declined";
    assert_eq!(evaluation.reason, reason);
}
