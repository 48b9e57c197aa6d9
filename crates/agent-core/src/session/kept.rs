//! Notes as they lie in the store: without what stands elsewhere in it.
//!
//! A session of many actions is read whenever it goes on, so a note tells nothing that is told
//! already. What a call was to change is a content by its hash, most often one that the journal has
//! kept; what the model saw is left out where it is the result; and a request to the model is told
//! in terms of the conversation that follows from the notes before it.

use agent_llm::recording::Lines;

use super::{Fold, Note, SessionError, Sessions};
use crate::{StoreError, parallel};

/// A note as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// The note as JSON.
    pub(crate) text: Vec<u8>,
    /// The text of the file that its action was to change, which is kept by itself.
    pub(crate) file: Option<String>,
}

/// The notes of a session, as far as one pass over them gives them.
#[derive(Debug)]
pub(super) struct Kept {
    /// The notes without what files held, and with lines that lean on the conversation.
    pub(super) notes: Vec<Note>,
    /// Where such a file belongs, by position, and its hash.
    pub(super) files: Vec<(usize, String)>,
}

impl Written {
    pub(super) fn of(note: &Note) -> serde_json::Result<Self> {
        let held = note.action().is_some_and(|action| action.file_content.is_some());
        if !held {
            return Ok(Self { text: serde_json::to_vec(note)?, file: None });
        }
        let mut note = note.clone();
        let file = note.action_mut().and_then(|action| action.file_content.take());
        Ok(Self { text: serde_json::to_vec(&note)?, file })
    }
}

impl Sessions {
    /// The notes of a session in their order, each whole.
    ///
    /// # Errors
    ///
    /// [`SessionError`] where one of them is not as it was written.
    pub fn notes(&self, id: &str) -> Result<Vec<Note>, SessionError> {
        let Kept { mut notes, files } = self.kept(id)?;
        self.give_back(&mut notes, files)?;
        let (mut fold, mut lines) = (Fold::default(), Lines::default());
        for (position, note) in notes.iter_mut().enumerate() {
            if let Note::Replied { line, .. } | Note::Aside { line } = note {
                let alone = lines.alone(line.take(), fold.known());
                *line = alone.map_err(|reason| wrong(id, position, reason))?;
            }
            if let Note::Acted { content, action, .. } = note {
                *content = Some(Note::shown(content.as_deref(), action.as_deref()));
            }
            fold.add(note);
        }
        Ok(notes)
    }

    /// The notes of a session as they are kept.
    pub(super) fn kept(&self, id: &str) -> Result<Kept, SessionError> {
        let rows = self.with(|store| store.notes(id))?;
        let damaged = |reason| self.with(|store| Err::<Kept, _>(store.damaged(reason)));
        let read = parallel::map(rows, |position, row| {
            let (text, file) = row.text(id, position)?;
            Some((serde_json::from_slice(&text), file))
        });
        let mut kept = Kept { notes: Vec::with_capacity(read.len()), files: Vec::new() };
        for (position, read) in read.into_iter().enumerate() {
            let Some((note, file)) = read else {
                let garbled = format!("note {position} of the session {id} is garbled");
                return damaged(garbled).map_err(SessionError::Store);
            };
            kept.notes.push(note.map_err(|error| wrong(id, position, error.to_string()))?);
            kept.files.extend(file.map(|file| (position, file)));
        }
        Ok(kept)
    }

    /// Puts what files held back into their notes.
    pub(super) fn give_back(
        &self,
        notes: &mut [Note],
        files: Vec<(usize, String)>,
    ) -> Result<(), StoreError> {
        for (position, hash) in files {
            let content = self.with(|store| store.content(&hash))?;
            let text = String::from_utf8(content.into_bytes());
            let text = text.map_err(|_| format!("the content {hash} is no text"));
            let text = text.or_else(|reason| self.with(|store| Err(store.damaged(reason))))?;
            if let Some(action) = notes.get_mut(position).and_then(Note::action_mut) {
                action.file_content = Some(text);
            }
        }
        Ok(())
    }
}

fn wrong(id: &str, position: usize, reason: String) -> SessionError {
    SessionError::Note { id: id.to_owned(), position, reason }
}
