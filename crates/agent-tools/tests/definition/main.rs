//! Every fixture is a file, what is given for one of its definitions, and what comes out, to the
//! byte.
#![cfg(feature = "syntax")]
#![expect(clippy::disallowed_methods, reason = "fixtures are read from the disk")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::path::{Path, PathBuf};

use agent_tools::definition::{self, Consent, Decline};

mod robust;

/// One fixture.
pub(crate) struct Fixture {
    pub(crate) at: PathBuf,
    act: String,
    pub(crate) path: String,
    pub(crate) name: String,
    consent: Consent,
    pub(crate) original: String,
    pub(crate) given: String,
    expected: Result<String, String>,
}

impl Fixture {
    fn load(at: &Path) -> Self {
        let text = fs::read_to_string(at).unwrap();
        let (head, rest) = text.split_once("=== original\n").unwrap();
        let (original, rest) = rest.split_once("=== given\n").unwrap();
        let (given, expected) = match rest.split_once("=== expected\n") {
            Some((given, expected)) => (given, Ok(expected)),
            None => {
                let (given, declined) = rest.split_once("=== declined\n").unwrap();
                (given, Err(declined.trim_end().to_owned()))
            }
        };
        let field = |key: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.filter(|(name, _)| *name == key).map(|(_, value)| value.to_owned()).next()
        };
        // `␍` and `␄` make visible what would be lost: a carriage return, and no final newline.
        let visible = |text: &str| text.replace('␍', "\r").replace("␄\n", "");
        assert!(field("why").is_some(), "{}: no `why`", at.display());
        Self {
            at: at.to_owned(),
            act: field("act").unwrap_or_else(|| "merge".to_owned()),
            path: field("path").unwrap(),
            name: field("name").unwrap_or_default(),
            consent: Consent {
                may_go: field("may go").map_or_else(Vec::new, |name| vec![name]),
                may_shrink: field("may shrink").is_some(),
            },
            original: visible(original),
            given: visible(given),
            expected: expected.map(visible),
        }
    }

    fn outcome(&self) -> Result<String, Decline> {
        let Self { path, name, original, given, consent, .. } = self;
        let edits = match self.act.as_str() {
            "merge" => definition::merge(path, original, name, given, consent),
            "file" => definition::merge_file(path, original, given, consent),
            "remove" => definition::remove(path, original, name),
            "add" => {
                let after = Some(name.as_str()).filter(|name| !name.is_empty());
                definition::add(path, original, after, given)
            }
            act => panic!("{}: no such act: {act}", self.at.display()),
        };
        definition::applied(original, &edits?)
    }
}

pub(crate) fn fixtures() -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/definition");
    let files = fs::read_dir(root).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files.iter().map(|file| Fixture::load(file)).collect()
}

#[test]
fn every_fixture_comes_out_as_written() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let is = fixture.outcome().map_err(|decline| decline.to_string());
        if is != fixture.expected {
            wrong.push(format!(
                "{}:\n{is:?}\ninstead of\n{:?}",
                fixture.at.display(),
                fixture.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn at_least_eight_languages_have_good_and_bad_fixtures() {
    let fixtures = fixtures();
    let mut languages: Vec<&str> = fixtures
        .iter()
        .filter(|one| one.expected.is_ok())
        .filter_map(|one| one.path.rsplit('.').next())
        .filter(|extension| {
            let same = |one: &&Fixture| one.path.ends_with(&format!(".{extension}"));
            fixtures.iter().filter(same).any(|one| one.expected.is_err())
        })
        .collect();
    languages.sort_unstable();
    languages.dedup();
    assert!(languages.len() >= 8, "{languages:?}");
}
