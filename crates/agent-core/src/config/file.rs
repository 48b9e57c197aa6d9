//! A configuration file's values with their lines.

use toml_edit::{Document, Item, TableLike};

use super::{Entry, Error, Origin, Trust, key, presets, rules, servers};
use crate::{mcp::Declared, policy::Rule};

/// What a file says.
#[derive(Default)]
pub(super) struct Said {
    pub(super) entries: Vec<Entry>,
    pub(super) rules: Vec<Rule>,
    pub(super) servers: Vec<Declared>,
    /// Their names with their values.
    pub(super) presets: Vec<(String, Vec<Entry>)>,
}

/// Every value, rule and server of the file, checked, in the file's order of tables.
pub(super) fn read(path: &str, text: &str, trust: Trust) -> Result<Said, Error> {
    let document = Document::parse(text).map_err(|error| Error::syntax(path, text, &error))?;
    let mut reader = Reader { path, text, trust, said: Said::default() };
    reader.table("", document.as_table())?;
    Ok(reader.said)
}

struct Reader<'a> {
    path: &'a str,
    text: &'a str,
    trust: Trust,
    said: Said,
}

impl Reader<'_> {
    fn table(&mut self, prefix: &str, table: &dyn TableLike) -> Result<(), Error> {
        for (name, item) in table.iter() {
            let dotted = match prefix {
                "" => name.to_owned(),
                _ => format!("{prefix}.{name}"),
            };
            let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            self.item(&dotted, item, span.map_or(1, |span| line_of(self.text, span.start)))?;
        }
        Ok(())
    }

    fn item(&mut self, dotted: &str, item: &Item, line: usize) -> Result<(), Error> {
        let origin = Origin::File { path: self.path.to_owned(), line };
        if let Some(spec) = key::find(dotted) {
            let value = spec
                .kind
                .read(item)
                .map_err(|mismatch| Error::wrong_value(origin.clone(), spec, mismatch))?;
            self.said.entries.push(Entry { key: spec.key, value, origin });
            return Ok(());
        }
        if dotted == rules::NAME {
            self.said.rules = rules::read(self.path, self.text, item, line)?;
            return Ok(());
        }
        if servers::NAMES.contains(&dotted) {
            let file = (self.path, self.text);
            self.said.servers.extend(servers::read(file, item, line, self.trust)?);
            return Ok(());
        }
        match item.as_table_like() {
            Some(table) if dotted == presets::SECTION => self.presets(table),
            Some(table) if key::is_section(dotted) => self.table(dotted, table),
            Some(_) | None => Err(unknown(origin, dotted)),
        }
    }

    /// A table for each preset, and in it what stands at the top of a file otherwise.
    fn presets(&mut self, all: &dyn TableLike) -> Result<(), Error> {
        for (name, item) in all.iter() {
            let dotted = format!("{}.{name}", presets::SECTION);
            let span = all.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            let line = span.map_or(1, |span| line_of(self.text, span.start));
            let origin = || Origin::File { path: self.path.to_owned(), line };
            let table = item.as_table_like().ok_or_else(|| unknown(origin(), &dotted))?;
            let (path, text, trust) = (self.path, self.text, self.trust);
            let mut reader = Reader { path, text, trust, said: Said::default() };
            reader.table("", table).map_err(|error| error.within(&dotted))?;
            let Said { entries, rules, servers, presets } = reader.said;
            for (given, what) in [
                (!rules.is_empty(), "policy"),
                (!servers.is_empty(), "mcp"),
                (!presets.is_empty(), "preset"),
            ] {
                if given {
                    return Err(unknown(origin(), &format!("{dotted}.{what}")));
                }
            }
            self.said.presets.push((name.to_owned(), entries));
        }
        Ok(())
    }
}

fn unknown(origin: Origin, key: &str) -> Error {
    Error::UnknownKey { origin: Some(origin), key: key.to_owned() }
}

pub(super) fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or_default();
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}
