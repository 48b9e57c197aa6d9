//! Changes to the text of one file.

use super::draft::Draft;
use super::error::{Part, PatchError};
use super::fit::Fitting;
use super::hunk::Hunk;
use super::place::{Place, place};
use super::swap::Swap;
use crate::edit::LineEdit;
use crate::line;
use crate::sketch::stray_marker;

/// Changes to the text of one file, as a patch writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes(pub(super) Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Old and new texts, each about the result of the ones before.
    Swaps(Vec<(Part, Swap)>),
    /// Hunks in the order of the file, all about the file as it is.
    Hunks(Vec<Hunk>),
}

impl Changes {
    /// Pairs of an old and a new text, each about the result of the ones before.
    pub fn pairs<S: AsRef<str>>(pairs: &[(S, S)]) -> Self {
        let swap = |(at, (old, new)): (usize, &(S, S))| {
            let part = Part { noun: "pair", number: at + 1, line: None };
            (part, Swap::pair(old.as_ref(), new.as_ref()))
        };
        Self(Kind::Swaps(pairs.iter().enumerate().map(swap).collect()))
    }

    /// The line edits that the changes come to, in the order of the lines.
    ///
    /// `original` is the whole text of the file, without a byte order mark.
    pub fn edits(&self, original: &str) -> Result<Vec<LineEdit>, PatchError> {
        let file = line::split(original);
        let mut fitting = Fitting::default();
        let mut draft = self.draft(&file, &mut fitting);
        if let Some(mut again) = fitting.again()? {
            draft = self.draft(&file, &mut again);
            again.again()?;
        }
        let edits = draft?.edits();
        // What one pair leaves of another's text may be a marker though neither wrote one.
        let new = edits.iter().flat_map(|edit| edit.replacement.lines());
        if let Some((part, marker)) = self.last().zip(stray_marker(new, file.iter().copied())) {
            return Err(PatchError::Marker { part, marker: marker.to_owned() });
        }
        if edits.is_empty() { Err(PatchError::NoChange) } else { Ok(edits) }
    }

    /// The change that is made last.
    fn last(&self) -> Option<Part> {
        match &self.0 {
            Kind::Swaps(swaps) => swaps.last().map(|(part, _)| *part),
            Kind::Hunks(hunks) => hunks.len().checked_sub(1).map(|at| part(hunks, at)),
        }
    }

    fn draft<'a>(
        &self,
        file: &'a [&'a str],
        fitting: &mut Fitting,
    ) -> Result<Draft<'a>, PatchError> {
        let mut draft = Draft::new(file);
        match &self.0 {
            Kind::Swaps(swaps) => {
                for (part, swap) in swaps {
                    swap.apply(&mut draft, fitting, *part)?;
                }
            }
            Kind::Hunks(hunks) => apply(hunks, file, &mut draft, fitting)?,
        }
        Ok(draft)
    }
}

fn part(hunks: &[Hunk], at: usize) -> Part {
    Part { noun: "hunk", number: at + 1, line: Some(hunks[at].line) }
}

fn apply(
    hunks: &[Hunk],
    file: &[&str],
    draft: &mut Draft<'_>,
    fitting: &mut Fitting,
) -> Result<(), PatchError> {
    let part = |at: usize| part(hunks, at);
    for (at, hunk) in hunks.iter().enumerate() {
        let (old, new) = (hunk.old_lines(), hunk.new_lines());
        if let Some(marker) = stray_marker(new.iter().copied(), old.iter().chain(file).copied()) {
            return Err(PatchError::Marker { part: part(at), marker: marker.to_owned() });
        }
    }
    let places = place(hunks, file, part)?;
    // From the bottom up, so that the lines of the places above keep their numbers.
    for Place { at, hunk, rung, start } in places.iter().rev() {
        for splice in fitting.fit(hunk, *rung, file, *start, part(*at)).into_iter().rev() {
            draft.replace(splice.range, &splice.new);
        }
    }
    Ok(())
}
