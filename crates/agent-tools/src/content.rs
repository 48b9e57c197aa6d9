//! The bytes of a file, which several hold at once.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::hash::sha256;

/// The bytes of a file. A clone shares them, and their hash is worked out once for all: what is read
/// for an edit is also what the journal keeps, and a large file is not held several times for that.
#[derive(Clone, Default)]
pub struct Content(Arc<Held>);

#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    sha256: OnceLock<String>,
}

impl Content {
    /// The SHA-256 in lower-case hexadecimal.
    pub fn sha256(&self) -> &str {
        self.0.sha256.get_or_init(|| sha256(&self.0.bytes))
    }

    /// The bytes alone; copied where others hold them too.
    pub fn into_bytes(self) -> Vec<u8> {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.bytes.clone(), |held| held.bytes)
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Held { bytes, sha256: OnceLock::new() }))
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        text.into_bytes().into()
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.bytes == other.0.bytes
    }
}

impl Eq for Content {}

impl fmt::Debug for Content {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(self), formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_is_the_same_bytes() {
        let content = Content::from("abc");
        let clone = content.clone();
        assert_eq!(content.as_ptr(), clone.as_ptr());
        assert_eq!(content.sha256().as_ptr(), clone.sha256().as_ptr());
        assert_eq!(clone.sha256(), sha256(b"abc"));
        assert_eq!(
            (content == Content::from("abc"), content == Content::from("abd")),
            (true, false)
        );
        let place = content.as_ptr();
        assert_eq!(clone.into_bytes(), b"abc");
        let alone = content.into_bytes();
        assert_eq!((alone.as_ptr(), &*alone), (place, &b"abc"[..]), "nobody else holds them");
    }
}
