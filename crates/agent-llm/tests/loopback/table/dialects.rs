//! The dialects, and what each says.

use agent_llm::{ErrorKind, FinishReason, OpenAiApi, Purpose, Vendor};
use serde_json::{Value, json};

use super::replies::{anthropic, chat, gemini, ollama, responses};

/// A wire format as a server would speak it.
pub(super) struct Dialect {
    pub(super) name: &'static str,
    pub(super) vendor: Vendor,
    pub(super) api: OpenAiApi,
    pub(super) purpose: Purpose,
    /// A reply as a stream.
    pub(super) stream: fn(&Said) -> String,
    /// The files that hold its errors.
    pub(super) errors: &'static [&'static str],
    /// An error as it comes in the middle of a stream.
    pub(super) event: fn(&Value) -> String,
    /// Replies with a value of the wrong type, and what becomes of them.
    pub(super) wrong_types: &'static [(&'static str, Result<&'static str, ErrorKind>)],
}

/// What a reply says.
#[derive(Clone, Copy)]
pub(super) struct Said {
    pub(super) text: &'static str,
    /// Name and arguments.
    pub(super) call: Option<(&'static str, &'static str)>,
    pub(super) end: End,
}

/// Why it ends, in the dialect's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Stop,
    Calls,
    Length,
    Filter,
    /// A word that nobody knows.
    Odd,
    /// It does not say.
    Never,
}

impl Dialect {
    /// Whether its replies can hold calls.
    pub(super) fn calls(&self) -> bool {
        self.purpose != Purpose::Plan
    }

    /// Whether it has a word for this end.
    pub(super) fn has(&self, end: End) -> bool {
        self.vendor != Vendor::Ollama || !matches!(end, End::Calls | End::Filter)
    }

    /// How the word that nobody knows comes out.
    pub(super) fn odd(&self) -> FinishReason {
        let word = if self.vendor == Vendor::Gemini { "ODD" } else { "odd" };
        FinishReason::Other(word.to_owned())
    }
}

pub(super) static ALL: [Dialect; 6] = [
    Dialect {
        name: "chat",
        vendor: Vendor::OpenAi,
        api: OpenAiApi::Chat,
        purpose: Purpose::Decide,
        stream: chat,
        errors: &["openai", "compatible"],
        event: |error| format!("data: {error}\n\n"),
        wrong_types: &[
            (
                "data: {\"choices\":[{\"delta\":{\"content\":7},\"finish_reason\":\"stop\"}]}\n\n",
                Ok(""),
            ),
            ("data: {\"choices\":7}\n\n", Err(ErrorKind::BadReply)),
            ("data: {\"choices\":[7]}\n\n", Err(ErrorKind::BadReply)),
            ("data: {\"choices\":[{\"delta\":[]}]}\n\n", Err(ErrorKind::BadReply)),
            (
                "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":7}]}\n\n",
                Err(ErrorKind::BadReply),
            ),
        ],
    },
    Dialect {
        name: "responses",
        vendor: Vendor::OpenAi,
        api: OpenAiApi::Responses,
        purpose: Purpose::Decide,
        stream: responses,
        errors: &["openai"],
        event: |error| {
            let mut error = error["error"].clone();
            error["type"] = json!("error");
            format!("event: error\ndata: {error}\n\n")
        },
        wrong_types: &[
            (
                "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[7]}}\n\n",
                Ok(""),
            ),
            ("data: {\"type\":7}\n\n", Err(ErrorKind::BadReply)),
            (
                "data: {\"type\":\"response.completed\",\"response\":7}\n\n",
                Err(ErrorKind::BadReply),
            ),
            (
                "data: {\"type\":\"response.output_text.delta\",\"delta\":{}}\n\n",
                Err(ErrorKind::BadReply),
            ),
            ("data: {\"type\":\"response.completed\"}\n\n", Err(ErrorKind::BadReply)),
        ],
    },
    Dialect {
        name: "anthropic",
        vendor: Vendor::Anthropic,
        api: OpenAiApi::Chat,
        purpose: Purpose::Decide,
        stream: anthropic,
        errors: &["anthropic"],
        event: |error| format!("event: error\ndata: {error}\n\n"),
        wrong_types: &[
            (
                "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":7}],\"stop_reason\":\"end_turn\"}",
                Ok(""),
            ),
            ("data: {\"type\":7}\n\n", Err(ErrorKind::BadReply)),
            ("data: {\"type\":\"message_start\",\"message\":7}\n\n", Err(ErrorKind::BadReply)),
            (
                "data: {\"type\":\"content_block_delta\",\"index\":\"x\"}\n\n",
                Err(ErrorKind::BadReply),
            ),
            ("{\"type\":\"message\",\"content\":\"x\"}", Err(ErrorKind::BadReply)),
        ],
    },
    Dialect {
        name: "gemini",
        vendor: Vendor::Gemini,
        api: OpenAiApi::Chat,
        purpose: Purpose::Decide,
        stream: gemini,
        errors: &["gemini"],
        event: |error| format!("data: {error}\r\n\r\n"),
        wrong_types: &[
            (
                "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":7}]},\"finishReason\":\"STOP\"}]}\n\n",
                Ok(""),
            ),
            ("data: {\"candidates\":7}\n\n", Err(ErrorKind::BadReply)),
            ("data: {\"candidates\":[7]}\n\n", Err(ErrorKind::BadReply)),
            ("data: {\"candidates\":[{\"content\":{\"parts\":{}}}]}\n\n", Err(ErrorKind::BadReply)),
            ("data: {\"candidates\":[{\"finishReason\":7}]}\n\n", Err(ErrorKind::BadReply)),
        ],
    },
    Dialect {
        name: "ollama",
        vendor: Vendor::Ollama,
        api: OpenAiApi::Chat,
        purpose: Purpose::Decide,
        stream: |said| {
            ollama(said, |text, call| {
                let mut message = json!({"role": "assistant", "content": text});
                if let Some((name, arguments)) = call {
                    let arguments = serde_json::from_str(arguments).unwrap_or(json!(arguments));
                    message["tool_calls"] =
                        json!([{"function": {"name": name, "arguments": arguments}}]);
                }
                json!({"model": "m", "message": message, "done": false})
            })
        },
        errors: &["ollama"],
        event: |error| format!("{error}\n"),
        wrong_types: &[
            ("{\"message\":{\"content\":null},\"done\":true}\n", Ok("")),
            ("{\"message\":7,\"done\":true}\n", Err(ErrorKind::BadReply)),
            ("{\"message\":{\"content\":7},\"done\":true}\n", Err(ErrorKind::BadReply)),
            ("{\"message\":{\"content\":\"x\"},\"done\":7}\n", Err(ErrorKind::BadReply)),
            ("{\"message\":{\"tool_calls\":{}},\"done\":true}\n", Err(ErrorKind::BadReply)),
        ],
    },
    Dialect {
        name: "generate",
        vendor: Vendor::Ollama,
        api: OpenAiApi::Chat,
        purpose: Purpose::Plan,
        stream: |said| {
            ollama(said, |text, _| json!({"model": "m", "response": text, "done": false}))
        },
        errors: &["ollama"],
        event: |error| format!("{error}\n"),
        wrong_types: &[
            ("{\"response\":null,\"done\":true}\n", Ok("")),
            ("{\"response\":7,\"done\":true}\n", Err(ErrorKind::BadReply)),
            ("{\"response\":\"x\",\"done\":\"yes\"}\n", Err(ErrorKind::BadReply)),
            ("{\"response\":\"x\",\"done\":true,\"eval_count\":\"9\"}\n", Err(ErrorKind::BadReply)),
            ("7\n", Err(ErrorKind::BadReply)),
        ],
    },
];
