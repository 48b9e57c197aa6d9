//! Splits a byte stream into lines.

/// The longest line, and the longest event, that is taken: a server that sends more without a
/// line break is broken, and must not cost us all memory.
pub(crate) const LONGEST: usize = 16 * 1024 * 1024;

/// A line that is longer than [`LONGEST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// CR, LF or both, as in an event stream.
    Any,
    /// LF, as in JSON lines, where a CR is white space.
    LineFeed,
}

/// Gathers lines from pieces that may end anywhere, also between CR and LF.
#[derive(Debug)]
pub(crate) struct Lines {
    ending: Ending,
    partial: Vec<u8>,
    after_cr: bool,
}

impl Lines {
    pub(crate) fn new(ending: Ending) -> Self {
        Self { ending, partial: Vec::new(), after_cr: false }
    }

    /// Takes the next piece and hands every line that it completes, without its ending, to `each`.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), TooLong>,
    ) -> Result<(), TooLong> {
        loop {
            if self.after_cr && !bytes.is_empty() {
                self.after_cr = false;
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            let Some(at) = bytes.iter().position(|&byte| self.ends(byte)) else { break };
            let (line, rest) = (&bytes[..at], &bytes[at + 1..]);
            check_length(self.partial.len() + line.len())?;
            if self.partial.is_empty() {
                each(line)?;
            } else {
                self.partial.extend_from_slice(line);
                each(&self.partial)?;
                self.partial.clear();
            }
            self.after_cr = bytes[at] == b'\r';
            bytes = rest;
        }
        check_length(self.partial.len() + bytes.len())?;
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// What stands after the last line ending.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.partial)
    }

    fn ends(&self, byte: u8) -> bool {
        byte == b'\n' || (byte == b'\r' && self.ending == Ending::Any)
    }
}

fn check_length(length: usize) -> Result<(), TooLong> {
    if length > LONGEST { Err(TooLong) } else { Ok(()) }
}
