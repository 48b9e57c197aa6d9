//! The indentation of new lines where a sketch's context has drifted from the file's.
//!
//! A model that shows `return x` at column 0 where the file has it at column 8 either moved the whole chunk, new lines too, or misremembered the
//! context alone. Both happen, so both readings are weighed against what surrounds the new lines, and only a clear difference decides.

use crate::line::{self, indent};

/// How the white space of a chunk's context differs from the file's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Drift {
    /// Not at all, or at the ends of lines only.
    None,
    /// Tabs for spaces, or the other way round.
    Style {
        /// How many spaces each tab stands for, if one number fits all lines.
        tab: Option<usize>,
    },
    /// The file has this indentation more.
    Dedented(String),
    /// The sketch has this indentation more.
    Indented(String),
    /// Each line in its own way.
    Irregular,
}

/// A run of new lines and what it stands between, all as in the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<'a> {
    pub(crate) new: &'a [&'a str],
    /// The lines that it takes the place of.
    pub(crate) deleted: &'a [&'a str],
    /// The file's line before, not a blank one.
    pub(crate) before: Option<&'a str>,
    /// The file's line after, not a blank one.
    pub(crate) after: Option<&'a str>,
}

impl Drift {
    /// Compares context lines as the sketch shows them with the same lines of the file.
    pub(crate) fn between<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Self {
        let pairs = pairs
            .filter(|(sketch, _)| !line::is_blank(sketch))
            .map(|(sketch, file)| (indent(sketch), indent(file)));
        if pairs.clone().all(|(sketch, file)| sketch == file) {
            return Self::None;
        }
        if pairs.clone().all(|(sketch, file)| same_width(sketch, file)) {
            let fits = |tab: &usize| {
                pairs.clone().all(|(sketch, file)| columns(sketch, *tab) == columns(file, *tab))
            };
            return Self::Style { tab: TABS.into_iter().find(fits) };
        }
        let Some((sketch, file)) = pairs.clone().next() else { return Self::None };
        if let Some(more) = file.strip_suffix(sketch)
            && pairs.clone().all(|(sketch, file)| file.strip_prefix(more) == Some(sketch))
        {
            return Self::Dedented(more.to_owned());
        }
        if let Some(more) = sketch.strip_suffix(file)
            && pairs.clone().all(|(sketch, file)| sketch.strip_prefix(more) == Some(file))
        {
            return Self::Indented(more.to_owned());
        }
        Self::Irregular
    }

    /// Whether a line of the sketch is that line of the file, as this drift would have it.
    pub(crate) fn explains(&self, sketch: &str, file: &str) -> bool {
        let (sketch, file) = (sketch.trim_end(), file.trim_end());
        match self {
            _ if sketch.is_empty() => file.is_empty(),
            Self::None | Self::Irregular => sketch == file,
            Self::Style { tab } => {
                let (was, is) = (indent(sketch), indent(file));
                sketch.trim_start() == file.trim_start()
                    && is_restyled(was, is)
                    && tab.is_none_or(|tab| columns(was, tab) == columns(is, tab))
            }
            Self::Dedented(more) => file.strip_prefix(more.as_str()) == Some(sketch),
            Self::Indented(more) => sketch.strip_prefix(more.as_str()) == Some(file),
        }
    }

    /// The new lines of all blocks of one chunk as they belong into the file, or `None` when it cannot be told.
    ///
    /// All that is counted comes in multiples of the drift, and a `few` of them decide nothing.
    pub(crate) fn settle(
        &self,
        blocks: &[Block<'_>],
        unit: usize,
        few: usize,
    ) -> Option<Vec<Vec<String>>> {
        let literal = || {
            blocks
                .iter()
                .map(|block| block.new.iter().map(|&line| line.to_owned()).collect())
                .collect()
        };
        let moved: Option<Vec<Vec<String>>> = match self {
            Self::None => return Some(literal()),
            Self::Style { .. } => {
                return Some(blocks.iter().map(|block| restyle(block, unit)).collect());
            }
            Self::Dedented(more) => {
                Some(each(blocks, |line| Some(format!("{more}{line}")))).flatten()
            }
            Self::Indented(more) => {
                each(blocks, |line| line.strip_prefix(more.as_str()).map(str::to_owned))
            }
            Self::Irregular => None,
        };
        let as_is: Vec<Vec<String>> = literal();
        if as_is.iter().flatten().all(|line| line::is_blank(line)) {
            return Some(as_is);
        }
        let step = self.width().max(1);
        let misfit = |texts: &[Vec<String>]| -> usize {
            blocks.iter().zip(texts).map(|(block, text)| block.misfit(text, unit, step)).sum()
        };
        let Some(moved) = moved else {
            // Nothing says how they would move; they stay where they are at home.
            let mut each = blocks.iter().zip(&as_is);
            let stays = matches!(self, Self::Indented(_))
                || each.all(|(block, lines)| block.is_home_of(lines, unit));
            return stays.then_some(as_is);
        };
        let (if_left, if_moved) = (misfit(&as_is), misfit(&moved));
        if if_left.abs_diff(if_moved) <= few * self.width() {
            return None;
        }
        Some(if if_left < if_moved { as_is } else { moved })
    }

    fn width(&self) -> usize {
        match self {
            Self::Dedented(more) | Self::Indented(more) => width(more),
            Self::None | Self::Style { .. } | Self::Irregular => 0,
        }
    }
}

fn each(blocks: &[Block<'_>], change: impl Fn(&str) -> Option<String>) -> Option<Vec<Vec<String>>> {
    let line =
        |line: &&str| if line::is_blank(line) { Some((*line).to_owned()) } else { change(line) };
    blocks.iter().map(|block| block.new.iter().map(line).collect()).collect()
}

impl Block<'_> {
    /// Whether these lines are as deep as those that they take the place of, or, where they take
    /// none, just as one would expect here.
    fn is_home_of(&self, lines: &[String], unit: usize) -> bool {
        let depths = |lines: &mut dyn Iterator<Item = &str>| {
            let widths: Vec<usize> =
                lines.filter(|line| !line::is_blank(line)).map(width).collect();
            let ends = widths.first().zip(widths.last());
            ends.zip(widths.iter().min()).map(|((first, last), outer)| (*first, *last, *outer))
        };
        let Some(new) = depths(&mut lines.iter().map(String::as_str)) else { return true };
        match depths(&mut self.deleted.iter().copied()) {
            Some(old) => old == new,
            None => self.misfit(lines, unit, 1) == 0,
        }
    }

    /// How far the indentation of these lines is from what one would expect here, in columns; what
    /// fits or does not counts a `step`.
    fn misfit(&self, lines: &[String], unit: usize, step: usize) -> usize {
        let solid = || lines.iter().map(String::as_str).filter(|line| !line::is_blank(line));
        let (Some(first), Some(last)) = (solid().next(), solid().next_back()) else { return 0 };
        let old = || self.deleted.iter().filter(|line| !line::is_blank(line));
        // The first line tells more than the last, which may be the end of anything.
        let (mut of_first, mut of_last) = (0, 0);
        let of_outer =
            solid().map(width).min().map_or(0, |outer| self.outer_misfit(outer, unit, step));
        if let (Some(old_first), Some(old_last)) = (old().next(), old().next_back()) {
            of_first += 2 * width(first).abs_diff(width(old_first));
            of_last += 2 * width(last).abs_diff(width(old_last));
        }
        if let Some(before) = self.before {
            // What the file has there says where a block begins, whatever its language.
            let next = old().next().or(self.after.as_ref()).map_or(0, |next| width(next));
            let step = if opens(before) { unit } else { 0 };
            let inner = (width(before) + step).max(next.min(width(before) + unit));
            let expected = inner.saturating_sub(if closes(first) { unit } else { 0 });
            let is = width(first);
            of_first += if is > expected { 2 * (is - expected) } else { expected - is };
        }
        if let Some(after) = self.after {
            let inner = width(after) + if closes(after) && !closes(last) { unit } else { 0 };
            let expected = inner.saturating_sub(if opens(last) { unit } else { 0 });
            let is = width(last);
            of_last += if is < expected { 2 * (expected - is) } else { is - expected };
        }
        3 * (of_first + of_outer) + 2 * of_last
    }

    /// The same for the lines of the block that are indented least, which are the block's own: they
    /// are as deep as those that they take the place of, and as the line before or the one after.
    fn outer_misfit(&self, outer: usize, unit: usize, step: usize) -> usize {
        let solid = self.deleted.iter().filter(|line| !line::is_blank(line));
        let of_old = solid.map(|line| width(line)).min().map_or(0, |old| outer.abs_diff(old));
        let above = self.before.map(|line| width(line) + if opens(line) { unit } else { 0 });
        let below = self.after.map(|line| width(line) + if closes(line) { unit } else { 0 });
        let is_alone = above.is_none() && below.is_none();
        let fits = is_alone || above == Some(outer) || below == Some(outer);
        of_old + if fits { 0 } else { step }
    }
}

/// New lines in the file's own kind of indentation.
fn restyle(block: &Block<'_>, unit: usize) -> Vec<String> {
    let around = block.before.into_iter().chain(block.after).chain(block.deleted.iter().copied());
    let tabs = around.clone().any(|line| indent(line).contains('\t'));
    // A single space stands before the star of a comment, whatever the file is indented with.
    let spaces = around.clone().any(|line| indent(line).starts_with("  "));
    let convert = |line: &str| {
        let (lead, rest) = (indent(line), line.trim_start_matches([' ', '\t']));
        if tabs && !spaces && lead.starts_with(' ') && lead.len() >= unit {
            return format!(
                "{}{}{rest}",
                "\t".repeat(lead.len() / unit),
                " ".repeat(lead.len() % unit)
            );
        }
        if spaces && !tabs && lead.contains('\t') {
            return format!("{}{rest}", lead.replace('\t', &" ".repeat(unit)));
        }
        line.to_owned()
    };
    block.new.iter().map(|line| convert(line)).collect()
}

/// The columns that a line is indented by, a tab counted as four.
pub(crate) fn width(line: &str) -> usize {
    indent(line).chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The widths that a tab has in one project or another, more frequent ones first.
const TABS: [usize; 4] = [2, 4, 8, 3];

/// Whether two indentations are equally wide under some width of a tab.
fn same_width(a: &str, b: &str) -> bool {
    a == b || TABS.into_iter().any(|tab| columns(a, tab) == columns(b, tab))
}

/// Whether one indentation is the other with tabs for spaces. Where both have tabs, a difference
/// was made on purpose.
pub(crate) fn is_restyled(a: &str, b: &str) -> bool {
    same_width(a, b) && (a == b || !(a.contains('\t') && b.contains('\t')))
}

fn columns(indent: &str, tab: usize) -> usize {
    indent.chars().map(|c| if c == '\t' { tab } else { 1 }).sum()
}

/// The columns of one step of indentation in a file.
pub(crate) fn unit(lines: &[&str]) -> usize {
    let starts = |with: &str| {
        lines
            .iter()
            .filter(|line| line.starts_with(with) && !line[with.len()..].starts_with(' '))
            .count()
    };
    let (two, four) = (starts("  "), starts("    "));
    if two * 4 > four && two > 0 { 2 } else { 4 }
}

fn opens(line: &str) -> bool {
    line.trim_end().ends_with(['{', '(', '[', ':'])
}

fn closes(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['}', ')', ']'])
        || ["end", "else", "elif", "except", "finally", "rescue", "</"]
            .iter()
            .any(|word| line.starts_with(word))
}
