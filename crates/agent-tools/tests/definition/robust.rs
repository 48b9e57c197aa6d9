//! What holds whatever is given.

use agent_tools::definition::{self, Consent};
use proptest::prelude::*;

use super::fixtures;

/// Whatever is given, either nothing is done or every definition but the wanted one is kept.
fn check(path: &str, original: &str, wanted: &str, given: &str) {
    let Ok(new) = definition::merge_text(path, original, wanted, given, &Consent::default()) else {
        return;
    };
    let names = |text: &str| -> Vec<String> {
        let all = definition::outline(path, text);
        all.into_iter().map(|(_, one)| one.name()).collect()
    };
    let last = wanted.rsplit('.').next().unwrap_or_default();
    for name in names(original) {
        let is_inside = name.contains(&format!("{last}."));
        assert!(is_inside || names(&new).contains(&name), "{name} is lost:\n{new}");
    }
}

#[test]
fn what_is_cut_off_anywhere_loses_nothing() {
    for fixture in fixtures() {
        let given = &fixture.given;
        let cuts = given.char_indices().map(|(at, _)| at).filter(|at| at % 31 == 0);
        for cut in cuts {
            check(&fixture.path, &fixture.original, &fixture.name, &given[..cut]);
        }
    }
}

#[test]
fn the_code_of_one_fixture_given_for_another_loses_nothing() {
    let all = fixtures();
    for one in &all {
        for other in all.iter().step_by(7) {
            check(&one.path, &one.original, &one.name, &other.given);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn lines_in_any_order_lose_nothing(seed in any::<prop::sample::Index>(), order in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        let all = fixtures();
        let fixture = seed.get(&all);
        let lines: Vec<&str> = fixture.original.lines().chain(fixture.given.lines()).collect();
        prop_assume!(!lines.is_empty());
        let given: Vec<&str> = order.iter().map(|index| *index.get(&lines)).collect();
        check(&fixture.path, &fixture.original, &fixture.name, &given.join("\n"));
    }
}
