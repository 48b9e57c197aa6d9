//! Reading a text file, whole or in part, within bounds.

mod part;

use std::io::{self, Read, Seek};

use part::Part;

use crate::encoding::{self, Encoding};
use crate::text::{TextError, TextFile};
use crate::workspace::{PathError, Workspace, WorkspacePath};

/// The lines to be read, counted from 1, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineRange {
    /// The first line; the first of the file if absent.
    pub start: Option<usize>,
    /// The last line; the last of the file if absent, or if the file ends before it.
    pub end: Option<usize>,
}

impl LineRange {
    /// The whole file.
    pub const ALL: Self = Self { start: None, end: None };
}

/// How much is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// The most text that is returned, in bytes.
    pub max_text: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { max_text: 100 * 1024 }
    }
}

/// A part of a file, or all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text with its line endings, without a byte order mark.
    pub content: String,
    /// The first line of `content`.
    pub start_line: usize,
    /// The last line of `content`.
    pub end_line: usize,
    /// How many lines the whole file has.
    pub lines: usize,
    /// The SHA-256 of the whole file's bytes.
    pub sha256: String,
    /// How the file is encoded.
    pub encoding: Encoding,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The path leads to no file that may be read.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file could be opened and not read.
    #[error("cannot read `{path}`: {source}")]
    Io {
        /// The file.
        path: WorkspacePath,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not text.
    #[error("`{path}` holds {source}; it can be neither shown nor edited as text")]
    NotText {
        /// The file.
        path: WorkspacePath,
        /// What it is instead.
        source: TextError,
    },
    /// The file is too large to be held as a whole.
    #[error(
        "`{path}` has more than {max} bytes, too many to be edited or checked as a whole; \
         `grep_search` and `read_file` with a range of lines show parts of it, and a command can \
         change it"
    )]
    Huge {
        /// The file.
        path: WorkspacePath,
        /// The largest size that is held.
        max: u64,
    },
    /// The text asked for is more than is returned at once.
    #[error("{}", too_long(path, range, *size, *lines, *max, *fitting))]
    TooLong {
        /// The file.
        path: WorkspacePath,
        /// What was asked for.
        range: LineRange,
        /// The size of the text asked for, in bytes.
        size: usize,
        /// How many lines the whole file has.
        lines: usize,
        /// The most that is returned, in bytes.
        max: usize,
        /// The last line up to which it would have fitted, if even the first does.
        fitting: Option<usize>,
    },
    /// The range begins after the last line.
    #[error(
        "`{path}` ends at line {lines}, so there is no line {start}; \
         ask for lines between 1 and {lines}"
    )]
    Outside {
        /// The file.
        path: WorkspacePath,
        /// The first line asked for.
        start: usize,
        /// How many lines there are.
        lines: usize,
    },
    /// The range names line 0, or ends before it starts.
    #[error(
        "{} is no range of lines: they are counted from 1, and the end is not before the start",
        written(range)
    )]
    NoRange {
        /// What was asked for.
        range: LineRange,
    },
}

/// Reads a whole text file of at most `max_bytes`.
pub fn read_text(
    ws: &Workspace,
    path: &WorkspacePath,
    max_bytes: u64,
) -> Result<TextFile, ReadError> {
    let file = ws.open_file(path)?;
    let length = file.metadata().map_or(0, |metadata| metadata.len()).min(max_bytes);
    // Room for all of it and one byte, so that it is read at once and never moved.
    let mut bytes = Vec::with_capacity(usize::try_from(length).map_or(0, |length| length + 1));
    // One byte more than allowed tells a file that is too large, also while it grows.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|source| ReadError::Io { path: path.clone(), source })?;
    if bytes.len() as u64 > max_bytes {
        return Err(ReadError::Huge { path: path.clone(), max: max_bytes });
    }
    TextFile::parse(bytes).map_err(|source| ReadError::NotText { path: path.clone(), source })
}

/// Reads the lines of `range`. The hash and the number of lines are those of the whole file.
pub fn read_file(
    ws: &Workspace,
    path: &WorkspacePath,
    range: LineRange,
    limits: ReadLimits,
) -> Result<Excerpt, ReadError> {
    let start = range.start.unwrap_or(1);
    if start == 0 || range.end.is_some_and(|end| end < start) {
        return Err(ReadError::NoRange { range });
    }
    let failed = |source| ReadError::Io { path: path.clone(), source };
    let not_text = |source| ReadError::NotText { path: path.clone(), source };
    let mut file = ws.open_file(path)?;
    // In any encoding, twice as many bytes are more text than is returned.
    let mut part = Part::new(start, range.end, 2 * limits.max_text);
    let mut passes = 0;
    // The file is never held as a whole: what is asked of it is taken as it goes by.
    let encoding = encoding::detect(|see| {
        file.rewind()?;
        passes += 1;
        part::pieces(&mut file, |piece| {
            if passes == 1 {
                part.see(piece);
            }
            see(piece)
        })
    });
    let encoding = encoding.map_err(failed)?.map_err(not_text)?;
    let lines = part.lines();
    if start > lines {
        return Err(ReadError::Outside { path: path.clone(), start, lines });
    }
    let end = range.end.unwrap_or(lines).min(lines);
    let content = part.text(encoding);
    let size = match content {
        // For the whole file what counts is its size on disk, which the caller can look up.
        _ if range == LineRange::ALL => part.size(),
        Some(ref content) => content.len() as u64,
        None => part.wanted(),
    };
    let content = content.filter(|_| size <= limits.max_text as u64);
    let Some(content) = content else {
        let (path, max) = (path.clone(), limits.max_text);
        let fitting = part.last_fitting(encoding, max);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        return Err(ReadError::TooLong { path, range, size, lines, max, fitting });
    };
    Ok(Excerpt {
        content: content.into_owned(),
        start_line: start,
        end_line: end,
        lines,
        sha256: part.sha256(),
        encoding,
    })
}

fn too_long(
    path: &WorkspacePath,
    range: &LineRange,
    size: usize,
    lines: usize,
    max: usize,
    fitting: Option<usize>,
) -> String {
    let start = range.start.unwrap_or(1);
    let what = match (*range == LineRange::ALL, range.end) {
        (true, _) => format!("`{path}` has {size} bytes in {lines} lines"),
        (false, end) => {
            let end = end.unwrap_or(lines).min(lines);
            format!("lines {start} to {end} of `{path}` have {size} bytes")
        }
    };
    let next = match fitting {
        Some(last) => format!(
            "ask for a part with start_line and end_line: lines {start} to {last} fit, \
             and the file has {lines}"
        ),
        None => format!("line {start} alone is longer than that; search it for what matters"),
    };
    format!("{what}, and at most {max} bytes are returned at once; {next}")
}

fn written(range: &LineRange) -> String {
    match (range.start, range.end) {
        (Some(start), Some(end)) => format!("start_line {start} to end_line {end}"),
        (Some(start), None) => format!("start_line {start}"),
        (None, Some(end)) => format!("end_line {end}"),
        (None, None) => "the whole file".to_owned(),
    }
}
