//! Steps of the JSON protocol: what each is asked, and what follows from it.

use std::sync::Arc;

use agent_llm::{Message, Part, Purpose, Request, ToolChoice};
use serde_json::{Map, Value};

use super::run::Run;
use crate::{
    Action, Approval, Cx, Toolbox, prompt,
    protocol::{self, Files, Offer, Shown, WHOLE_FILE, Wish},
    session::Note,
};

/// A request of so many bytes asks for one thing.
const PLAIN_REQUEST: usize = 300;

/// A file of so many bytes can be written anew as a whole.
const SMALL_FILE: usize = 3_000;

/// A request that is worked on by JSON decisions.
pub(super) struct JsonSteps {
    task: String,
    pub(super) wish: Wish,
    files: Files,
    /// What was decided already, so that it is not decided again.
    decided: Vec<(String, Value)>,
}

impl JsonSteps {
    pub(super) fn new(task: &str, files: Files) -> Self {
        Self { task: task.to_owned(), wish: Wish::of(task), files, decided: Vec::new() }
    }

    /// The first message to the model.
    pub(super) fn message(&self) -> String {
        self.files.message(&self.task)
    }

    /// What was seen of the workspace for it.
    pub(super) fn looked(&self) -> Note {
        Note::Looked(Box::new(self.files.clone()))
    }

    /// What a step may decide.
    fn offer(&self, cx: &Cx, toolbox: &Toolbox, approval: Approval, history: &[Action]) -> Offer {
        let writes = approval != Approval::Plan && self.wish != Wish::Answer;
        let removes = writes && protocol::removes(&self.task);
        let known = self.known(history);
        let mut offer = Offer::default();
        let open = self.open(cx, history);
        let has_edited = history.iter().any(is_edit);
        // A plain request is done with what it names; the model would only make it worse.
        if has_edited && open.is_empty() && self.task.len() <= PLAIN_REQUEST {
            offer.tools.push("finish");
            return offer;
        }
        let outlines = known.iter().filter(|_| writes).filter_map(|path| {
            let text = protocol::text(&cx.workspace, path)?;
            let all = agent_tools::definition::outline(path, &text);
            Some((path, text.len(), all.into_iter().map(|(name, _)| name).collect::<Vec<_>>()))
        });
        let outlines: Vec<(&String, usize, Vec<String>)> = outlines.collect();
        for (path, size, names) in &outlines {
            let named = self.named_definitions(path, names);
            if removes && !named.is_empty() {
                offer.remove.push(((*path).clone(), named.clone()));
            }
            let mut names = if named.is_empty() { names.clone() } else { named };
            if names.is_empty()
                || *size <= SMALL_FILE && self.named_definitions(path, &names).is_empty()
            {
                names.push(WHOLE_FILE.to_owned());
            }
            names.retain(|name| !self.was_decided("edit_file", path, Some(name)));
            if names.is_empty() && *size <= SMALL_FILE && !has_edited {
                names.push(WHOLE_FILE.to_owned());
                names.retain(|name| !self.was_decided("edit_file", path, Some(name)));
            }
            let is_open = !has_edited || open.is_empty() || open.contains(path);
            if !names.is_empty() && is_open {
                offer.edit.push(((*path).clone(), names));
            }
        }
        let mut unread = found(history);
        unread.extend(
            self.files
                .paths
                .iter()
                .filter(|path| !unread.contains(path))
                .cloned()
                .collect::<Vec<_>>(),
        );
        unread.retain(|path| !known.contains(path) && !self.was_decided("read_file", path, None));
        offer.read = unread;
        if removes && offer.remove.is_empty() {
            let is_there = |path: &&String| {
                cx.workspace.resolve(path).is_ok_and(|at| cx.workspace.kind(&at).is_ok())
            };
            offer.delete = self.files.named.iter().filter(is_there).cloned().collect();
        }
        if !offer.read.is_empty() {
            offer.tools.push("grep_search");
        }
        let task = self.task.to_lowercase();
        let speaks_of = |words: &[&str]| words.iter().any(|word| protocol::has_word(&task, word));
        if writes && (self.names_a_new_file() || speaks_of(&["create"])) {
            offer.tools.push("create_file");
        }
        if writes && toolbox.resolve("run_command").is_ok() && speaks_of(&["run", "execute"]) {
            offer.tools.push("run_command");
        }
        let looks = |action: &Action| matches!(action.tool.as_str(), "read_file" | "grep_search");
        let has_tried = history.iter().any(|action| !looks(action));
        let can_do = !offer.edit.is_empty() || !offer.read.is_empty() || !offer.tools.is_empty();
        if self.wish != Wish::Change || has_tried || !writes || !can_do {
            offer.tools.push("finish");
        }
        offer
    }

    /// The definitions that the request names, without those that only hold another such.
    fn named_definitions(&self, path: &str, names: &[String]) -> Vec<String> {
        let task = protocol::without_files(&self.task, path);
        let last = |name: &str| {
            let name = name.split(':').next().unwrap_or_default();
            name.rsplit('.').next().unwrap_or_default().to_owned()
        };
        let named: Vec<&String> =
            names.iter().filter(|name| protocol::has_word(&task, &last(name))).collect();
        let holds = |one: &String| named.iter().any(|other| other.starts_with(&format!("{one}.")));
        named.iter().filter(|one| !holds(one)).map(|one| (*one).clone()).collect()
    }

    /// Files that the request names and that are as they were.
    fn open(&self, cx: &Cx, history: &[Action]) -> Vec<String> {
        let edited: Vec<&str> = history
            .iter()
            .filter(|action| is_edit(action))
            .filter_map(|action| action.params.get("target_file")?.as_str())
            .collect();
        let is_there = |path: &&String| protocol::text(&cx.workspace, path).is_some();
        let mut open: Vec<String> = self
            .files
            .named
            .iter()
            .filter(is_there)
            .filter(|path| !edited.contains(&path.as_str()) && !path.contains("test"))
            .cloned()
            .collect();
        for term in self.files.quoted.iter().filter(|_| protocol::lets_names_go(&self.task)) {
            // What an edit took away in one file may still be used in another.
            let gone = history.iter().filter(|action| is_edit(action)).any(|action| {
                let diff = action.result.get("diff").and_then(Value::as_str).unwrap_or_default();
                let has = |sign: char| {
                    let lines = diff.lines().filter(|line| line.starts_with(sign));
                    lines.into_iter().any(|line| protocol::has_word(line, term))
                };
                has('-') && !has('+')
            });
            let holds = |path: &&String| {
                let text = protocol::text(&cx.workspace, path);
                text.is_some_and(|text| protocol::has_word(&text, term))
            };
            for path in self.files.paths.iter().filter(|_| gone).filter(holds) {
                if !open.contains(path) {
                    open.push(path.clone());
                }
            }
        }
        open
    }

    /// The files whose text the model has seen.
    fn known(&self, history: &[Action]) -> Vec<String> {
        let mut known: Vec<String> =
            self.files.shown.iter().map(|file| file.path.clone()).collect();
        let read = history.iter().filter(|action| action.succeeded());
        for path in read.filter_map(|action| action.params.get("target_file")?.as_str()) {
            if !known.iter().any(|other| other == path) {
                known.push(path.to_owned());
            }
        }
        known
    }

    /// Takes note of files that the model is shown from now on.
    fn show(&mut self, paths: &[String]) {
        for path in paths {
            if !self.files.shown.iter().any(|file| file.path == *path) {
                self.files.shown.push(Shown { path: path.clone(), text: String::new() });
            }
        }
    }

    fn was_decided(&self, tool: &str, path: &str, definition: Option<&str>) -> bool {
        let same = |(name, params): &&(String, Value)| {
            name == tool
                && params.get("target_file").and_then(Value::as_str) == Some(path)
                && params.get("definition").and_then(Value::as_str) == definition
        };
        self.decided.iter().filter(same).count() > 0
    }

    fn names_a_new_file(&self) -> bool {
        let words = self.task.split(|c: char| c.is_whitespace() || "`'\",;:()".contains(c));
        words.map(|word| word.trim_end_matches('.')).any(|word| {
            let is_file = word.rsplit_once('.').is_some_and(|(stem, extension)| {
                !stem.is_empty()
                    && (1..=5).contains(&extension.len())
                    && extension.chars().all(char::is_alphanumeric)
                    && extension.chars().any(char::is_alphabetic)
            });
            is_file
                && !self
                    .files
                    .paths
                    .iter()
                    .any(|path| path == word || path.ends_with(&format!("/{word}")))
        })
    }

    /// Takes note of the decisions of a reply, and puts the request into edits. A decision that was
    /// made before is refused.
    pub(super) fn admit(&mut self, parts: &mut [Part]) -> Option<String> {
        for part in parts {
            let Part::Call(call) = part else { continue };
            let mut params: Map<String, Value> = serde_json::from_str(&call.arguments).ok()?;
            let mut plain = params.clone();
            ["reason", "confidence", "explanation"]
                .iter()
                .for_each(|key| drop(plain.shift_remove(*key)));
            let decision = (call.name.clone(), Value::Object(plain));
            if self.decided.contains(&decision) && call.name != "finish" {
                return Some(format!(
                    "you decided exactly this before ({}), and its result stands above. Decide \
                     something else, or finish.",
                    call.name
                ));
            }
            self.decided.push(decision);
            if params.contains_key("definition") {
                let reason = params.get("reason").and_then(Value::as_str).unwrap_or_default();
                let instructions = format!("{}\n({reason})", self.task);
                params.insert("instructions".to_owned(), Value::from(instructions));
                call.arguments = Value::Object(params).to_string();
            }
        }
        None
    }

    /// Whether the files that are shown are all that a question needs.
    fn can_answer(&self) -> bool {
        let is_shown = |path: &String| self.files.shown.iter().any(|file| file.path == *path);
        self.wish == Wish::Answer
            && !self.files.shown.is_empty()
            && (self.files.paths.iter().all(is_shown) || !self.files.named.is_empty())
            && self.files.named.iter().all(is_shown)
    }
}

/// Files that a search has found, each once.
fn found(history: &[Action]) -> Vec<String> {
    let searches = history.iter().filter(|action| action.tool == "grep_search");
    let matches = searches.filter_map(|action| action.result.get("matches")?.as_array()).flatten();
    let mut found: Vec<String> = Vec::new();
    for path in matches.filter_map(|one| one.get("file")?.as_str()) {
        if !found.iter().any(|other| other == path) {
            found.push(path.to_owned());
        }
    }
    found
}

fn is_edit(action: &Action) -> bool {
    let writes = matches!(
        action.tool.as_str(),
        "edit_file" | "apply_patch" | "create_file" | "delete_file" | "undo"
    );
    writes && action.succeeded()
}

impl Run<'_> {
    /// The request of a step whose decision is JSON, over the whole conversation.
    pub(super) fn json_request(&self, purpose: Purpose) -> Request {
        let messages = self.fold.conversation.messages();
        match &self.json {
            Some(steps) => self.json_request_of(steps, purpose, &messages),
            None => Request::new(purpose, messages),
        }
    }

    /// The same over these messages.
    pub(super) fn json_request_of(
        &self,
        steps: &JsonSteps,
        purpose: Purpose,
        asked: &[Arc<Message>],
    ) -> Request {
        let Self { agent, cx, fold, .. } = self;
        let approval = agent.settings.approval;
        let messages = protocol::plain(asked);
        if steps.can_answer() && fold.history.is_empty() {
            return Request {
                max_output_tokens: Some(500),
                ..Request::new(purpose, answering(messages, asked))
            };
        }
        let offer = steps.offer(cx, &agent.toolbox, approval, &fold.history);
        Request {
            output: Some(offer.schema()),
            tool_choice: ToolChoice::None,
            max_output_tokens: Some(700),
            ..Request::new(purpose, messages)
        }
    }

    /// Says what of the request is still open after the actions behind the first `before` of the
    /// history.
    pub(super) fn json_follow_up(&mut self, before: usize) {
        let Some(steps) = &self.json else { return };
        let new = self.fold.history.get(before..).unwrap_or_default();
        if !new.iter().any(is_edit) {
            return;
        }
        let open = steps.open(&self.cx, &self.fold.history);
        let known = steps.known(&self.fold.history);
        let mut words = match open.is_empty() {
            true => "If the request is done, finish: say what was changed.".to_owned(),
            false => format!("Still to be looked at for this request: {}.", open.join(", ")),
        };
        for path in open.iter().filter(|path| !known.contains(path)) {
            if let Some(text) = protocol::text(&self.cx.workspace, path) {
                words.push_str(&format!("\n\n{path}:\n```\n{text}```"));
            }
        }
        if let Some(steps) = &mut self.json {
            steps.show(&open);
        }
        let words = self.agent.redactor.clean(&words).into_owned();
        self.say(words);
    }

    /// What tools that ask the model themselves go on from.
    pub(super) fn share_conversation(&mut self) {
        if self.json.is_some() {
            self.cx.conversation = protocol::plain(&self.fold.conversation.messages());
        }
    }
}

/// The same messages for an answer in words.
fn answering(mut messages: Vec<Arc<Message>>, asked: &[Arc<Message>]) -> Vec<Arc<Message>> {
    if let (Some(first), Some(Message::System(system))) =
        (messages.first_mut(), asked.first().map(|message| &**message))
    {
        *first = Arc::new(Message::System(protocol::standing(prompt::ANSWER, system)));
    }
    messages
}
