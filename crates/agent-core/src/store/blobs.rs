//! Contents, each kept once under its hash.

use agent_tools::sha256;
use miniz_oxide::{deflate, inflate};
use rusqlite::{OptionalExtension, Transaction, params};

use super::{Store, StoreError};

/// How hard contents are compressed, of 10: the last few per cent are not worth a user's time.
const EFFORT: u8 = 3;

/// Keeps `content` under its hash.
pub(super) fn keep(
    transaction: &Transaction<'_>,
    hash: &str,
    content: &[u8],
) -> rusqlite::Result<()> {
    let mut known = transaction.prepare_cached("SELECT 1 FROM blob WHERE sha256 = ?1")?;
    if known.exists([hash])? {
        return Ok(());
    }
    let deflated = deflate::compress_to_vec_zlib(content, EFFORT);
    let smaller = deflated.len() < content.len();
    let stored = if smaller { &deflated } else { content };
    transaction
        .prepare_cached(
            "INSERT INTO blob (sha256, size, deflated, content) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![hash, content.len() as i64, smaller, stored])?;
    Ok(())
}

/// Takes out the contents that nothing refers to any more.
pub(super) fn drop_unused(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let unused = "DELETE FROM blob WHERE sha256 NOT IN (
         SELECT before_sha256 FROM file WHERE before_sha256 IS NOT NULL
         UNION SELECT after_sha256 FROM file WHERE after_sha256 IS NOT NULL
         UNION SELECT file FROM note WHERE file IS NOT NULL)";
    transaction.execute(unused, []).map(drop)
}

impl Store {
    /// The content that was kept under `hash`, compared with it once more.
    pub(crate) fn content(&self, hash: &str) -> Result<Vec<u8>, StoreError> {
        let found =
            self.connection.prepare("SELECT size, deflated, content FROM blob WHERE sha256 = ?1");
        let found = found.and_then(|mut statement| {
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            statement.query_row([hash], row).optional()
        });
        let found: Option<(i64, bool, Vec<u8>)> = found.map_err(|error| self.sql(&error))?;
        let Some((size, deflated, stored)) = found else {
            return Err(self.damaged(format!("the content {hash} is missing")));
        };
        let content = match (deflated, usize::try_from(size)) {
            (false, _) => Some(stored),
            (true, Ok(size)) => inflate::decompress_to_vec_zlib_with_limit(&stored, size).ok(),
            (true, Err(_)) => None,
        };
        match content.filter(|content| sha256(content) == hash) {
            Some(content) => Ok(content),
            None => Err(self.damaged(format!("the content {hash} is garbled"))),
        }
    }
}
