//! Changing one value of a configuration file and nothing else.

use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError};

use super::{Error, Layer, Trust, Value, key};

/// The file's text with `key` set to `value`. Comments, order and spacing stay. `path` names the
/// file in errors.
///
/// # Errors
///
/// The key is unknown, the value does not suit it, or the file was already wrong: nothing is built
/// on a file that would not be read.
pub fn set(path: &str, text: &str, key: &str, value: &str) -> Result<String, Error> {
    let unknown = || Error::UnknownKey { origin: None, key: key.to_owned() };
    let spec = key::find(key).ok_or_else(unknown)?;
    let value = spec.kind.parse(value).map_err(|mismatch| Error::WrongValue {
        origin: None,
        key: spec.name,
        expected: spec.kind.to_string(),
        found: mismatch.0,
    })?;
    Layer::file(path, text, Trust::Full)?;
    let syntax = |error: TomlError| Error::syntax(path, text, &error);
    let mut document: DocumentMut = text.parse().map_err(syntax)?;
    let root = document.as_table_mut();
    match spec.name.split_once('.') {
        Some((section, name)) => {
            let table = root.entry(section).or_insert(Item::Table(Table::new()));
            put(table.as_table_like_mut().ok_or_else(unknown)?, name, &value);
        }
        None => put(root, spec.name, &value),
    }
    Ok(document.to_string())
}

/// Replaces a value and leaves the spaces and the comment around it.
fn put(table: &mut dyn TableLike, name: &str, value: &Value) {
    let mut new = toml_edit::Value::from(value);
    match table.get_mut(name) {
        Some(item) => {
            if let Some(old) = item.as_value() {
                *new.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(new);
        }
        None => {
            table.insert(name, Item::Value(new));
        }
    }
}
