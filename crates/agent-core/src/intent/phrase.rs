//! From the words of a request to its intent.

use super::{Extent, Intent, lists};

/// Stands for something quoted, which is named and not said.
const QUOTED: &str = "…";

/// The words between two marks or joints.
#[derive(Debug, PartialEq, Eq)]
struct Clause {
    words: Vec<String>,
    /// The word that joins it to the clause before; none where a sentence begins.
    joint: Option<&'static str>,
}

/// What a clause asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    Question,
    Look,
    Edit,
    Run,
    /// Nothing that is known.
    Unknown,
    /// It goes on with what the clause before named.
    More,
}

/// What the words of a request come to, with the rule that says so.
pub(super) type Reading = (Option<Intent>, &'static str);

/// The intent of a request whose words are plain.
pub(super) fn read(task: &str) -> Reading {
    let text = unquoted(own_words(task));
    let clauses = clauses(&text);
    let Some(first) = clauses.first() else { return (None, "says nothing") };
    if is_profile(&clauses) {
        return (Some(Intent::Profile), "asks for the profile");
    }
    if is_undo(&clauses) {
        return (Some(Intent::Undo), "takes back");
    }
    let untouched = lists::UNTOUCHED.iter().any(|words| text.to_lowercase().contains(words));
    let mut asked = Vec::new();
    for clause in &clauses {
        asked.push(asks(clause, asked.last().copied()));
    }
    if is_test_run(&first.words) && asked.iter().all(|asks| *asks != Asks::Edit) {
        return (Some(Intent::Run), "asks whether it passes");
    }
    let changes = clauses.iter().any(|clause| clause.words.iter().any(|word| is_edit_word(word)));
    let has = |wanted: Asks| asked.contains(&wanted);
    match () {
        () if untouched && asked[0] != Asks::Edit && asked[0] != Asks::Run => {
            (Some(Intent::Read), "nothing is to change")
        }
        () if has(Asks::Edit) && untouched => (None, "a change and none"),
        () if has(Asks::Edit) => (Some(Intent::Edit), "asks for a change"),
        () if has(Asks::Run) => (Some(Intent::Run), "asks for a run"),
        () if has(Asks::Unknown) => (None, "not understood"),
        () if changes => (None, "names a change"),
        () => (Some(Intent::Read), "asks or looks"),
    }
}

/// How much a request to undo speaks of.
pub(super) fn extent_of_undo(task: &str) -> Option<Extent> {
    let text = unquoted(own_words(task));
    let words: Vec<String> = clauses(&text).into_iter().flat_map(|clause| clause.words).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(lists::SOME) {
        return None;
    }
    let numbers = words.iter().filter(|word| *word != "one").filter_map(|word| number(word));
    match numbers.collect::<Vec<_>>().as_slice() {
        [] if has(lists::EVERYTHING) => Some(Extent::Everything),
        [] => Some(Extent::Last(1)),
        [only] if *only > 0 => Some(Extent::Last(*only)),
        [..] => None,
    }
}

fn number(word: &str) -> Option<usize> {
    let position = lists::NUMBERS.iter().position(|number| *number == word);
    position.or_else(|| word.parse().ok())
}

/// The request less what was piped into it.
fn own_words(task: &str) -> &str {
    task.split_once("\n\n<stdin>\n").map_or(task, |(words, _)| words)
}

/// The text with what stands in quotation marks or code marks left out.
fn unquoted(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['`', '"', '“']) {
        kept.push_str(&rest[..at]);
        let open =
            if rest[at..].starts_with("```") { "```" } else { &rest[at..][..first(&rest[at..])] };
        let close = if open == "“" { "”" } else { open };
        let body = &rest[at + open.len()..];
        match body.find(close) {
            Some(end) => {
                kept.push_str(QUOTED);
                rest = &body[end + close.len()..];
            }
            None => rest = body,
        }
    }
    kept + rest
}

/// The length of the first character.
fn first(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn clauses(text: &str) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let mut clause = Clause { words: Vec::new(), joint: None };
    let mut next = |clause: &mut Clause, joint| {
        let done = std::mem::replace(clause, Clause { words: Vec::new(), joint });
        // Numbers of a list are no words, and what is quoted says nothing by itself.
        if done.words.iter().any(|word| word.parse::<u32>().is_err() && word != QUOTED) {
            clauses.push(without_courtesy(done));
        }
    };
    for line in text.lines() {
        for word in line.split_whitespace() {
            let bare = word.trim_matches(|c: char| {
                matches!(
                    c,
                    '.' | ',' | '?' | '!' | ':' | ';' | '(' | ')' | '*' | '\'' | '¿' | '¡' | '-'
                )
            });
            let bare = bare.to_lowercase().replace('’', "'");
            let joint = ["and", "then", "und", "et", "y"].into_iter().find(|joint| *joint == bare);
            match joint {
                Some(joint) if !clause.words.is_empty() => next(&mut clause, Some(joint)),
                _ if bare.is_empty() => {}
                Some(_) | None => clause.words.push(bare),
            }
            if word.ends_with(['.', '?', '!', ':', ';']) {
                next(&mut clause, None);
            } else if word.ends_with(',') {
                next(&mut clause, Some(","));
            }
        }
        next(&mut clause, None);
    }
    clauses.retain(|clause| !clause.words.is_empty());
    clauses
}

fn without_courtesy(mut clause: Clause) -> Clause {
    while let Some(phrase) = lists::COURTESY
        .iter()
        .filter(|phrase| begins(&clause.words, phrase))
        .max_by_key(|phrase| phrase.len())
    {
        // "I want to know" asks.
        if lists::LOOKS.iter().any(|look| look.len() > phrase.len() && begins(&clause.words, look))
        {
            break;
        }
        clause.words.drain(..phrase.split(' ').count());
    }
    if clause.words.last().is_some_and(|word| word == "please") {
        clause.words.pop();
    }
    clause
}

fn begins(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|wanted| words.next().is_some_and(|word| word == wanted))
}

fn begins_with_any(words: &[String], phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| begins(words, phrase))
}

fn asks(clause: &Clause, before: Option<Asks>) -> Asks {
    let words = &clause.words;
    let verb_phrase = || words.get(1).is_some_and(|word| lists::OBJECTS.contains(&word.as_str()));
    match clause.joint {
        _ if begins_with_any(words, lists::RUNS) => Asks::Run,
        _ if begins_with_any(words, lists::EDITS) => Asks::Edit,
        _ if begins_with_any(words, lists::DOUBTFUL) => Asks::Unknown,
        _ if begins_with_any(words, lists::AUXILIARIES) && words.len() < 3 => Asks::Unknown,
        _ if words.len() < 2 && clause.joint.is_none() => Asks::Unknown,
        _ if begins_with_any(words, lists::ASKS) => Asks::Question,
        _ if begins_with_any(words, lists::LOOKS) => Asks::Look,
        None => Asks::Unknown,
        Some("then") => Asks::Unknown,
        Some(_) if before == Some(Asks::Unknown) => Asks::Unknown,
        // "Find the bug and squash it": perhaps a verb that is not known.
        Some("and") if !lists::OBJECTS.contains(&words[0].as_str()) && verb_phrase() => {
            Asks::Unknown
        }
        Some(_) => Asks::More,
    }
}

fn is_edit_word(word: &str) -> bool {
    lists::EDITS.contains(&word) && !lists::ALSO_NOUNS.contains(&word)
}

fn is_profile(clauses: &[Clause]) -> bool {
    let [clause] = clauses else { return false };
    let text = clause.words.join(" ");
    let text = text.strip_suffix(" here").unwrap_or(&text);
    // "What can you do" loses nothing to courtesy; "can you help" does.
    lists::PROFILE.contains(&text)
}

fn is_undo(clauses: &[Clause]) -> bool {
    let [clause] = clauses else { return false };
    let words = &clause.words;
    let Some(verb) = lists::UNDOES.iter().find(|verb| begins(words, verb)) else {
        // "Mach das rückgängig."
        return words.last().is_some_and(|word| word == "rückgängig")
            && matches!(words[0].as_str(), "mach" | "mache");
    };
    words[verb.split(' ').count()..].iter().all(|word| {
        let word = word.as_str();
        let known =
            [lists::UNDONE, lists::EVERYTHING, lists::SOME].iter().any(|it| it.contains(&word));
        known || number(word).is_some()
    })
}

/// Do the tests pass?
fn is_test_run(words: &[String]) -> bool {
    let asks = words
        .first()
        .is_some_and(|word| matches!(word.as_str(), "do" | "does" | "did" | "are" | "is" | "will"));
    let has = |list: &[&str]| words.iter().skip(1).any(|word| list.contains(&word.as_str()));
    asks && words.len() <= 6 && has(lists::RUNNABLE) && has(lists::SUCCEEDS)
}
