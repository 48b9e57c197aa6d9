//! The indentation of a definition that is moved to its place.

use crate::drift;

/// What a file is indented with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Tabs,
    /// So many to a step.
    Spaces(usize),
}

impl Style {
    pub(super) fn of(lines: &[&str]) -> Self {
        let starts = |with: &str| lines.iter().filter(|line| line.starts_with(with)).count();
        if starts("\t") > starts("  ") { Self::Tabs } else { Self::Spaces(drift::unit(lines)) }
    }

    fn step(self) -> usize {
        match self {
            Self::Tabs => 1,
            Self::Spaces(step) => step,
        }
    }
}

/// `lines` with the indentation that the file has at `place`, whose own lines are `old`.
///
/// A line that stands in the old definition letter for letter within a text over several lines is
/// left alone by whoever gave it, so it is here.
pub(super) fn fitted(lines: &[&str], old: &[&str], style: Style) -> Option<Vec<String>> {
    let unit = unit(lines);
    let lines: Vec<String> = lines.iter().map(|line| restyled(line, unit, style)).collect();
    let first = lines.iter().find(|line| !is_blank(line))?;
    let (from, to) = (indent(first).to_owned(), indent(old.first()?).to_owned());
    if from == to {
        return Some(lines);
    }
    // Of the others the one that is furthest out tells whether only the first was cut short.
    let others = || lines.iter().skip_while(|line| *line != first).skip(1).filter(|l| !is_blank(l));
    let outermost = others().map(|line| indent(line)).min_by_key(|indent| indent.len());
    let first_only = from.is_empty()
        && outermost.is_some_and(|outer| {
            outer.starts_with(to.as_str())
                && (outer.len() >= to.len() + style.step() || closes(&lines))
        });
    let known =
        |line: &str| old.contains(&line) && !is_blank(line) && indent(line).len() < to.len();
    let mut is_first = true;
    lines
        .iter()
        .map(|line| {
            if is_blank(line) || known(line) {
                return Some(line.clone());
            }
            let shifts = !first_only || is_first;
            is_first = false;
            if !shifts {
                return Some(line.clone());
            }
            line.strip_prefix(from.as_str()).map(|rest| format!("{to}{rest}"))
        })
        .collect()
}

/// Whether the last line closes what the first one opened.
fn closes(lines: &[String]) -> bool {
    let last = lines.iter().rev().find(|line| !is_blank(line));
    last.is_some_and(|line| {
        let line = line.trim_start();
        line.starts_with(['}', ')', ']']) || line.starts_with("end")
    })
}

fn restyled(line: &str, unit: usize, style: Style) -> String {
    let (lead, rest) = line.split_at(indent(line).len());
    match style {
        Style::Tabs if lead.starts_with(' ') => {
            format!("{}{}{rest}", "\t".repeat(lead.len() / unit), " ".repeat(lead.len() % unit))
        }
        Style::Spaces(step) if lead.contains('\t') => {
            format!("{}{rest}", lead.replace('\t', &" ".repeat(step)))
        }
        Style::Tabs | Style::Spaces(_) => line.to_owned(),
    }
}

/// The columns of one step, as these lines have it.
fn unit(lines: &[&str]) -> usize {
    let widths = lines.iter().filter(|line| line.starts_with(' ') && !is_blank(line));
    match widths.map(|line| indent(line).len()).min() {
        Some(width @ 2..=8) => width,
        Some(_) | None => 4,
    }
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}
