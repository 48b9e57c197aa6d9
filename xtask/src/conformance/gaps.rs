//! What is not expected to pass, with the reason.

use std::path::Path;

use serde::Deserialize;

use crate::{Failure, repository, text};

/// The file that lists them.
const FILE: &str = "xtask/conformance/gaps.toml";

/// The gaps that are known.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Gaps {
    gap: Vec<Gap>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gap {
    /// Who is tested.
    role: String,
    /// Names of scenarios. One may end in `*`.
    scenarios: Vec<String>,
    reason: String,
    /// The only checks that may fail, where not all may.
    #[serde(default)]
    checks: Vec<String>,
    /// Which of the names stood for a scenario that failed.
    #[serde(skip)]
    met: Vec<String>,
}

impl Gaps {
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let gaps: Self = toml::from_str(&repository::read(root, FILE)?).map_err(text)?;
        match gaps.gap.iter().find(|gap| gap.reason.trim().is_empty()) {
            Some(gap) => Err(format!("{FILE}: {:?} needs a reason", gap.scenarios)),
            None => Ok(gaps),
        }
    }

    /// Tells of a scenario's outcome; the failure where it is not the one that was expected.
    pub(super) fn judge(
        &mut self,
        role: &str,
        revision: &str,
        scenario: &str,
        outcome: Result<String, Failure>,
    ) -> Option<Failure> {
        let mut gaps = self.gap.iter_mut().filter(|gap| gap.role == role);
        let known = gaps.find_map(|gap| {
            let name = gap.scenarios.iter().find(|name| fits(name, scenario))?.clone();
            Some((gap, name))
        });
        let (word, failure) = match (outcome, known) {
            (Ok(_), None) => ("ok", None),
            (Err(printed), Some((gap, name))) => {
                gap.met.push(name);
                match gap.unexpected(&printed).as_slice() {
                    [] => ("gap", None),
                    more => {
                        let more = more.join(", ");
                        let failure =
                            format!("{role} {scenario} ({revision}) fails in {more}, too");
                        ("FAILED", Some(failure))
                    }
                }
            }
            // A name that stands for many may stand for one that passes.
            (Ok(_), Some((_, name))) if name.ends_with('*') => ("ok", None),
            (Ok(_), Some(_)) => {
                let failure =
                    format!("{role} {scenario} ({revision}) passes: take it out of {FILE}");
                ("PASSES", Some(failure))
            }
            (Err(printed), None) => {
                let checks = failed(&printed).join("\n  ");
                let all = if checks.is_empty() { printed } else { checks };
                ("FAILED", Some(format!("{role} {scenario} ({revision}) failed:\n  {all}")))
            }
        };
        println!("{role:6}  {revision}  {word:6}  {scenario}");
        failure
    }

    /// Names that stood for nothing that failed.
    pub(super) fn unused(&self) -> Vec<Failure> {
        let unused = |gap: &Gap| {
            let names = gap.scenarios.iter().filter(|name| !gap.met.contains(name));
            let said = names.map(|name| format!("{FILE}: no scenario `{name}` fails: take it out"));
            said.collect::<Vec<_>>()
        };
        self.gap.iter().flat_map(unused).collect()
    }
}

impl Gap {
    /// Checks that failed and that it does not name, where it names any.
    fn unexpected(&self, printed: &str) -> Vec<String> {
        let mut failed = failed(printed);
        failed.retain(|check| !self.checks.iter().any(|known| check.starts_with(known)));
        if self.checks.is_empty() { Vec::new() } else { failed }
    }
}

/// The checks that failed, as the suite prints them: each with what it checks.
fn failed(printed: &str) -> Vec<String> {
    let mut after = printed.lines().skip_while(|line| !line.contains("Failed Checks"));
    after.next();
    after.filter_map(|line| line.strip_prefix("  - ")).map(str::to_owned).collect()
}

fn fits(name: &str, scenario: &str) -> bool {
    match name.strip_suffix('*') {
        Some(beginning) => scenario.starts_with(beginning),
        None => scenario == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_expected_is_a_failure() {
        let text = "[[gap]]\nrole = 'server'\nscenarios = ['a', 'b-*', 'c']\nreason = 'r'\n";
        let mut gaps: Gaps = toml::from_str(text).expect("gaps");
        let (passed, failed) = (|| Ok(String::new()), || Err("why".to_owned()));
        for (role, scenario, outcome, fails) in [
            ("server", "a", failed(), false),
            ("server", "b-1", failed(), false),
            ("server", "b-2", passed(), false),
            ("server", "c", passed(), true),
            ("server", "d", failed(), true),
            ("client", "a", failed(), true),
            ("client", "a", passed(), false),
        ] {
            let failure = gaps.judge(role, "2026-07-28", scenario, outcome);
            assert_eq!(failure.is_some(), fails, "{role} {scenario}: {failure:?}");
        }
        let text = "[[gap]]\nrole = 'server'\nscenarios = ['a']\nreason = 'r'\nchecks = ['One']\n";
        let mut some: Gaps = toml::from_str(text).expect("gaps");
        let printed = |checks: &str| Err(format!("  - No\n=== Failed Checks ===\n{checks}"));
        assert_eq!(some.judge("server", "r", "a", printed("  - One: x\n    Error: y")), None);
        assert!(some.judge("server", "r", "a", printed("  - One: x\n  - Two: x")).is_some());
        assert_eq!(gaps.unused(), [format!("{FILE}: no scenario `c` fails: take it out")]);
    }
}
