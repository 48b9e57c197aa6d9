//! How many broken files the gate catches.

use std::collections::BTreeMap;

use agent_tools::syntax::{SyntaxLimits, Verdict, introduced};

use crate::mutation::MUTATIONS;
use crate::sample::samples;

/// Ways of breaking a file that leave a valid one in some language, so that they prove nothing.
///
/// Of a language that takes nearly any text (templates, styles, documents, shell commands), only
/// what damages its own structure counts.
fn is_valid(language: &str, mutation: &str) -> bool {
    let inert: &[&str] = match language {
        // A document is text: only tags and attributes can be broken.
        "html" => &[
            "closing bracket",
            "opening bracket",
            "another bracket",
            "stray token",
            "sentence",
            "fence",
            "bare marker",
            "middle",
            "fragment",
        ],
        // A scalar without quotes may hold any bracket or quote behind its first character.
        "yaml" => &["opening bracket", "a quote"],
        _ => &[],
    };
    inert.iter().any(|inert| mutation.contains(inert))
}

#[test]
fn broken_files_are_caught() {
    let limits = SyntaxLimits::default();
    let mut scores: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut missed = String::new();
    for sample in samples() {
        let score = scores.entry(sample.language.clone()).or_default();
        for mutation in &MUTATIONS {
            if is_valid(&sample.language, mutation.name) {
                continue;
            }
            for text in (mutation.apply)(&sample.text, &sample.language) {
                let verdict = introduced(&sample.name, &sample.text, &text, &limits);
                assert!(matches!(verdict, Verdict::Checked { .. }), "{}: {verdict:?}", sample.name);
                score.1 += 1;
                if verdict.errors().is_empty() {
                    let (before, after) = first_difference(&sample.text, &text);
                    missed +=
                        &format!("{}: {}: {before:?} -> {after:?}\n", sample.name, mutation.name);
                } else {
                    score.0 += 1;
                }
            }
        }
    }
    let (caught, all) =
        scores.values().fold((0, 0), |sum, score| (sum.0 + score.0, sum.1 + score.1));
    println!("{missed}\n{scores:?}\n{caught} of {all} caught");
    assert!(caught * 100 >= all * 95, "{caught} of {all} caught; missed:\n{missed}");
    for (language, (caught, all)) in &scores {
        assert!(caught * 100 >= all * 85, "{language}: {caught} of {all}; missed:\n{missed}");
    }
}

/// The first line in which two texts differ.
fn first_difference<'a>(before: &'a str, after: &'a str) -> (&'a str, &'a str) {
    let pairs = before.lines().chain([""]).zip(after.lines().chain([""]));
    pairs.into_iter().find(|(a, b)| a != b).unwrap_or_default()
}
