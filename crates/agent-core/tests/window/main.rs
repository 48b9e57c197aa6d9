//! A thousand turns in a small window: every request fits, and loses nothing that it must not.
#![expect(clippy::expect_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the workspace lies in a scratch directory")]

mod cut;

use std::{
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use agent_core::{
    Agent, Cancel, Event, EventSink, Journal, Outcome, Report, Sessions, Settings, Silent,
    recording::{Export, Recording, Replayed, Stage, TreeKind, export, replay},
    session::Past,
};
use agent_llm::{
    Delta, DeltaStream, Error, ErrorKind, FinishReason, Message, Part, Provider, Purpose, Request,
    Usage, check,
};
use agent_tools::{Workspace, sha256};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};

const WINDOW: u64 = 32_000;
const TURNS: usize = 1000;
const TASK: &str = "Read everything, and keep in mind: \"the bytes of this request\" stay.";
const RULES: &str = "Always answer in verse.\n\n- 2 spaces, no tabs\n";

/// A model that reads on and on, and holds each request against what must be true of it.
struct Reader {
    turns: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    turn: usize,
    problems: Vec<String>,
    summaries: usize,
    /// The messages of every request that asked for a decision.
    asked: Vec<Vec<Arc<Message>>>,
}

/// As a tokenizer would count that the estimate knows nothing of.
fn tokens(request: &Request) -> u64 {
    let tools: usize =
        request.tools.iter().map(|tool| tool.parameters.to_string().len() + 200).sum();
    let words: usize = request.messages.iter().map(|message| text(message).len() + 20).sum();
    ((tools + words) as f64 / 2.6) as u64
}

fn text(message: &Message) -> String {
    match message {
        Message::System(text) | Message::User(text) => text.clone(),
        Message::Tool(result) => result.content.clone(),
        Message::Assistant(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Call(call) => format!("{} {}", call.name, call.arguments),
                Part::Opaque(_) => String::new(),
            })
            .collect(),
    }
}

/// The call of a turn.
fn call(turn: usize) -> (&'static str, Value) {
    match turn % 100 {
        30 => ("read_file", json!({ "target_file": format!("missing-{turn}.txt") })),
        60 => (
            "create_file",
            json!({ "target_file": format!("note-{turn}.txt"), "content": note(turn) }),
        ),
        _ => {
            let start = turn % 390 + 1;
            (
                "read_file",
                json!({ "target_file": "long.txt", "start_line": start, "end_line": start + 400 }),
            )
        }
    }
}

fn note(turn: usize) -> String {
    format!("noted in turn {turn}\n")
}

impl Seen {
    fn hold(&mut self, request: &Request) {
        let turn = self.turn;
        let mut wrong = check::problems(request);
        let size = tokens(request);
        if size > WINDOW {
            wrong.push(format!("{size} tokens"));
        }
        let texts: Vec<String> = request.messages.iter().map(|message| text(message)).collect();
        let all = texts.join("\n");
        if !texts[0].contains(RULES.trim()) {
            wrong.push("the project's rules are gone".to_owned());
        }
        if !texts.iter().any(|text| text.starts_with(TASK)) {
            wrong.push("the request is gone".to_owned());
        }
        for before in 1..turn {
            match before % 100 {
                30 if !all.contains(&format!("missing-{before}.txt")) => {
                    wrong.push(format!("the failure of turn {before} is forgotten"));
                }
                60 => {
                    let hash = sha256(note(before).as_bytes());
                    let told = format!("note-{before}.txt (created), sha256 {hash}");
                    let shown = all.contains(&format!("\"note-{before}.txt\""));
                    if !all.contains(&told) && !shown {
                        wrong.push(format!("the file of turn {before} is forgotten"));
                    }
                }
                _ => {}
            }
        }
        self.problems.extend(wrong.into_iter().map(|what| format!("turn {turn}: {what}")));
    }
}

impl Provider for Reader {
    fn model(&self) -> &str {
        "test/reader"
    }

    fn send(&self, request: Request) -> DeltaStream {
        let mut seen = self.seen.lock().expect("no panic");
        if request.purpose == Purpose::Summary {
            seen.summaries += 1;
            let problems = check::problems(&request);
            seen.problems.extend(problems);
            // Every other one can't be had.
            if seen.summaries.is_multiple_of(2) {
                let error = Error::new(ErrorKind::BadReply, "test", "no summary today");
                return stream::iter([Err(error)]).boxed();
            }
            let words = Delta::Text("I have read much.".to_owned());
            return stream::iter([Ok(words), Ok(Delta::Finish(FinishReason::Stop))]).boxed();
        }
        seen.turn += 1;
        seen.hold(&request);
        seen.asked.push(request.messages.clone());
        let usage = Usage {
            input_tokens: tokens(&request),
            cached_tokens: 0,
            output_tokens: 40,
            ..Usage::default()
        };
        let turn = seen.turn;
        let deltas = if turn > self.turns {
            vec![Delta::Text("All read.".to_owned()), Delta::Finish(FinishReason::Stop)]
        } else {
            let (name, arguments) = call(turn);
            vec![
                Delta::CallStart { index: 0, id: None, name: name.to_owned() },
                Delta::CallArguments { index: 0, fragment: arguments.to_string() },
                Delta::Finish(FinishReason::ToolCalls),
            ]
        };
        let usage = stream::iter([Ok(Delta::Usage(usage))]);
        usage.chain(stream::iter(deltas.into_iter().map(Ok))).boxed()
    }
}

/// Counts how often the conversation was shortened.
#[derive(Default)]
struct Shortened(Mutex<Vec<usize>>);

impl EventSink for Shortened {
    fn emit(&self, event: &Event) {
        if let Event::Compacted { left_out, .. } = event {
            self.0.lock().expect("no panic").push(*left_out);
        }
    }
}

fn reader(turns: usize, turn: usize) -> Arc<Reader> {
    Arc::new(Reader { turns, seen: Mutex::new(Seen { turn, ..Seen::default() }) })
}

fn agent(dir: &Path, reader: &Arc<Reader>, sink: Arc<dyn EventSink>) -> Agent {
    let workspace = Arc::new(Workspace::open(dir).expect("a workspace"));
    let window = u32::try_from(WINDOW).ok();
    let settings = Settings { max_turns: 2000, window, ..Settings::default() };
    Agent::new(workspace, Arc::clone(reader) as _, settings, sink)
}

fn workspace() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let line = "fn line_of_code(number: usize) -> Result<(), Error>;\n";
    fs::write(dir.path().join("long.txt"), line.repeat(800)).expect("a file");
    fs::write(dir.path().join("AGENTS.md"), RULES).expect("a file");
    dir
}

fn finished(report: &Report, reader: &Reader) {
    let seen = reader.seen.lock().expect("no panic");
    assert_eq!(seen.problems, Vec::<String>::new());
    assert_eq!(report.outcome, Outcome::Finished, "{:?}", report.error);
}

#[tokio::test]
async fn a_thousand_turns_fit_and_so_does_whatever_is_resumed() {
    let (dir, state) = (workspace(), tempfile::tempdir().expect("a directory"));
    let sessions = Arc::new(Sessions::at(Some(state.path().to_owned())));
    let (model, sink) = (reader(TURNS, 0), Arc::new(Shortened::default()));
    let agent_ = agent(dir.path(), &model, Arc::clone(&sink) as _).keeping(Arc::clone(&sessions));
    let report = agent_.run(TASK, &Cancel::new()).await;
    finished(&report, &model);
    assert_eq!(report.turns as usize, TURNS + 1);
    let shortened = std::mem::take(&mut *sink.0.lock().expect("no panic"));
    let digests = shortened.iter().filter(|left_out| **left_out > 0).count();
    assert!(digests > 5 && digests < TURNS / 10, "{digests} of {}", shortened.len());

    // From the notes alone the same is shown, wherever they end.
    let summary = sessions.list(None).expect("a list").remove(0);
    let notes = sessions.notes(&summary.id).expect("notes");
    let replies: Vec<usize> = (0..notes.len())
        .filter(|&at| serde_json::to_value(&notes[at]).is_ok_and(|note| note["note"] == "replied"))
        .collect();
    assert_eq!(replies.len(), TURNS + 1);
    // Right before a reply, and right after a conversation was shortened for a request.
    let compacted = (0..notes.len())
        .filter(|&at| {
            serde_json::to_value(&notes[at]).is_ok_and(|note| note["note"] == "compacted")
        })
        .map(|at| (replies.iter().filter(|reply| **reply < at).count(), at + 1));
    let cuts: Vec<(usize, usize)> = compacted
        .step_by(18)
        .chain((1..TURNS).step_by(298).map(|turn| (turn, replies[turn])))
        .collect();
    assert!(cuts.len() > 4, "{cuts:?}");
    for (turn, end) in cuts {
        let again = reader(turn + 1, turn);
        let past = Past::of(summary.clone(), &notes[..end]);
        let report = agent(dir.path(), &again, Arc::new(Shortened::default()))
            .resume(past, None, &Cancel::new())
            .await;
        finished(&report, &again);
        let (before, after) =
            (model.seen.lock().expect("no panic"), again.seen.lock().expect("no panic"));
        let sent = &before.asked[turn];
        assert_eq!(after.asked[0][..sent.len()], sent[..], "turn {turn}");
    }
}

#[tokio::test]
async fn a_session_that_was_shortened_is_run_again_to_the_byte() {
    const TURNS: usize = 70;
    let (dir, state) = (workspace(), tempfile::tempdir().expect("a directory"));
    let directory = Some(state.path().to_owned());
    let sessions = Arc::new(Sessions::at(directory.clone()));
    let journal = Arc::new(Journal::at(directory));
    let (model, sink) = (reader(TURNS, 0), Arc::new(Shortened::default()));
    let agent = agent(dir.path(), &model, Arc::clone(&sink) as _);
    let agent = agent.keeping(Arc::clone(&sessions)).journaled(Arc::clone(&journal));
    let report = agent.run(TASK, &Cancel::new()).await;
    finished(&report, &model);
    let shortened = std::mem::take(&mut *sink.0.lock().expect("no panic"));
    let digests = shortened.iter().filter(|left_out| **left_out > 0).count();
    assert!(digests > 1, "{shortened:?}");
    assert!(model.seen.lock().expect("no panic").summaries > 1);

    let notes = sessions.notes(&report.session_id).expect("notes");
    let opened = Workspace::open(dir.path()).expect("a workspace");
    let exported = export(&Export {
        session: &report.session_id,
        notes: &notes,
        journal: &journal,
        workspace: Some(&opened),
        tree: TreeKind::Touched,
        redactor: &agent_core::Redactor::default(),
    });
    let (lines, _) = exported.expect("a recording");
    let recording = Recording::read(lines.join("\n").as_bytes()).expect("a recording");
    let scratch = tempfile::tempdir().expect("a directory");
    let place = scratch.path().join("workspace");
    fs::create_dir(&place).expect("a directory");
    let stage = Stage {
        workspace: Arc::new(Workspace::open(&place).expect("a workspace")),
        journal: Arc::new(Journal::at(Some(scratch.path().join("state")))),
        sink: Arc::new(Silent),
    };
    let replayed = replay(&recording, &stage).await.expect("it is run");
    let (steps, calls) = (TURNS as u32 + 1, TURNS);
    // What is said of a missing file depends on files that nobody has read.
    assert_eq!(replayed, Replayed { steps, calls, answered: 1, divergence: None });
}

/// A model whose server knows of a smaller window than everybody else.
struct Small(Mutex<(usize, Vec<u64>)>);

impl Provider for Small {
    fn model(&self) -> &str {
        "test/small"
    }

    fn send(&self, request: Request) -> DeltaStream {
        let mut state = self.0.lock().expect("no panic");
        let size = tokens(&request);
        state.1.push(size);
        if size > 12_000 {
            let text = format!("maximum context length is 12000 tokens, you sent {size}");
            return stream::iter([Err(Error::new(ErrorKind::ContextTooLong, "t", text))]).boxed();
        }
        if request.purpose == Purpose::Summary {
            let words = Ok(Delta::Text("Much was read.".to_owned()));
            return stream::iter([words, Ok(Delta::Finish(FinishReason::Stop))]).boxed();
        }
        state.0 += 1;
        let deltas = if state.0 > 12 {
            vec![Delta::Text("Done.".to_owned()), Delta::Finish(FinishReason::Stop)]
        } else {
            let (name, arguments) = call(state.0);
            vec![
                Delta::CallStart { index: 0, id: None, name: name.to_owned() },
                Delta::CallArguments { index: 0, fragment: arguments.to_string() },
                Delta::Finish(FinishReason::ToolCalls),
            ]
        };
        stream::iter(deltas.into_iter().map(Ok)).boxed()
    }
}

#[tokio::test]
async fn an_error_lowers_the_window_once_and_the_turn_goes_on() {
    let dir = workspace();
    let small = Arc::new(Small(Mutex::default()));
    let workspace = Arc::new(Workspace::open(dir.path()).expect("a workspace"));
    let settings = Settings { window: Some(32_000), ..Settings::default() };
    let sink = Arc::new(Shortened::default());
    let agent = Agent::new(workspace, Arc::clone(&small) as _, settings, sink);
    let report = agent.run(TASK, &Cancel::new()).await;
    assert_eq!(report.outcome, Outcome::Finished, "{:?}", report.error);
    let sizes = small.0.lock().expect("no panic").1.clone();
    let refused = sizes.iter().filter(|size| **size > 12_000).count();
    assert!((1..=2).contains(&refused), "{sizes:?}");
}
