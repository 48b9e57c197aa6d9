//! What the numbers have to reach.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{
    Outcome,
    score::{Row, Score},
};
use crate::{Failure, text};

/// The content of `targets.toml`.
#[derive(Debug, Deserialize)]
pub(super) struct Targets {
    speed: Speed,
    /// By format and tier.
    #[serde(flatten)]
    formats: BTreeMap<String, BTreeMap<String, Shares>>,
}

/// Shares in per cent.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shares {
    /// At least.
    exact: f64,
    /// At most.
    wrong: f64,
}

/// The most milliseconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Speed {
    median_ms: f64,
    p95_ms: f64,
    max_ms: f64,
    large_ms: f64,
}

impl Targets {
    pub(super) fn parse(toml: &str) -> Result<Self, Failure> {
        toml::from_str(toml).map_err(text)
    }

    /// The targets of a tier, if it has any.
    pub(super) fn of(&self, format: &str, tier: &str) -> Option<Shares> {
        self.formats.get(format)?.get(tier).copied()
    }

    /// Every target that is missed, or that could not be measured.
    pub(super) fn missed(&self, outcomes: &[(&str, Outcome)]) -> Vec<String> {
        let mut missed = Vec::new();
        for (format, outcome) in outcomes {
            match outcome {
                Outcome::Scored(score) => missed.extend(self.missed_by(score)),
                Outcome::Skipped(tool) => {
                    if self.formats.contains_key(*format) {
                        missed.push(format!("{format}: not measured, there is no `{tool}`"));
                    }
                }
            }
        }
        missed
    }

    fn missed_by(&self, score: &Score) -> Vec<String> {
        let format = &score.format;
        let mut missed = Vec::new();
        for (tier, shares) in self.formats.get(format).into_iter().flatten() {
            match score.tiers.get(tier) {
                None => missed.push(format!("{format} {tier}: not measured, no edit is of it")),
                Some(row) => {
                    missed
                        .extend(shares.missed(row).map(|what| format!("{format} {tier}: {what}")));
                }
            }
        }
        if score.all.error > 0.0 {
            missed.push(format!("{format}: {:.2} % not answered", score.all.error));
        }
        let Speed { median_ms, p95_ms, max_ms, large_ms } = self.speed;
        let mut times = vec![
            ("median", score.all.median_ms, median_ms),
            ("95 %", score.all.p95_ms, p95_ms),
            ("slowest", score.all.max_ms, max_ms),
        ];
        match &score.large {
            Some(large) => times.push(("long file", large.max_ms, large_ms)),
            None => missed.push(format!("{format}: long file: not measured")),
        }
        for (what, is, most) in times {
            if is > most {
                missed.push(format!("{format}: {what} {is:.3} ms, at most {most} wanted"));
            }
        }
        missed
    }
}

impl Shares {
    /// What a row misses.
    pub(super) fn missed(self, row: &Row) -> impl Iterator<Item = String> {
        let exact = (row.exact < self.exact)
            .then(|| format!("{:.2} % exact, at least {} wanted", row.exact, self.exact));
        let wrong = (row.wrong > self.wrong)
            .then(|| format!("{:.2} % wrong, at most {} wanted", row.wrong, self.wrong));
        exact.into_iter().chain(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository;

    const TARGETS: &str = "[sketch]\nT0 = { exact = 90.0, wrong = 0.3 }\n\
        T1 = { exact = 65.0, wrong = 0.5 }\n\
        [speed]\nmedian_ms = 0.3\np95_ms = 2.0\nmax_ms = 100.0\nlarge_ms = 50.0\n";

    fn score(tiers: &str, max_ms: f64) -> Score {
        let row = |exact: f64, wrong: f64| {
            format!(
                r#"{{"n": 10, "exact": {exact}, "wrong": {wrong}, "wrong_newline": 0,
                "declined": 0, "error": 0, "median_ms": 0.2, "p95_ms": 2.0, "max_ms": {max_ms}}}"#
            )
        };
        let tiers = tiers.replace("GOOD", &row(90.0, 0.3)).replace("BAD", &row(89.99, 0.31));
        let all = row(90.0, 0.0);
        serde_json::from_str(&format!(
            r#"{{"format": "sketch", "all": {all}, "tiers": {tiers}, "languages": {{}},
                "processor_ms": null,
                "large": {{"lines": 100000, "n": 1, "median_ms": 9.0, "max_ms": 50.0,
                    "processor_ms": 9.0}}}}"#
        ))
        .unwrap()
    }

    fn missed(outcome: Outcome) -> Vec<String> {
        Targets::parse(TARGETS).unwrap().missed(&[("sketch", outcome)])
    }

    #[test]
    fn what_just_reaches_its_targets_misses_none() {
        let score = score(r#"{"T0": GOOD, "T1": GOOD}"#, 100.0);
        assert_eq!(missed(Outcome::Scored(Box::new(score))), [""; 0]);
    }

    #[test]
    fn every_missed_target_is_named_with_what_is_and_what_should_be() {
        let score = score(r#"{"T0": BAD}"#, 100.5);
        assert_eq!(
            missed(Outcome::Scored(Box::new(score))),
            [
                "sketch T0: 89.99 % exact, at least 90 wanted",
                "sketch T0: 0.31 % wrong, at most 0.3 wanted",
                "sketch T1: not measured, no edit is of it",
                "sketch: slowest 100.500 ms, at most 100 wanted",
            ]
        );
    }

    #[test]
    fn a_format_that_could_not_be_measured_misses_its_targets() {
        let outcome = Outcome::Skipped("merge_sketch");
        assert_eq!(missed(outcome), ["sketch: not measured, there is no `merge_sketch`"]);
    }

    #[test]
    fn the_projects_targets_are_read() {
        let file = repository::read(&repository::root(), "xtask/edit-bench/targets.toml").unwrap();
        let targets = Targets::parse(&file).unwrap();
        let formats: Vec<&String> = targets.formats.keys().collect();
        assert_eq!(formats, ["pairs", "sketch"]);
        assert_eq!(targets.formats["sketch"].len(), 9);
    }
}
