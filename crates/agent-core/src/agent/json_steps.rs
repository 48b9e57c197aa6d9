//! A request in JSON decisions: what each step may decide, and what is still open.

use agent_llm::Part;
use serde_json::{Map, Value};

use crate::{
    Action, Approval, Cx, Toolbox, history,
    policy::{Decider, is_test},
    protocol::{self, AboutTests, Files, Offer, Shown, WHOLE_FILE, Wish},
    session::Note,
};

/// A request of so many bytes asks for one thing.
const PLAIN_REQUEST: usize = 300;

/// A file of so many bytes can be written anew as a whole.
const SMALL_FILE: usize = 3_000;

/// So many edits in a row that failed, and there is no further one: what did not come right by
/// then does not.
const MOST_FAILED: usize = 2;

/// A request that is worked on by JSON decisions.
pub(super) struct JsonSteps {
    task: String,
    pub(super) wish: Wish,
    pub(super) files: Files,
    /// The tests stay as they are.
    keeps_tests: bool,
    /// What was decided already, so that it is not decided again.
    decided: Vec<(String, Value)>,
}

impl JsonSteps {
    pub(super) fn new(task: &str, files: Files) -> Self {
        let keeps_tests = AboutTests::of(task).keeps(task, &files);
        let wish = Wish::of(task);
        Self { task: task.to_owned(), wish, files, keeps_tests, decided: Vec::new() }
    }

    /// Whether the request is about the code, and its tests stay as they are.
    pub(super) fn keeps_tests(&self) -> bool {
        self.keeps_tests
    }

    fn may_change(&self, path: &str) -> bool {
        !(self.keeps_tests && is_test(path))
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
    pub(super) fn offer(
        &self,
        cx: &Cx,
        toolbox: &Toolbox,
        approval: Approval,
        history: &[Action],
    ) -> Offer {
        let writes = approval != Approval::Plan && self.wish != Wish::Answer;
        let removes = writes && protocol::removes(&self.task);
        let known = self.known(history);
        let mut offer = Offer::default();
        let open = self.open(cx, history);
        let has_edited = history.iter().any(is_edit);
        // A plain request is done with what it names; the model would only make it worse.
        let is_done = has_edited && open.is_empty() && self.task.len() <= PLAIN_REQUEST;
        if is_done || failed_in_a_row(history) >= MOST_FAILED {
            offer.tools.push("finish");
            return offer;
        }
        let changeable = known.iter().filter(|path| writes && self.may_change(path));
        let outlines = changeable.filter_map(|path| {
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
            let may_go = self.files.named.iter().filter(|path| self.may_change(path));
            offer.delete = may_go.filter(is_there).cloned().collect();
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
        // An edit that failed is no reason to stop while there is another to be tried.
        let has_tried = history.iter().any(|action| {
            !looks(action) && (action.succeeded() || !history::is_edit(&action.tool))
        });
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
        let named = named.iter().filter(|one| !holds(one)).map(|one| (*one).clone()).collect();
        protocol::plainly_named(&self.task, named)
    }

    /// Files that the request names and that are as they were.
    pub(super) fn open(&self, cx: &Cx, history: &[Action]) -> Vec<String> {
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
            .filter(|path| !edited.contains(&path.as_str()) && self.may_change(path))
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
    pub(super) fn known(&self, history: &[Action]) -> Vec<String> {
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
    pub(super) fn show(&mut self, paths: &[String]) {
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
                // The user's words alone: the model's own may say the opposite.
                params.insert("instructions".to_owned(), Value::from(self.task.as_str()));
                call.arguments = Value::Object(params).to_string();
            }
        }
        None
    }

    /// Whether the files that are shown are all that a question needs.
    pub(super) fn can_answer(&self) -> bool {
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

/// Edits that failed behind the last one that did not.
fn failed_in_a_row(history: &[Action]) -> usize {
    let edits = history.iter().rev().filter(|action| history::is_edit(&action.tool));
    let failed = edits.take_while(|action| !action.succeeded());
    failed.filter(|action| !is_kept_test(action)).count()
}

/// Whether it was refused since tests stay as they are.
pub(super) fn is_kept_test(action: &Action) -> bool {
    let rule = action.result.get("rule").and_then(Value::as_str);
    rule.is_some_and(|rule| rule == Decider::Tests.to_string())
}

pub(super) fn is_edit(action: &Action) -> bool {
    let writes = matches!(
        action.tool.as_str(),
        "edit_file" | "apply_patch" | "create_file" | "delete_file" | "undo"
    );
    writes && action.succeeded()
}
