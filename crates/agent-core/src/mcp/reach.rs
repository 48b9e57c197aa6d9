//! How a server is reached.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// As a process of its own.
    Process(Launch),
    /// Over HTTP: it runs somewhere else.
    Http(Remote),
}

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Launch {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that it sees beside those that every command does. A value may name a variable of
    /// this process: `${TOKEN}`.
    pub env: BTreeMap<String, String>,
    /// Its working directory, from the workspace; without one the workspace.
    pub cwd: Option<String>,
}

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remote {
    /// Its address, which may name variables of this process.
    pub url: String,
    /// What is sent along with every request. A value may name a variable of this process:
    /// `Bearer ${TOKEN}`.
    pub headers: BTreeMap<String, String>,
}

impl Reach {
    /// The command line or the address, for people.
    pub fn line(&self) -> String {
        match self {
            Self::Process(Launch { command, args, .. }) => {
                let quoted =
                    |word: &String| match word.contains(char::is_whitespace) || word.is_empty() {
                        true => format!("{word:?}"),
                        false => word.clone(),
                    };
                let words = std::iter::once(command).chain(args);
                words.map(quoted).collect::<Vec<_>>().join(" ")
            }
            Self::Http(Remote { url, .. }) => without_query(url).to_owned(),
        }
    }

    /// What it is given beside that, by name: variables of a process, headers of a request. Values
    /// may be secrets.
    pub fn given(&self) -> Vec<&str> {
        let names = match self {
            Self::Process(Launch { env, .. }) => env,
            Self::Http(Remote { headers, .. }) => headers,
        };
        names.keys().map(String::as_str).collect()
    }

    /// Everything that decides what is executed, or what is sent and where to.
    pub(super) fn content(&self) -> Vec<Value> {
        match self {
            Self::Process(Launch { command, args, env, cwd }) => {
                vec![json!(command), json!(args), json!(env), json!(cwd)]
            }
            Self::Http(Remote { url, headers }) => vec![json!({ "url": url }), json!(headers)],
        }
    }
}

/// An address without what stands behind its `?`, which may be a key.
pub(super) fn without_query(url: &str) -> &str {
    url.split_once('?').map_or(url, |(before, _)| before)
}

/// `${NAME}` and `${NAME:-otherwise}` in the place of which the variable stands.
///
/// # Errors
///
/// The name of a variable that is not set.
pub(super) fn expanded(text: &str, variables: &[(String, String)]) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, named)) = rest.split_once("${") {
        let Some((name, after)) = named.split_once('}') else { break };
        let (name, otherwise) = match name.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise)),
            None => (name, None),
        };
        let known = variables.iter().find(|(known, _)| known == name);
        let value = known.map(|(_, value)| value.as_str()).or(otherwise);
        expanded.push_str(before);
        expanded.push_str(value.ok_or_else(|| name.to_owned())?);
        rest = after;
    }
    Ok(expanded + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_name_variables() {
        let variables = [("A".to_owned(), "1".to_owned())];
        for (text, outcome) in [
            ("", Ok("")),
            ("plain", Ok("plain")),
            ("${A}", Ok("1")),
            ("x${A}y${A}z", Ok("x1y1z")),
            ("${B:-2}", Ok("2")),
            ("${A:-2}", Ok("1")),
            ("${B:-}", Ok("")),
            ("${B}", Err("B")),
            ("${A", Ok("${A")),
            ("$A", Ok("$A")),
        ] {
            let outcome = outcome.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(expanded(text, &variables), outcome, "{text}");
        }
    }

    #[test]
    fn a_key_in_an_address_is_not_shown() {
        let url = "https://h/mcp?key=secret".to_owned();
        let reach = Reach::Http(Remote { url, ..Remote::default() });
        assert_eq!(reach.line(), "https://h/mcp");
    }
}
