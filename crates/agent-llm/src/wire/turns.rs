//! Messages that are lists of blocks, as Anthropic's and Gemini's are: whoever speaks twice in a
//! row goes on in the same message.

use super::Piece;
use crate::{Message, Request};

/// Closes a message and its list.
pub(crate) const CLOSE: &str = "]}";

/// The message that something stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Who speaks, on the wire.
    pub(crate) role: &'static str,
    /// The member that holds the blocks.
    pub(crate) member: &'static str,
    /// What goes on in the same message has the same.
    pub(crate) kind: &'static str,
}

/// Goes on with the message `before`, which is not closed, or begins another.
pub(crate) fn open(before: Option<Turn>, this: Turn, bytes: &mut Vec<u8>) {
    if let Some(before) = before {
        if before.kind == this.kind {
            bytes.push(b',');
            return;
        }
        bytes.extend_from_slice(CLOSE.as_bytes());
        bytes.push(b',');
    }
    let Turn { role, member, .. } = this;
    bytes.extend_from_slice(format!(r#"{{"role":"{role}","{member}":["#).as_bytes());
}

/// Writes pieces with a comma between any two.
pub(crate) fn separated<'m>(
    pieces: impl Iterator<Item = Piece<'m>>,
    bytes: &mut Vec<u8>,
    mut write: impl FnMut(Piece<'m>, &mut Vec<u8>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    for (index, piece) in pieces.enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        write(piece, bytes)?;
    }
    Ok(())
}

/// The standing instructions, where the dialect keeps them apart.
pub(crate) fn instructions(request: &Request) -> Option<&str> {
    match request.messages.first().map(|message| &**message) {
        Some(Message::System(text)) => Some(text),
        Some(Message::User(_) | Message::Assistant(_) | Message::Tool(_)) | None => None,
    }
}
