//! One run of a client against the scripted server, and what it took.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use super::{
    client::{CallForm, Client, Place},
    process::{self, Used},
};
use crate::{
    Failure,
    loopback::{Answer, Asked, Call, Care, Exchange, Loopback, Said},
    text,
};

/// What the model has a client do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    /// Answer at once.
    Answer,
    /// Read so many times.
    Read(usize),
    /// Edit so many times.
    Edit(usize),
}

/// What a run took.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// From the start of the process to its first request.
    pub(super) start: Duration,
    /// From each reply's last byte to the next request's, the tool in between.
    pub(super) turns: Vec<Duration>,
    /// From the last reply to the end of the process.
    pub(super) teardown: Duration,
    /// Bytes of the first request, and of all.
    pub(super) first: usize,
    pub(super) sent: usize,
    /// How much of a request the next one begins with.
    pub(super) shared: f64,
    /// Memory and processor time until the last reply.
    pub(super) used: Option<Used>,
}

impl Job {
    fn calls(self) -> usize {
        match self {
            Self::Answer => 0,
            Self::Read(calls) | Self::Edit(calls) => calls,
        }
    }

    /// What is asked for. Whoever only asks a question may find that nothing is changed for it.
    fn task(self) -> &'static str {
        match self {
            Self::Answer | Self::Read(_) => "Read on.",
            Self::Edit(_) => "Change a.txt, a line after the other.",
        }
    }

    /// Whether a file was read or edited as it was to be.
    fn is_done(self, text: &str) -> bool {
        match self {
            Self::Answer | Self::Read(_) => true,
            Self::Edit(edits) => text.contains(&format!("turn {edits}\n")),
        }
    }

    /// The call of a turn, from 1; none where the model has an answer.
    fn call(self, client: &Client, turn: usize) -> Option<Call> {
        let form = match self {
            Self::Answer => None,
            Self::Read(calls) => (turn <= calls).then_some(&client.read),
            Self::Edit(calls) => client.edit.as_ref().filter(|_| turn <= calls),
        };
        form.map(|form| form.call(turn))
    }
}

impl CallForm {
    fn call(&self, turn: usize) -> Call {
        let (line, number) = ((turn % 20 + 1).to_string(), turn.to_string());
        let arguments = self.arguments.replace("{line}", &line).replace("{turn}", &number);
        Call { id: format!("call_{turn}"), name: self.name.clone(), arguments }
    }
}

/// Runs `client`, which is `agent` where it is this program.
pub(super) fn run(client: &Client, agent: &Path, job: Job) -> Result<Course, Failure> {
    let place = Place::new()?;
    let process = Arc::new(AtomicU32::new(0));
    let used = Arc::new(Mutex::new(None));
    let care = if client.strict { Care::Strict } else { Care::Lenient };
    let model = model(client.clone(), job, &process, &used);
    let server = Loopback::with_care(client.dialect(), care, model).map_err(text)?;
    let begun = Instant::now();
    let child = client.start(agent, &server.base_url(), &place, job.task())?;
    process.store(child.id(), Ordering::SeqCst);
    let output = child.wait_with_output().map_err(text)?;
    let ended = Instant::now();
    let seen = server.stop();
    let name = &client.name;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{name} ended with {}: {said}", output.status));
    }
    if !seen.problems.is_empty() {
        return Err(format!("{name}: {}", seen.problems.join("\n")));
    }
    let exchanges = &seen.exchanges;
    let (Some(first), Some(last)) = (exchanges.first(), exchanges.last()) else {
        return Err(format!("{name} has sent no request"));
    };
    if exchanges.len() <= job.calls() {
        return Err(format!("{name} has sent {} requests", exchanges.len()));
    }
    if !job.is_done(&place.text()?) {
        return Err(format!("{name} has not made the edits"));
    }
    let overhead = |pair: &[Exchange]| pair[1].asked.saturating_duration_since(pair[0].answered);
    let sent: usize = exchanges.iter().map(|exchange| exchange.bytes).sum();
    let before = (sent - last.bytes).max(1);
    let shared: usize = exchanges.iter().map(|exchange| exchange.shared).sum();
    let used = *used.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Course {
        start: first.asked.saturating_duration_since(begun),
        turns: exchanges.windows(2).map(overhead).collect(),
        teardown: ended.saturating_duration_since(last.answered),
        first: first.bytes,
        sent,
        shared: shared as f64 / before as f64,
        used,
    })
}

/// What the model says. Before its last word it looks at what the client has used by then.
fn model(
    client: Client,
    job: Job,
    process: &Arc<AtomicU32>,
    used: &Arc<Mutex<Option<Used>>>,
) -> crate::loopback::Model {
    let (process, used) = (Arc::clone(process), Arc::clone(used));
    let mut turn = 0;
    Box::new(move |asked: &Asked| {
        // Some agents have a model word a title, beside the work.
        let works = asked.tools.as_array().is_some_and(|tools| !tools.is_empty());
        turn += usize::from(works);
        let call = works.then(|| job.call(&client, turn)).flatten();
        if works && call.is_none() {
            let sample = process::used(process.load(Ordering::SeqCst));
            *used.lock().unwrap_or_else(PoisonError::into_inner) = sample;
        }
        let text = if call.is_some() { String::new() } else { "All done.".to_owned() };
        let calls = call.into_iter().collect();
        Ok(Answer::Whole(Said { text, calls, usage: [100, 0, 10], ..Said::default() }))
    })
}
