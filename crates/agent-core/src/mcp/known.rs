//! What servers said of themselves before.

use std::{collections::BTreeMap, path::PathBuf};

use jiff::{SignedDuration, Timestamp};
use rmcp::model::Tool;

use super::declared::Era;
use crate::{
    StoreError,
    store::{StateDirectory, Store},
};

/// How long what a server said of its tools holds.
const FRESH: SignedDuration = SignedDuration::from_hours(24);

/// What a state directory knows of servers. It is opened when it is first needed.
///
/// Most of it only saves asking them again, so that errors are logged and nothing more.
#[derive(Debug)]
pub struct Known {
    state: StateDirectory,
    learning: Learning,
}

/// What becomes of news.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learning {
    /// It is kept.
    Kept,
    /// It is forgotten.
    Forgotten,
}

impl Known {
    /// What is known in the state directory `directory`. Without one nothing is.
    pub fn at(directory: Option<PathBuf>, learning: Learning) -> Self {
        Self { state: StateDirectory::at(directory), learning }
    }

    /// How the server of this hash was last spoken to.
    pub(super) fn era(&self, hash: &str) -> Option<Era> {
        match self.remembered(|store| store.server_era(hash))?.as_str() {
            "modern" => Some(Era::Modern),
            "legacy" => Some(Era::Legacy),
            _ => None,
        }
    }

    /// Learns how the server is spoken to.
    pub(super) fn keep_era(&self, hash: &str, era: Era) {
        let word = match era {
            Era::Auto => None,
            Era::Modern => Some("modern"),
            Era::Legacy => Some("legacy"),
        };
        if self.era(hash) != (era != Era::Auto).then_some(era) {
            self.learn(|store| store.keep_server_era(hash, word));
        }
    }

    /// What the server last said of its tools, where that is not too long ago.
    pub(super) fn tools(&self, hash: &str) -> Option<Vec<Tool>> {
        let since = Timestamp::now() - FRESH;
        let tools = self.remembered(|store| store.server_tools(hash, since))?;
        serde_json::from_str(&tools).ok()
    }

    /// Learns what the server says of its tools; of none, that what is known is out of date.
    pub(super) fn keep_tools(&self, hash: &str, tools: Option<&[Tool]>) {
        let text = tools.and_then(|tools| serde_json::to_string(tools).ok());
        self.learn(|store| store.keep_server_tools(hash, text.as_deref()));
    }

    /// Those of the tools that are not what they were when the user trusted the server, by name.
    /// The first time they are seen, they are what is trusted.
    pub(super) fn changed(
        &self,
        hash: &str,
        seen: &BTreeMap<String, String>,
    ) -> Result<Vec<String>, StoreError> {
        if !self.state.exists() {
            return Ok(Vec::new());
        }
        let trusted = self.state.with(|store| store.trusted_tools(hash))?;
        let trusted: Option<BTreeMap<String, String>> =
            trusted.and_then(|trusted| serde_json::from_str(&trusted).ok());
        if let Some(trusted) = trusted {
            let differs = |(name, print): &(&String, &String)| trusted.get(*name) != Some(print);
            return Ok(seen.iter().filter(differs).map(|(name, _)| name.clone()).collect());
        }
        if self.learning == Learning::Kept {
            let text = serde_json::to_string(seen).unwrap_or_default();
            self.state.with(|store| store.keep_trusted_tools(hash, &text))?;
        }
        Ok(Vec::new())
    }

    /// What may be known and may as well not.
    fn remembered<T>(
        &self,
        read: impl FnOnce(&mut Store) -> Result<Option<T>, StoreError>,
    ) -> Option<T> {
        let read = self.state.exists().then(|| self.state.with(read))?;
        read.inspect_err(|error| tracing::debug!(%error, "nothing is known of a server")).ok()?
    }

    fn learn(&self, write: impl FnOnce(&mut Store) -> Result<(), StoreError>) {
        if self.learning == Learning::Kept
            && self.state.exists()
            && let Err(error) = self.state.with(write)
        {
            tracing::debug!(%error, "what a server said is not kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::trust::{Brought, Trusted};

    fn known(directory: &Path, learning: Learning) -> Known {
        Known::at(Some(directory.to_owned()), learning)
    }

    #[test]
    fn what_a_server_said_is_known_until_it_says_otherwise() {
        let place = tempfile::tempdir().expect("a directory");
        StateDirectory::at(Some(place.path().to_owned())).hold().expect("a store");
        let kept = known(place.path(), Learning::Kept);
        let tool = Tool::new("t", "what it does", serde_json::Map::new());
        assert_eq!((kept.era("h"), kept.tools("h")), (None, None));
        kept.keep_era("h", Era::Legacy);
        kept.keep_tools("h", Some(std::slice::from_ref(&tool)));
        let again = known(place.path(), Learning::Forgotten);
        assert_eq!((again.era("h"), again.tools("h")), (Some(Era::Legacy), Some(vec![tool])));
        again.keep_era("h", Era::Modern);
        assert_eq!((again.era("h"), again.era("other")), (Some(Era::Legacy), None));
        kept.keep_era("h", Era::Auto);
        kept.keep_tools("h", None);
        assert_eq!((again.era("h"), again.tools("h")), (None, None));
    }

    #[test]
    fn without_a_state_directory_nothing_is_known() {
        let nothing = Known::at(None, Learning::Kept);
        nothing.keep_era("h", Era::Legacy);
        assert_eq!((nothing.era("h"), nothing.tools("h")), (None, None));
        assert_eq!(nothing.changed("h", &BTreeMap::new()).expect("nothing"), [""; 0]);
    }

    #[test]
    fn what_a_trusted_server_says_of_a_tool_has_to_stay() {
        let place = tempfile::tempdir().expect("a directory");
        let trusted = Trusted::at(Some(place.path().to_owned()));
        let brought = Brought { hash: "h".to_owned(), what: "a server".to_owned() };
        let known = known(place.path(), Learning::Kept);
        trusted.trust(&brought).expect("trusted");
        let prints = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, print)| ((*name).to_owned(), (*print).to_owned())).collect()
        };
        let changed = |pairs: &[(&str, &str)]| known.changed("h", &prints(pairs)).expect("read");
        assert_eq!(changed(&[("a", "1"), ("b", "1")]), [""; 0]);
        assert_eq!(changed(&[("a", "1")]), [""; 0]);
        assert_eq!(changed(&[("a", "2"), ("b", "1"), ("c", "1")]), ["a", "c"]);
        trusted.trust(&brought).expect("trusted again");
        assert_eq!(changed(&[("a", "2"), ("c", "1")]), [""; 0]);
        assert_eq!(changed(&[("a", "1")]), ["a"]);
    }
}
