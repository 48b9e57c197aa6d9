//! Old text and new text, replaced one pair after the other.

use super::draft::Draft;
use super::error::{Part, PatchError};
use super::fit::{Fitting, Splice};
use super::hunk::Hunk;
use super::locate::Rung;
use super::nearest::nearest;
use super::piece;
use crate::line;
use crate::sketch::stray_marker;

/// A text and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Swap {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) unit: Unit,
}

/// What the old text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Characters: it may begin and end within a line.
    Text,
    /// Whole lines.
    Lines,
}

impl Swap {
    /// A pair, in which each side may lack its final newline.
    pub(super) fn pair(old: &str, new: &str) -> Self {
        Self { old: old.replace("\r\n", "\n"), new: new.replace("\r\n", "\n"), unit: Unit::Text }
    }

    /// Whole lines, without their endings.
    pub(super) fn lines(old: &[&str], new: &[&str]) -> Self {
        let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect();
        Self { old: text(old), new: text(new), unit: Unit::Lines }
    }

    /// Makes the change in `draft`.
    pub(super) fn apply(
        &self,
        draft: &mut Draft<'_>,
        fitting: &mut Fitting,
        part: Part,
    ) -> Result<(), PatchError> {
        if self.old == self.new {
            return Err(PatchError::Same { part });
        }
        let file = draft.texts();
        let (old, new): (Vec<&str>, Vec<&str>) =
            (self.old.lines().collect(), self.new.lines().collect());
        if let Some(marker) = stray_marker(new.iter().copied(), old.iter().chain(&file).copied()) {
            return Err(PatchError::Marker { part, marker: marker.to_owned() });
        }
        if self.old.is_empty() {
            if !file.is_empty() {
                return Err(PatchError::NoOldText { part });
            }
            let new: Vec<String> = self.new.lines().map(str::to_owned).collect();
            draft.replace(0..0, &new);
            return Ok(());
        }
        let splices = self.splices(&file, fitting, part)?;
        for splice in splices.into_iter().rev() {
            draft.replace(splice.range, &splice.new);
        }
        Ok(())
    }

    fn splices(
        &self,
        file: &[&str],
        fitting: &mut Fitting,
        part: Part,
    ) -> Result<Vec<Splice>, PatchError> {
        let readings = self.readings();
        for rung in Rung::LADDER {
            for (old, new) in &readings {
                if let Some(start) = only(&rung.find(old, file), part)? {
                    let hunk = Hunk::between(old, new);
                    return Ok(fitting.fit(&hunk, rung, file, start, part));
                }
            }
            if rung == Rung::Exact
                && self.unit == Unit::Text
                && let Some(splice) = piece::splice(&self.old, &self.new, file, part)?
            {
                return Ok(vec![splice]);
            }
        }
        let hunks = readings.iter().map(|(old, new)| Hunk::between(old, new));
        for hunk in hunks.filter_map(|hunk| hunk.without_blank_margins()) {
            for rung in Rung::LADDER {
                if let Some(start) = only(&rung.find(&hunk.old_lines(), file), part)? {
                    return Ok(fitting.fit(&hunk, rung, file, start, part));
                }
            }
        }
        let old: Vec<&str> = self.old.lines().collect();
        Err(PatchError::NotFound { part, nearest: nearest(&old, file) })
    }

    /// The old and the new text as whole lines, most literal reading first.
    ///
    /// Texts that both end with a newline, or both without, are as many lines as they show. Where
    /// only one does, the newline more stands for an empty line; where the old text has it and no
    /// empty line follows in the file, it only ends the line, lest the next be joined to it.
    fn readings(&self) -> Vec<(Vec<&str>, Vec<&str>)> {
        let ended = line::split;
        let (old, new) = (self.old.as_str(), self.new.as_str());
        match (old.ends_with('\n'), new.ends_with('\n')) {
            // Nothing is left of the lines, not even an empty one.
            _ if new.is_empty() => vec![(ended(old), Vec::new())],
            (false, false) | (true, true) => vec![(ended(old), ended(new))],
            (true, false) => vec![(open(old), open(new)), (ended(old), open(new))],
            (false, true) => vec![(open(old), open(new))],
        }
    }
}

/// The lines of a text, of which a final newline begins another.
fn open(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

/// The one place, if there is any.
fn only(starts: &[usize], part: Part) -> Result<Option<usize>, PatchError> {
    match starts {
        [] => Ok(None),
        [start] => Ok(Some(*start)),
        starts => Err(PatchError::ambiguous(part, starts)),
    }
}
