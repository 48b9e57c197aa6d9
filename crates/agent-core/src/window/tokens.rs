//! How many tokens something takes, as far as its bytes tell.
//!
//! Every model cuts text in its own way, and none of their vocabularies is at hand. The kind of
//! text tells enough: words take a token for four letters, punctuation and digits many more. What
//! is left of the error, [`Gauge`](super::Gauge) corrects by what the provider reports.

use agent_llm::{Message, Part, Request, ToolSpec};

/// Hundredths of a token for a byte of each kind. Runs of blanks are one token, however long.
const LETTER: u64 = 24;
const BLANK: u64 = 9;
const DIGIT: u64 = 45;
const MARK: u64 = 50;
const FOREIGN: u64 = 40;

/// What a chat's format puts around each message, and around each call.
const MESSAGE: u64 = 6;
const CALL: u64 = 12;

/// A text.
pub(crate) fn of_text(text: &str) -> u64 {
    let hundredths: u64 = text.bytes().map(|byte| WEIGHTS[usize::from(byte)]).sum();
    hundredths.div_ceil(100)
}

const WEIGHTS: [u64; 256] = {
    let mut weights = [FOREIGN; 256];
    let mut byte = 0;
    while byte < 128 {
        weights[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t' | b'\r' => BLANK,
            _ => MARK,
        };
        byte += 1;
    }
    weights
};

/// A message.
pub(crate) fn of_message(message: &Message) -> u64 {
    MESSAGE
        + match message {
            Message::System(text) | Message::User(text) => of_text(text),
            Message::Tool(result) => of_text(&result.content),
            Message::Assistant(parts) => parts.iter().map(of_part).sum(),
        }
}

fn of_part(part: &Part) -> u64 {
    match part {
        Part::Text(text) => of_text(text),
        Part::Call(call) => CALL + of_text(&call.name) + of_text(&call.arguments),
        Part::Opaque(opaque) => of_text(&opaque.value.to_string()),
    }
}

/// The tools on offer, as every provider tells the model of them: as JSON.
pub(crate) fn of_tools(tools: &[ToolSpec]) -> u64 {
    let texts = tools.iter().map(|tool| {
        of_text(&tool.name) + of_text(&tool.description) + of_text(&tool.parameters.to_string())
    });
    texts.map(|tokens| tokens + CALL).sum()
}

/// A whole request.
pub(crate) fn of_request(request: &Request) -> u64 {
    let messages = request.messages.iter().map(|message| of_message(message));
    messages.sum::<u64>() + of_tools(&request.tools)
}
