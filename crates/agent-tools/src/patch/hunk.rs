//! One replacement as a patch gives it, before anybody knows where it belongs.

use crate::sketch::line;

/// Old lines and what they become.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hunk {
    /// The lines that are looked for, without endings.
    pub old: Vec<String>,
    /// The lines that take their place.
    pub new: Vec<String>,
    /// Lines somewhere above, outermost first, such as the signature of the function.
    pub headers: Vec<String>,
    /// Whether the old lines end the file.
    pub ends_file: bool,
}

impl Hunk {
    /// An old text and a new one.
    ///
    /// Whether they end with a newline matters in one case: an old text that does, before an empty
    /// line, and becomes one that does not, takes the empty line with it.
    pub fn pair(old: &str, new: &str) -> Self {
        let lines = |text| line::split(text).into_iter().map(str::to_owned).collect();
        let mut hunk = Self { old: lines(old), new: lines(new), ..Self::default() };
        if old.ends_with('\n') && !new.is_empty() && !new.ends_with('\n') {
            hunk.delete("");
        }
        hunk
    }

    /// The hunk without an empty old line at its end that only came from a newline.
    pub(super) fn without_newline(&self) -> Option<Self> {
        let extra = self.old.len() > 1
            && self.old.last().is_some_and(String::is_empty)
            && !self.new.last().is_some_and(String::is_empty);
        extra.then(|| Self { old: self.old[..self.old.len() - 1].to_vec(), ..self.clone() })
    }

    pub(super) fn keep(&mut self, line: &str) {
        self.old.push(line.to_owned());
        self.new.push(line.to_owned());
    }

    pub(super) fn delete(&mut self, line: &str) {
        self.old.push(line.to_owned());
    }

    pub(super) fn add(&mut self, line: &str) {
        self.new.push(line.to_owned());
    }

    /// Drops blank lines that end both sides: they come from how the patch was laid out.
    pub(super) fn trim_end(&mut self) {
        while self.old.last().is_some_and(String::is_empty)
            && self.new.last().is_some_and(String::is_empty)
        {
            self.old.pop();
            self.new.pop();
        }
    }

    /// The hunk without the blank lines that begin or end both sides, if it has any.
    pub(super) fn without_blank_edges(&self) -> Option<Self> {
        let blank = |line: Option<&String>| line.is_some_and(|line| line::is_blank(line));
        let both = |a: Option<&String>, b: Option<&String>| blank(a) && blank(b);
        let (mut old, mut new) = (self.old.as_slice(), self.new.as_slice());
        while both(old.first(), new.first()) {
            (old, new) = (&old[1..], &new[1..]);
        }
        while both(old.last(), new.last()) {
            (old, new) = (&old[..old.len() - 1], &new[..new.len() - 1]);
        }
        let trimmed = !old.is_empty() && old.len() < self.old.len();
        trimmed.then(|| Self { old: old.to_vec(), new: new.to_vec(), ..self.clone() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }
}
