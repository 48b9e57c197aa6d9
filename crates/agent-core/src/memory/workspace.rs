//! The memory of one workspace, as it is stored.

use std::path::Path;

use jiff::Timestamp;

use super::{Earlier, Remembered, Standing};
use crate::{Redactor, Sessions, StoreError, store::Store};

/// The most bytes of one thing, and the most things, that are remembered.
const LONGEST: usize = 500;
const MOST: usize = 100;

/// What is remembered of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a> {
    sessions: &'a Sessions,
    workspace: &'a Path,
}

/// Why something is not remembered, or not forgotten.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The store can't be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It says nothing.
    #[error("there is nothing to remember: the text is empty")]
    Empty,
    /// It is too long.
    #[error("{0} bytes are too many to remember: one thing in at most {LONGEST}")]
    TooLong(usize),
    /// It holds a secret, or what looks like one.
    #[error("it holds what looks like a secret, and is not stored")]
    Secret,
    /// There are too many.
    #[error("{MOST} things are remembered here, which is the most")]
    Full,
    /// There is none of that number.
    #[error("nothing is remembered here under the number {0}")]
    Unknown(i64),
}

impl Sessions {
    /// What is remembered of the workspace of that canonical path.
    pub fn memory<'a>(&'a self, workspace: &'a Path) -> Memory<'a> {
        Memory { sessions: self, workspace }
    }
}

impl Memory<'_> {
    /// Everything that somebody said, the first first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn remembered(&self) -> Result<Vec<Remembered>, StoreError> {
        if !self.sessions.exists() {
            return Ok(Vec::new());
        }
        self.sessions.with(|store| store.remembered(self.workspace))
    }

    /// The last conversations, the latest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn earlier(&self) -> Result<Vec<Earlier>, StoreError> {
        if !self.sessions.exists() {
            return Ok(Vec::new());
        }
        self.sessions.with(|store| store.earlier(self.workspace))
    }

    /// Whether there is nothing at all. False, too, where that can't be told without waiting.
    pub(crate) fn is_empty_at_once(&self) -> bool {
        let empty = self.sessions.state().at_once(|store| {
            let remembered = store.remembered(self.workspace)?;
            Ok(remembered.is_empty() && store.earlier(self.workspace)?.is_empty())
        });
        matches!(empty, Some(Ok(true)))
    }

    /// The hash of a file as it was last read or left here; none where that is not known, and
    /// `Some(None)` where it was gone.
    pub(crate) fn seen(&self, path: &str) -> Result<Option<Option<String>>, StoreError> {
        self.sessions.with(|store| store.seen(self.workspace, path))
    }

    /// Remembers what the user says.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] where it is not stored.
    pub fn add(&self, text: &str, redactor: &Redactor) -> Result<Remembered, MemoryError> {
        self.keep(text, Standing::User, None, redactor)
    }

    /// Keeps what a model proposes, until the user accepts or removes it. None where that much is
    /// known already.
    pub(crate) fn propose(
        &self,
        text: &str,
        session: &str,
        redactor: &Redactor,
    ) -> Result<Option<Remembered>, MemoryError> {
        let text = line(text);
        let known = self.remembered()?;
        if known.iter().any(|one| one.text == text) {
            return Ok(None);
        }
        self.keep(&text, Standing::Proposed, Some(session), redactor).map(Some)
    }

    fn keep(
        &self,
        text: &str,
        standing: Standing,
        session: Option<&str>,
        redactor: &Redactor,
    ) -> Result<Remembered, MemoryError> {
        let text = line(text);
        match text.len() {
            0 => return Err(MemoryError::Empty),
            length if length > LONGEST => return Err(MemoryError::TooLong(length)),
            _ => {}
        }
        if redactor.finds(&text) || redactor.suspects(&text) {
            return Err(MemoryError::Secret);
        }
        let known = self.remembered()?;
        if known.len() >= MOST && known.iter().all(|one| one.text != text) {
            return Err(MemoryError::Full);
        }
        let (session, time) = (session.map(str::to_owned), Timestamp::now());
        let one = Remembered { number: 0, text, standing, session, time };
        Ok(self.sessions.with(|store| store.remember(self.workspace, one))?)
    }

    /// Accepts what a model proposed.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] where there is nothing of that number.
    pub fn accept(&self, number: i64) -> Result<Remembered, MemoryError> {
        let mut one = self.find(number)?;
        if one.standing == Standing::Proposed {
            one.standing = Standing::Accepted;
            self.sessions.with(|store| store.accept(number))?;
        }
        Ok(one)
    }

    /// Forgets what was said.
    ///
    /// # Errors
    ///
    /// [`MemoryError`] where there is nothing of that number.
    pub fn remove(&self, number: i64) -> Result<Remembered, MemoryError> {
        let one = self.find(number)?;
        self.sessions.with(|store| store.forget(number))?;
        Ok(one)
    }

    /// Forgets everything of the workspace, and says how much there was: what somebody said, and
    /// conversations.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn clear(&self) -> Result<(usize, usize), StoreError> {
        if !self.sessions.exists() {
            return Ok((0, 0));
        }
        self.sessions.with(|store| store.forget_workspace(self.workspace))
    }

    /// Keeps a conversation, which may have gone on.
    pub(crate) async fn held(&self, held: Earlier) -> Result<(), StoreError> {
        let workspace = self.workspace.to_owned();
        let keep = move |store: &mut Store| {
            let earlier = store.earlier(&workspace)?;
            let before = earlier.into_iter().find(|one| one.session == held.session);
            let held = match before {
                Some(before) => before.then(held.clone()),
                None => held.clone(),
            };
            store.keep_earlier(&workspace, &held)
        };
        self.sessions.state().soon(keep).await.unwrap_or(Ok(()))
    }

    fn find(&self, number: i64) -> Result<Remembered, MemoryError> {
        let found = self.remembered()?.into_iter().find(|one| one.number == number);
        found.ok_or(MemoryError::Unknown(number))
    }
}

/// A text in one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
