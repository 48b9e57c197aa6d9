//! A model server on the loopback interface, for tests and benchmarks.
//!
//! It speaks the vendors' wire formats, streaming, as they document them, and asks a [`Model`] what
//! to say. It holds every request against the vendors' rules and against the requests before it,
//! and keeps what is wrong for [`Loopback::stop`].

mod anthropic;
mod conversation;
mod exchange;
mod gemini;
mod http;
mod ollama;
mod openai;
mod responses;

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::Value;

/// The wire formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `POST /v1/chat/completions`, server-sent events.
    OpenAi,
    /// `POST /v1/responses`, server-sent events.
    Responses,
    /// `POST /v1/messages`, server-sent events.
    Anthropic,
    /// `POST /v1beta/models/…:streamGenerateContent`, server-sent events.
    Gemini,
    /// `POST /api/chat` and `/api/generate`, JSON lines.
    Ollama,
}

/// What the agent calls a model for, as far as the wire shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Tools are on offer and may be called.
    Decide,
    /// No tool is on offer.
    EditPlan,
    /// Tools are there, so that the prompt's prefix holds, and must not be called.
    Response,
}

/// A request as the model sees it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// What it is for; [`None`] where the dialect can't tell.
    pub(crate) purpose: Option<Purpose>,
    /// The conversation, in the form of OpenAI's chat completions or of Ollama's.
    pub(crate) messages: Vec<Value>,
    /// The tools on offer, likewise.
    pub(crate) tools: Value,
}

/// What the model says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    /// Words.
    pub(crate) text: String,
    /// Tool calls.
    pub(crate) calls: Vec<Call>,
    /// Why it stops, in OpenAI's word where that is neither `stop` nor `tool_calls`.
    pub(crate) finish: Option<String>,
    /// Tokens of the prompt, those of them that a cache held, and tokens of the reply.
    pub(crate) usage: [u64; 3],
}

/// A tool call.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// Pairs the call with its result, where the dialect has ids.
    pub(crate) id: String,
    /// The tool.
    pub(crate) name: String,
    /// The arguments as JSON text.
    pub(crate) arguments: String,
}

/// How the server answers a request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// With a reply, streamed to its end.
    Whole(Said),
    /// With a reply whose stream is cut after so many bytes.
    Cut(Said, usize),
    /// With a reply, after so long a silence.
    Late(Said, Duration),
    /// With something else.
    Other {
        /// The HTTP status.
        status: u16,
        /// Headers beside the length and type of the body.
        headers: Vec<(String, String)>,
        /// The body, sent in one piece.
        body: String,
    },
}

/// Decides what the server answers. An error is a request that the test does not expect: it is
/// kept for [`Loopback::stop`] and answered with a status that no client repeats.
pub(crate) type Model = Box<dyn FnMut(&Asked) -> Result<Answer, String> + Send>;

/// When a request had arrived completely and its answer was on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange {
    /// The request's last byte is here.
    pub(crate) asked: Instant,
    /// The answer's last byte is written.
    pub(crate) answered: Instant,
    /// The request's size.
    pub(crate) bytes: usize,
    /// With how many of the bytes of the request before it begins.
    pub(crate) shared: usize,
}

/// A running server. Dropping it stops it.
pub(crate) struct Loopback {
    address: SocketAddr,
    dialect: Dialect,
    state: Arc<State>,
    acceptor: Option<JoinHandle<()>>,
}

/// How closely requests are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// What breaks a vendor's rules is refused as the vendor would, or noted.
    Strict,
    /// A request is only looked at for its tools: another program speaks, as its authors meant it.
    Lenient,
}

/// What the connections share.
struct State {
    dialect: Dialect,
    care: Care,
    stopping: AtomicBool,
    course: Mutex<Course>,
}

/// How the run went so far.
struct Course {
    model: Model,
    conversation: conversation::Conversation,
    exchanges: Vec<Exchange>,
    /// The body of the last request.
    last: Vec<u8>,
    problems: Vec<String>,
}

/// What was seen by a server that has stopped.
#[derive(Debug)]
pub(crate) struct Seen {
    /// The times of every chat request.
    pub(crate) exchanges: Vec<Exchange>,
    /// What was wrong with requests, in order.
    pub(crate) problems: Vec<String>,
}

impl Loopback {
    /// Starts a server on a free port.
    pub(crate) fn start(dialect: Dialect, model: Model) -> std::io::Result<Self> {
        Self::with_care(dialect, Care::Strict, model)
    }

    /// Starts a server on a free port that looks at requests so closely.
    pub(crate) fn with_care(dialect: Dialect, care: Care, model: Model) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State {
            dialect,
            care,
            stopping: AtomicBool::new(false),
            course: Mutex::new(Course {
                model,
                conversation: conversation::Conversation::default(),
                exchanges: Vec::new(),
                last: Vec::new(),
                problems: Vec::new(),
            }),
        });
        let shared = Arc::clone(&state);
        let acceptor = thread::spawn(move || accept(&listener, &shared));
        Ok(Self { address, dialect, state, acceptor: Some(acceptor) })
    }

    /// The base URL that a client of the dialect is configured with.
    pub(crate) fn base_url(&self) -> String {
        match self.dialect {
            Dialect::OpenAi | Dialect::Responses => format!("http://{}/v1", self.address),
            Dialect::Anthropic | Dialect::Gemini | Dialect::Ollama => {
                format!("http://{}", self.address)
            }
        }
    }

    /// Stops the server and tells what it saw.
    pub(crate) fn stop(mut self) -> Seen {
        self.close();
        let mut course = self.state.course();
        Seen {
            exchanges: std::mem::take(&mut course.exchanges),
            problems: std::mem::take(&mut course.problems),
        }
    }

    fn close(&mut self) {
        let Some(acceptor) = self.acceptor.take() else { return };
        self.state.stopping.store(true, Ordering::SeqCst);
        // The acceptor waits for a connection; this one tells it to look at the flag.
        drop(TcpStream::connect(self.address));
        drop(acceptor.join());
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.close();
    }
}

impl State {
    fn course(&self) -> MutexGuard<'_, Course> {
        self.course.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves every connection on a thread of its own. Those threads end when the client hangs up.
fn accept(listener: &TcpListener, state: &Arc<State>) {
    for stream in listener.incoming() {
        if state.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let state = Arc::clone(state);
        thread::spawn(move || {
            // A client may break off at any time; what it leaves undone shows in the script.
            drop(exchange::serve(stream, &state));
        });
    }
}
