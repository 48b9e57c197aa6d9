//! Contents, each kept once under its hash.

use agent_tools::{Content, sha256};
use miniz_oxide::{deflate, inflate};
use rusqlite::{OptionalExtension, Transaction, params};

use super::{Store, StoreError, parts};

/// How hard contents are compressed, of 10: the last few per cent are not worth a user's time.
const EFFORT: u8 = 3;

/// Keeps `content` under its hash; a large one in parts, so that no more than one of them is in memory
/// a second time.
pub(super) fn keep(
    transaction: &Transaction<'_>,
    hash: &str,
    content: &[u8],
) -> rusqlite::Result<()> {
    if content.len() <= parts::WHOLE {
        return keep_whole(transaction, hash, content);
    }
    let mut known = transaction.prepare_cached("SELECT 1 FROM part WHERE whole = ?1")?;
    if known.exists([hash])? {
        return Ok(());
    }
    let mut add = transaction
        .prepare_cached("INSERT INTO part (whole, position, sha256) VALUES (?1, ?2, ?3)")?;
    for (position, part) in parts::parts(content).enumerate() {
        let part_hash = sha256(part);
        keep_whole(transaction, &part_hash, part)?;
        add.execute(params![hash, position as i64, part_hash])?;
    }
    Ok(())
}

fn keep_whole(transaction: &Transaction<'_>, hash: &str, content: &[u8]) -> rusqlite::Result<()> {
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
    let used = "SELECT before_sha256 FROM file WHERE before_sha256 IS NOT NULL
         UNION SELECT after_sha256 FROM file WHERE after_sha256 IS NOT NULL
         UNION SELECT file FROM note WHERE file IS NOT NULL";
    transaction.execute(&format!("DELETE FROM part WHERE whole NOT IN ({used})"), [])?;
    let used = format!("{used} UNION SELECT sha256 FROM part");
    transaction.execute(&format!("DELETE FROM blob WHERE sha256 NOT IN ({used})"), []).map(drop)
}

impl Store {
    /// The content that was kept under `hash`, compared with it once more.
    pub(crate) fn content(&self, hash: &str) -> Result<Content, StoreError> {
        if let Some(content) = self.whole(hash)? {
            return Ok(content);
        }
        let missing = |hash: &str| self.damaged(format!("the content {hash} is missing"));
        let (parts, size) = self.parts(hash).map_err(|error| self.sql(&error))?;
        let mut content = Vec::new();
        let size = usize::try_from(size).map_or(usize::MAX, |size| size);
        if parts.is_empty() || content.try_reserve_exact(size).is_err() {
            return Err(missing(hash));
        }
        for part in parts {
            content.extend_from_slice(&self.whole(&part)?.ok_or_else(|| missing(&part))?);
        }
        let content = Content::from(content);
        match content.sha256() == hash {
            true => Ok(content),
            false => Err(self.garbled(hash)),
        }
    }

    /// The parts of a content, and how large it is.
    fn parts(&self, hash: &str) -> rusqlite::Result<(Vec<String>, i64)> {
        let mut statement = self.connection.prepare(
            "SELECT part.sha256, blob.size FROM part LEFT JOIN blob USING (sha256)
             WHERE whole = ?1 ORDER BY position",
        )?;
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?));
        let rows = statement.query_map([hash], row)?.collect::<rusqlite::Result<Vec<_>>>()?;
        let sizes = rows.iter().map(|(_, size)| size.unwrap_or_default());
        let size = sizes.fold(0, i64::saturating_add);
        Ok((rows.into_iter().map(|(part, _)| part).collect(), size))
    }

    /// A content that is kept whole, where there is one.
    fn whole(&self, hash: &str) -> Result<Option<Content>, StoreError> {
        let found =
            self.connection.prepare("SELECT size, deflated, content FROM blob WHERE sha256 = ?1");
        let found = found.and_then(|mut statement| {
            let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            statement.query_row([hash], row).optional()
        });
        let found: Option<(i64, bool, Vec<u8>)> = found.map_err(|error| self.sql(&error))?;
        let Some((size, deflated, stored)) = found else { return Ok(None) };
        let content = match (deflated, usize::try_from(size)) {
            (false, _) => Some(stored),
            (true, Ok(size)) => inflate::decompress_to_vec_zlib_with_limit(&stored, size).ok(),
            (true, Err(_)) => None,
        };
        match content.map(Content::from).filter(|content| content.sha256() == hash) {
            Some(content) => Ok(Some(content)),
            None => Err(self.garbled(hash)),
        }
    }

    fn garbled(&self, hash: &str) -> StoreError {
        self.damaged(format!("the content {hash} is garbled"))
    }
}
