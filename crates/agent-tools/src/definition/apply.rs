//! Putting code in its place, and proving that nothing else changed.

use std::collections::HashMap;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::file::File;
use super::fragment::{Fragment, Given};
use super::outline::{Outline, outline, squeezed};
use super::{Consent, Decline, Definition, indent};
use crate::edit::LineEdit;
use crate::sketch;
use crate::syntax::Language;

/// A definition of so many lines may become shorter as it likes.
const SHORT: usize = 8;

/// The lines of the file with the definition `wanted` replaced by the one in `code`.
pub(super) fn replace(
    file: &File<'_>,
    wanted: &str,
    code: &str,
    consent: &Consent,
) -> Result<Vec<String>, Decline> {
    let fragment = Fragment::parse(file.language, code)?;
    let same_header = |one: &Definition| {
        fragment
            .find(&one.path, &one.header)
            .is_ok_and(|given| given.definition.header == one.header)
    };
    let target = file.find(wanted, same_header)?;
    let name = target.name();
    if !target.has_its_lines {
        return Err(Decline::SharesLine { name });
    }
    let given = match fragment.find(&target.path, &target.header) {
        Ok(given) => given,
        Err(names) => renamed(&fragment, target, consent)
            .ok_or(Decline::OtherName { wanted: name.clone(), given: names })?,
    };
    refuse_markers(file, &given.lines)?;
    let old = &file.lines[target.first_line - 1..target.last_line];
    if !consent.may_shrink {
        let (before, after) = (solid(old), solid(&given.lines[given.leads..]));
        if before >= SHORT && after * 2 < before {
            return Err(Decline::Shrinks { before, after });
        }
    }
    let around = around(file, target, &fragment, &given)?;
    let style = indent::Style::of(&file.lines);
    let fit = |lines: &[&str]| indent::fitted(lines, old, style).ok_or(Decline::Indentation);
    let first = if given.leads > 0 { target.lead_line } else { target.first_line };
    let mut new = owned(&file.lines[..first - 1]);
    for added in &around.before {
        new.extend(fit(added)?);
        new.push(String::new());
    }
    new.extend(fit(&given.lines)?);
    for added in &around.after {
        new.push(String::new());
        new.extend(fit(added)?);
    }
    new.extend(owned(&file.lines[target.last_line..]));
    let new = with_imports(file, new, &around.imports);
    prove(file, &new, Some((target, &given)), consent)?;
    Ok(new)
}

/// The one definition of a fragment that has another name than the target, where the target's may
/// go.
fn renamed<'a>(
    fragment: &Fragment<'a>,
    target: &Definition,
    consent: &Consent,
) -> Option<Given<'a>> {
    let names = fragment.names();
    let [only] = names.as_slice() else { return None };
    let path: Vec<String> = only.split('.').map(str::to_owned).collect();
    consent.lets_go(&target.path).then(|| fragment.find(&path, "").ok()).flatten()
}

/// What a fragment brings along.
#[derive(Default)]
struct Around<'a> {
    before: Vec<Vec<&'a str>>,
    after: Vec<Vec<&'a str>>,
    imports: Vec<String>,
}

/// Sorts out what is given besides the definition: what the file has already is passed over, what
/// is new is kept, and what would change something else is refused.
fn around<'a>(
    file: &File<'_>,
    target: &Definition,
    fragment: &Fragment<'a>,
    given: &Given<'a>,
) -> Result<Around<'a>, Decline> {
    let mut around = Around::default();
    let mut changed = Vec::new();
    for other in fragment.others(&given.definition) {
        let of_file =
            || file.outline.definitions.iter().filter(|one| one.path.ends_with(&other.path));
        let code = fragment.squeezed(&other);
        if of_file().next().is_none() {
            let added = fragment.give(&other).lines;
            let is_before = other.span.start < given.definition.span.start;
            if is_before { around.before.push(added) } else { around.after.push(added) }
        } else if !of_file().any(|one| file.squeezed(one) == code) {
            changed.push(other.name());
        }
    }
    if !changed.is_empty() {
        return Err(Decline::AlsoChanges { wanted: target.name(), names: changed });
    }
    for code in fragment.rest().filter(|code| !file.has_lines(code)) {
        if !fragment.is_import(code) {
            let text = code.lines().next().unwrap_or_default().to_owned();
            return Err(Decline::Stray { text });
        }
        around.imports.push(code.to_owned());
    }
    Ok(around)
}

/// `new`, which begins as the file does, with imports where they belong.
fn with_imports(file: &File<'_>, mut new: Vec<String>, imports: &[String]) -> Vec<String> {
    if imports.is_empty() {
        return new;
    }
    let (line, needs_space) = file.import_line();
    let mut lines: Vec<String> =
        imports.iter().flat_map(|code| code.lines().map(str::to_owned)).collect();
    if needs_space {
        lines.push(String::new());
    }
    let at = (line - 1).min(new.len());
    new.splice(at..at, lines);
    new
}

/// The lines of the file with new definitions behind `after`, or at its end.
pub(super) fn add(
    file: &File<'_>,
    after: Option<&str>,
    code: &str,
) -> Result<Vec<String>, Decline> {
    let fragment = Fragment::parse(file.language, code)?;
    let names = fragment.names();
    let known = names.iter().filter(|name| file.find(name, |_| false).is_ok());
    let known: Vec<String> = known.cloned().collect();
    if !known.is_empty() {
        return Err(Decline::AlsoChanges { wanted: "what is new".to_owned(), names: known });
    }
    refuse_markers(file, &fragment.lines)?;
    let given: Vec<&str> = {
        let lines = &fragment.lines;
        let is_blank = |line: &&&str| line.trim().is_empty();
        let skipped = lines.iter().take_while(is_blank).count();
        let trailing = lines.iter().rev().take_while(is_blank).count();
        lines[skipped..lines.len() - trailing].to_vec()
    };
    let style = indent::Style::of(&file.lines);
    let (at, lines) = match after {
        Some(name) => {
            let place = file.find(name, |_| false)?;
            let old = &file.lines[place.first_line - 1..place.last_line];
            let lines = indent::fitted(&given, old, style).ok_or(Decline::Indentation)?;
            (place.last_line, lines)
        }
        None => (file.lines.len(), owned(&given)),
    };
    let is_top = lines.first().is_some_and(|line| !line.starts_with([' ', '\t']));
    let gap = if file.language == Language::Python && is_top { 2 } else { 1 };
    let mut new = owned(&file.lines[..at]);
    while new.last().is_some_and(|line| line.trim().is_empty()) {
        new.pop();
    }
    if !new.is_empty() {
        new.extend(std::iter::repeat_n(String::new(), gap));
    }
    new.extend(lines);
    let rest = file.lines[at..].iter().skip_while(|line| line.trim().is_empty());
    let rest: Vec<String> = rest.map(|line| (*line).to_owned()).collect();
    if rest.first().is_some_and(|line| !line.trim_start().starts_with(['}', ')'])) {
        new.extend(std::iter::repeat_n(String::new(), gap));
    }
    new.extend(rest);
    prove(file, &new, None, &Consent::default())?;
    Ok(new)
}

/// The lines of the file without the definition `wanted`.
pub(super) fn remove(file: &File<'_>, wanted: &str) -> Result<Vec<String>, Decline> {
    let target = file.find(wanted, |_| false)?;
    if !target.has_its_lines {
        return Err(Decline::SharesLine { name: target.name() });
    }
    let is_blank = |line: &&&str| line.trim().is_empty();
    let (above, below) = (&file.lines[..target.lead_line - 1], &file.lines[target.last_line..]);
    let space_above = above.iter().rev().take_while(is_blank).count();
    let space_below = below.iter().take_while(is_blank).count();
    // Between its neighbours stays what kept it apart from the farther one; at the beginning or
    // the end of what is around it, nothing.
    let is_last = space_below == below.len();
    let keeps =
        if is_last || space_above.min(space_below) == 0 { 0 } else { space_above.max(space_below) };
    let mut new = owned(&above[..above.len() - space_above]);
    new.extend(std::iter::repeat_n(String::new(), keeps));
    new.extend(owned(&below[space_below..]));
    let gone = inside(file, target).into_iter().chain([target.name()]).collect();
    let gone = Consent { may_go: gone, may_shrink: true };
    prove(file, &new, None, &gone)?;
    Ok(new)
}

fn inside(file: &File<'_>, target: &Definition) -> Vec<String> {
    let all = file.outline.definitions.iter();
    all.filter(|one| target.holds(one)).map(Definition::name).collect()
}

/// The lines of a whole new text.
pub(super) fn whole(
    path: &str,
    original: &str,
    code: &str,
    consent: &Consent,
) -> Result<Vec<String>, Decline> {
    let new: Vec<&str> = code.lines().collect();
    let old: Vec<&str> = original.lines().collect();
    if solid(&new) == 0 {
        return Err(Decline::Empty);
    }
    let marker = new.iter().find(|line| sketch::is_marker(line) && !old.contains(line));
    if let Some(line) = marker {
        return Err(Decline::Marker { line: line.trim().to_owned() });
    }
    let (before, after) = (solid(&old), solid(&new));
    if !consent.may_shrink && before >= 5 && after * 3 < before * 2 {
        return Err(Decline::Shrinks { before, after });
    }
    if let Ok(file) = File::read(path, original)
        && let Some(outline) = outline(file.language, &joined(&owned(&new)))
    {
        let lost = lost(&file.outline.definitions, &outline, consent);
        if !lost.is_empty() && !file.outline.is_broken {
            return Err(Decline::Lost { names: lost });
        }
    }
    Ok(owned(&new))
}

fn lost(old: &[Definition], new: &Outline, consent: &Consent) -> Vec<String> {
    let has = |one: &Definition| new.definitions.iter().any(|other| other.path == one.path);
    let gone = old.iter().filter(|one| !has(one) && !consent.lets_go(&one.path));
    gone.map(Definition::name).collect()
}

/// Makes sure that every definition but the target, and what is in it, is as it was.
fn prove(
    file: &File<'_>,
    new: &[String],
    replaced: Option<(&Definition, &Given<'_>)>,
    consent: &Consent,
) -> Result<(), Decline> {
    if file.outline.is_broken {
        return Ok(());
    }
    let text = joined(new);
    let after = outline(file.language, &text).ok_or(Decline::Unreadable)?;
    if after.is_broken {
        return Err(Decline::Broken);
    }
    let mut left: HashMap<(String, String), usize> = HashMap::new();
    for one in &after.definitions {
        let code = squeezed(text.get(one.span.clone()).unwrap_or_default());
        *left.entry((one.name(), code)).or_default() += 1;
    }
    let names: Vec<String> = after.definitions.iter().map(Definition::name).collect();
    let mut lost = Vec::new();
    for one in &file.outline.definitions {
        if consent.lets_go(&one.path) {
            continue;
        }
        let may_differ = match replaced {
            Some((target, _)) => one == target || one.holds(target) || target.holds(one),
            // Nothing is replaced, and what is around the place grows or shrinks.
            None => file.outline.definitions.iter().any(|other| one.holds(other)),
        };
        let is_local = replaced.is_some_and(|(target, _)| target.holds(one))
            && file.outline.definitions.iter().any(|other| other.is_function && other.holds(one));
        let stands = if may_differ {
            names.contains(&one.name()) || is_local
        } else {
            left.get_mut(&(one.name(), file.squeezed(one))).is_some_and(|count| {
                let stands = *count > 0;
                *count = count.saturating_sub(1);
                stands
            })
        };
        let follows = replaced.is_some_and(|(target, given)| {
            let path = [
                given.definition.path.as_slice(),
                &one.path[target.path.len().min(one.path.len())..],
            ];
            (one == target || target.holds(one))
                && consent.lets_go(&target.path)
                && names.iter().any(|name| name.ends_with(&path.concat().join(".")))
        });
        if !stands && !follows {
            lost.push(one.name());
        }
    }
    if lost.is_empty() { Ok(()) } else { Err(Decline::Lost { names: lost }) }
}

fn refuse_markers(file: &File<'_>, lines: &[&str]) -> Result<(), Decline> {
    let marker = lines.iter().find(|line| sketch::is_marker(line) && !file.has_lines(line));
    marker.map_or(Ok(()), |line| Err(Decline::Marker { line: line.trim().to_owned() }))
}

/// The line edits between two texts.
pub(super) fn edits(old: &[&str], new: &[String]) -> Result<Vec<LineEdit>, Decline> {
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, &new) {
        let (tag, from, to) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            continue;
        }
        let lines = new[to].iter().flat_map(|line| [*line, "\n"]);
        edits.push(LineEdit {
            start_line: from.start + 1,
            end_line: from.end,
            replacement: lines.collect(),
            old: None,
        });
    }
    // An empty file counts as one empty line.
    if let ([], [only]) = (old, edits.as_mut_slice()) {
        only.end_line = 1;
    }
    if edits.is_empty() { Err(Decline::NoChange) } else { Ok(edits) }
}

fn solid(lines: &[&str]) -> usize {
    lines.iter().filter(|line| !line.trim().is_empty()).count()
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
}
