//! What a change waits for: the same syncs, and nothing else.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

use crate::{Failure, text};

/// Bytes that a small change adds to the journal: pages of four kilobytes, each with a head.
const RECORD: usize = 8 * (4096 + 24);

/// The syncs of so many small changes, each of which waits three times for the disk: for the
/// journal, for the new file, and for its name.
pub(super) fn syncs(changes: usize) -> Result<Vec<Duration>, Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let mut journal = File::create(scratch.path().join("journal")).map_err(text)?;
    (0..changes).map(|_| sync(&mut journal, scratch.path()).map_err(text)).collect()
}

fn sync(journal: &mut File, directory: &Path) -> io::Result<Duration> {
    let begun = Instant::now();
    journal.write_all(&[0; RECORD])?;
    journal.sync_all()?;
    let (new, old) = (directory.join("file.new"), directory.join("file"));
    let mut file = File::create(&new)?;
    file.write_all(&[0; 300])?;
    file.sync_all()?;
    fs::rename(&new, &old)?;
    File::open(directory)?.sync_all()?;
    Ok(begun.elapsed())
}
