//! `[mcp.servers.NAME]`, also written `[mcp_servers.NAME]`: MCP servers as a configuration file
//! declares them.
//!
//! ```toml
//! [mcp.servers.git]
//! command = "uvx"
//! args = ["mcp-server-git"]
//! env = { GIT_TOKEN = "${GIT_TOKEN}" }
//!
//! [mcp.servers.far]
//! url = "https://example.com/mcp"
//! headers = { Authorization = "Bearer ${TOKEN}" }
//! ```

use std::collections::BTreeMap;

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value, value};

use super::{Error, Layer, Origin, Trust, file::line_of};
use crate::mcp::{Declared, Launch, Others, Reach, Remote};

/// The section, and the names of the table.
pub(super) const SECTION: &str = "mcp";
pub(super) const NAMES: [&str; 2] = ["mcp.servers", "mcp_servers"];

/// Reads every server of `item`. `line` is where the table begins.
pub(super) fn read(
    (path, text): (&str, &str),
    item: &Item,
    line: usize,
    trust: Trust,
) -> Result<Vec<Declared>, Error> {
    let origin = |line| Origin::File { path: path.to_owned(), line };
    let Some(table) = item.as_table_like() else {
        return Err(Error::bad_server(origin(line), "`mcp.servers` holds a table for each server"));
    };
    let mut servers = Vec::new();
    for (name, item) in table.iter() {
        let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
        let origin = origin(span.map_or(line, |span| line_of(text, span.start)));
        let read = Declared::read(name, json(item), (origin.clone(), trust), Others::Refused);
        servers.extend(read.map_err(|problem| Error::bad_server(origin, problem))?);
    }
    Ok(servers)
}

/// The file's text with a server added, or replaced. `path` names the file in errors.
///
/// # Errors
///
/// The file was already wrong.
pub fn add_server(path: &str, text: &str, name: &str, reach: &Reach) -> Result<String, Error> {
    let mut document = document(path, text)?;
    let root = document.as_table_mut();
    let section = root.entry(SECTION).or_insert_with(|| hidden(Table::new()));
    let wrong = || Error::UnknownKey { origin: None, key: NAMES[0].to_owned() };
    let section = section.as_table_like_mut().ok_or_else(wrong)?;
    let servers = section.entry("servers").or_insert_with(|| hidden(Table::new()));
    let servers = servers.as_table_like_mut().ok_or_else(wrong)?;
    servers.insert(name, Item::Table(declaration(reach)));
    let text = document.to_string();
    Layer::file(path, &text, Trust::Full)?;
    Ok(text)
}

/// What is written of a server.
fn declaration(reach: &Reach) -> Table {
    let mut table = Table::new();
    let map = |pairs: &BTreeMap<String, String>| value(pairs.iter().collect::<InlineTable>());
    match reach {
        Reach::Process(Launch { command, args, env, cwd }) => {
            table.insert("command", value(command));
            if !args.is_empty() {
                table.insert("args", value(args.iter().collect::<Array>()));
            }
            if !env.is_empty() {
                table.insert("env", map(env));
            }
            if let Some(cwd) = cwd {
                table.insert("cwd", value(cwd));
            }
        }
        Reach::Http(Remote { url, headers }) => {
            table.insert("url", value(url));
            if !headers.is_empty() {
                table.insert("headers", map(headers));
            }
        }
    }
    table
}

/// The file's text without a server; none where it declares none of that name.
///
/// # Errors
///
/// The file was already wrong.
pub fn remove_server(path: &str, text: &str, name: &str) -> Result<Option<String>, Error> {
    let mut document = document(path, text)?;
    let root = document.as_table_mut();
    let old = root.get_mut(NAMES[1]).and_then(Item::as_table_like_mut);
    let removed = old.and_then(|servers| servers.remove(name)).is_some();
    let section = root.get_mut(SECTION).and_then(Item::as_table_like_mut);
    let servers = section.and_then(|section| section.get_mut("servers"));
    let removed_too = servers
        .and_then(Item::as_table_like_mut)
        .and_then(|servers| servers.remove(name))
        .is_some();
    Ok((removed || removed_too).then(|| document.to_string()))
}

fn document(path: &str, text: &str) -> Result<DocumentMut, Error> {
    Layer::file(path, text, Trust::Full)?;
    text.parse().map_err(|error: TomlError| Error::syntax(path, text, &error))
}

/// A table that is only there for those in it.
fn hidden(mut table: Table) -> Item {
    table.set_implicit(true);
    Item::Table(table)
}

/// The same as JSON.
fn json(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => json_of(value),
        Item::Table(table) => json_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| json_table(table)).collect(),
    }
}

fn json_table(table: &dyn TableLike) -> Json {
    table.iter().map(|(name, item)| (name.to_owned(), json(item))).collect()
}

fn json_of(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(truth) => Json::from(*truth.value()),
        Value::Datetime(time) => Json::from(time.value().to_string()),
        Value::Array(items) => items.iter().map(json_of).collect(),
        Value::InlineTable(table) => json_table(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn servers(text: &str) -> Result<Vec<Declared>, String> {
        let layer = Layer::file("c.toml", text, Trust::Full).map_err(|error| error.to_string())?;
        Ok(Config::layered([layer]).servers().to_vec())
    }

    #[test]
    fn both_spellings_declare_servers() {
        let text = "max_turns = 3\n[mcp.servers.b]\ncommand = 'x'\nargs = ['1']\nenv = { A = '${B}' }\n\
                    call_timeout_seconds = 5\ntrusted = true\n[mcp_servers.a]\ncommand = 'y'\n\
                    startup_timeout_sec = 1.5\n";
        let servers = servers(text).expect("servers");
        let lines: Vec<_> = servers.iter().map(|it| (it.name.as_str(), it.line())).collect();
        assert_eq!(lines, [("b", "x 1".to_owned()), ("a", "y".to_owned())]);
        assert_eq!(servers[0].origin.to_string(), "c.toml:2");
        assert_eq!(servers[0].hints, crate::mcp::Hints::Trusted);
        assert_eq!(servers[1].start_timeout.as_secs_f64(), 1.5);
    }

    #[test]
    fn slips_are_errors_with_their_line() {
        for (text, problem) in [
            ("[mcp]\nservers = 3", "c.toml:2: `mcp.servers` holds a table for each server"),
            ("[mcp.servers.a]\n", "c.toml:1: the server `a` needs a `command`, or a `url`"),
            ("[mcp.servers.a]\ncommand = 'x'\nargz = []", "the server `a` has no `argz`"),
            ("[mcp.servers.a]\ncommand = 'x'\nargs = 'y'", "the server `a`: `args`"),
            ("[mcp.servers.'a b']\ncommand = 'x'", "needs another name"),
            ("[mcp]\nserver = {}", "unknown key `mcp.server`"),
        ] {
            let error = servers(text).expect_err(text);
            assert!(error.contains(problem), "{text}: {error}");
        }
    }

    #[test]
    fn a_server_is_added_replaced_and_removed_and_the_rest_stays() {
        let launch = |command: &str, args: &[&str], env: &[(&str, &str)]| {
            let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            Reach::Process(Launch {
                command: command.to_owned(),
                args: args.iter().map(|word| (*word).to_owned()).collect(),
                env: env.iter().map(pair).collect(),
                cwd: None,
            })
        };
        let text = "# mine\nmax_turns = 3 # long\n";
        let git = launch("uvx", &["server"], &[("A", "1")]);
        let added = add_server("c", text, "git", &git).expect("added");
        assert_eq!(
            added,
            "# mine\nmax_turns = 3 # long\n\n[mcp.servers.git]\ncommand = \"uvx\"\nargs = [\"server\"]\n\
             env = { A = \"1\" }\n"
        );
        let replaced = add_server("c", &added, "git", &launch("x", &[], &[])).expect("replaced");
        assert_eq!(servers(&replaced).expect("servers")[0].line(), "x");
        let headers = BTreeMap::from([("A".to_owned(), "${B}".to_owned())]);
        let far = Reach::Http(Remote { url: "https://h/mcp".to_owned(), headers });
        let both = add_server("c", &replaced, "far", &far).expect("added");
        assert_eq!(servers(&both).expect("servers")[1].reach, far);
        assert_eq!(remove_server("c", &replaced, "other"), Ok(None));
        let removed = remove_server("c", &replaced, "git").expect("a file").expect("removed");
        assert!(
            removed.starts_with(text) && servers(&removed).expect("none").is_empty(),
            "{removed}"
        );
        let bad = add_server("c", text, "a b", &git).expect_err("a bad name");
        assert!(bad.to_string().contains("needs another name"), "{bad}");
    }
}
