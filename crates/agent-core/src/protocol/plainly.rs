//! Which words of a request stand for definitions, where names are words of the language too.

/// What is said before a name.
const KINDS: [&str; 18] = [
    "class",
    "constant",
    "constructor",
    "def",
    "enum",
    "field",
    "fn",
    "func",
    "function",
    "interface",
    "method",
    "module",
    "procedure",
    "property",
    "struct",
    "trait",
    "type",
    "variable",
];

/// What is said behind one. "The smallest value" names nothing.
const KINDS_BEHIND: [&str; 6] = ["class", "constant", "function", "method", "struct", "trait"];

/// What stands between a name and where it is.
const PLACES: [&str; 4] = ["from", "in", "inside", "of"];

/// The names that are plainly meant as such; where none of them is, all of them.
///
/// In "largest in a.py returns the smallest number" that is `largest`.
pub(crate) fn plainly_named(task: &str, names: Vec<String>) -> Vec<String> {
    if names.len() < 2 {
        return names;
    }
    let last = |name: &str| {
        let name = name.split(':').next().unwrap_or_default();
        name.rsplit('.').next().unwrap_or_default().to_owned()
    };
    let plainly: Vec<String> =
        names.iter().filter(|name| is_meant(task, &last(name))).cloned().collect();
    if plainly.is_empty() { names } else { plainly }
}

fn is_meant(task: &str, name: &str) -> bool {
    let looks_like_code = name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    if looks_like_code
        || ["`", "'", "\""].iter().any(|mark| task.contains(&format!("{mark}{name}")))
    {
        return true;
    }
    let words: Vec<&str> = task.split_whitespace().collect();
    let bare =
        |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_lowercase();
    words.iter().enumerate().any(|(at, word)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let of_word = || word.split(|c: char| !is_part(c));
        if !of_word().any(|part| part == name) {
            return false;
        }
        // `largest(`, `Store.largest`
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map(bare);
        let (next, file) = (words.get(at + 1).map(bare), words.get(at + 2));
        let is_one_of = |kinds: &[&str], word: &Option<String>| {
            word.as_deref().is_some_and(|word| kinds.contains(&word))
        };
        let is_placed = next.as_deref().is_some_and(|next| PLACES.contains(&next))
            && file.is_some_and(|file| file.trim_end_matches(['.', ',', ':', '?']).contains('.'));
        word.contains(&format!("{name}("))
            || word.contains(&format!(".{name}"))
            || is_placed
            || is_one_of(&KINDS, &before)
            || is_one_of(&KINDS_BEHIND, &next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_words() {
        for (task, names, expected) in [
            (
                "The function largest in n.py returns the smallest number.",
                "largest smallest",
                "largest",
            ),
            ("largest in n.py returns the smallest number.", "largest smallest", "largest"),
            ("Let the largest function ignore the smallest.", "largest smallest", "largest"),
            ("first() should give the last one", "first last", "first"),
            ("Store.first gives the last", "Store.first Store.last", "Store.first"),
            ("`first` and `last` are mixed up", "first last", "first last"),
            ("first and last are mixed up", "first last", "first last"),
            ("Merge parse_all and read.", "parse_all read", "parse_all"),
            ("largest gives the smallest value", "largest smallest", "largest smallest"),
            ("The smallest is wrong", "smallest", "smallest"),
        ] {
            let given: Vec<String> = names.split(' ').map(str::to_owned).collect();
            assert_eq!(plainly_named(task, given).join(" "), expected, "{task}");
        }
    }
}
