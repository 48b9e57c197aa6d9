//! Asking at the terminal.

use std::fs::File;

use agent_core::{
    ChangeKind,
    approval::{Answer, Approver, BoxFuture, Question, What},
};

use super::{Paint, Style, diff, harmless, laid_out, say, screen_width, tty::Keyboard};

/// Ctrl-C and Ctrl-D, as keys.
const INTERRUPT: char = '\u{3}';
const END: char = '\u{4}';

/// Asks on the terminal: what is asked goes to standard error, the answer comes from the terminal
/// itself, so that data may be piped in meanwhile.
#[derive(Debug)]
pub(crate) struct AskAtTerminal {
    keyboard: Keyboard,
    by: By,
    style: Style,
}

/// How an answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// By one key.
    Key,
    /// By a line.
    Line,
}

impl AskAtTerminal {
    pub(crate) fn new(terminal: File, by: By, style: Style) -> Self {
        Self { keyboard: Keyboard::of(terminal), by, style }
    }

    async fn ask(&self, question: &Question) -> Answer {
        say(&shown(question, self.style, screen_width()));
        let answer = match self.by {
            By::Key => self.by_key(question).await,
            By::Line => self.by_line(question).await,
        };
        match &answer {
            Answer::Reject(reason) if reason.is_empty() => {
                say("Why not, or what instead? (goes to the model; Enter for nothing) ");
                let reason = self.keyboard.line().await.unwrap_or_default();
                Answer::Reject(reason.trim().to_owned())
            }
            Answer::Once
            | Answer::Always(_)
            | Answer::Each
            | Answer::Reject(_)
            | Answer::Cancel => answer,
        }
    }

    async fn by_key(&self, question: &Question) -> Answer {
        say(&self.style.paint(Paint::Bold, &choices(question)));
        loop {
            let answer = match self.keyboard.key().await {
                None | Some(INTERRUPT | END) => Some(Answer::Cancel),
                Some(key) => understood(&key.to_string(), question),
            };
            let Some(answer) = answer else { continue };
            say(match answer {
                Answer::Once => "yes\n",
                Answer::Always(_) => "yes, always\n",
                Answer::Each => "one by one\n",
                Answer::Reject(_) => "no\n",
                Answer::Cancel => "the end\n",
            });
            return answer;
        }
    }

    async fn by_line(&self, question: &Question) -> Answer {
        loop {
            say(&self.style.paint(Paint::Bold, &choices(question)));
            let Some(line) = self.keyboard.line().await else { return Answer::Cancel };
            if let Some(answer) = understood(&line, question) {
                return answer;
            }
        }
    }
}

impl Approver for AskAtTerminal {
    fn approve<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer> {
        Box::pin(self.ask(question))
    }
}

/// The question, its words in lines that are so wide.
fn shown(question: &Question, style: Style, width: usize) -> String {
    let fitted = |text: &str| laid_out(text, width);
    let mut text = match &question.what {
        What::Changes(changes) => changes
            .iter()
            .map(|change| match change.diff.as_str() {
                // What is no text has no diff.
                "" => format!("{} {}\n", verb(change.kind), harmless(&change.file)),
                change => diff(change, style),
            })
            .collect(),
        What::Command(line) => format!("$ {}\n", style.paint(Paint::Bold, &harmless(line))),
        What::Other(words) => format!("{}\n", fitted(&harmless(words))),
    };
    let why = format!("asked because {} [{}]", harmless(&question.why), harmless(&question.rule));
    text.push_str(&style.paint(Paint::Dim, &fitted(&why)));
    text.push('\n');
    let mut ways = String::new();
    if question.calls > 1 {
        ways += &format!("  s = ask about each of the {} by itself\n", question.calls);
    }
    for (index, scope) in question.scopes.iter().enumerate() {
        ways += &format!("  {} = yes to {}\n", key(index), harmless(&scope.to_string()));
    }
    text + &fitted(&ways)
}

/// What can be typed.
fn choices(question: &Question) -> String {
    let what = match question.what {
        What::Changes(_) if question.calls > 1 => "Make all these changes?",
        What::Changes(_) => "Make this change?",
        What::Command(_) => "Run this command?",
        What::Other(_) => "Do this?",
    };
    let always: String =
        (0..question.scopes.len()).map(|index| format!("/{}", key(index))).collect();
    let each = if question.calls > 1 { "/s" } else { "" };
    format!("{what} [y/n{each}{always}/q] ")
}

fn verb(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Create => "create",
        ChangeKind::Edit => "change",
        ChangeKind::Delete => "delete",
    }
}

/// The key of a scope: `a` for the first, `r` for the next.
fn key(index: usize) -> char {
    if index == 0 { 'a' } else { 'r' }
}

/// What a line means: a letter or a word, and behind a no the reason.
fn understood(line: &str, question: &Question) -> Option<Answer> {
    let scopes = question.scopes.len();
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match word.to_lowercase().as_str() {
        "y" | "yes" | "o" | "once" => Some(Answer::Once),
        "a" | "always" if scopes > 0 => Some(Answer::Always(0)),
        "r" | "rest" if scopes > 1 => Some(Answer::Always(1)),
        "s" | "single" | "each" if question.calls > 1 => Some(Answer::Each),
        "n" | "no" => Some(Answer::Reject(rest.trim().to_owned())),
        "q" | "quit" | "c" | "cancel" => Some(Answer::Cancel),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use agent_core::{
        approval::{Keep, Scope},
        policy::{Rule, Source, Verdict},
    };

    use super::*;

    fn question(command: &str) -> Question {
        Question {
            tool: "run_command".to_owned(),
            what: What::Command(command.to_owned()),
            why: "nobody has permitted this command".to_owned(),
            rule: "commands (built in)".to_owned(),
            scopes: Vec::new(),
            calls: 1,
        }
    }

    #[test]
    fn an_answer_is_understood_or_asked_for_again() {
        let no = |reason: &str| Some(Answer::Reject(reason.to_owned()));
        let scope = Scope { rule: Rule::any(Verdict::Allow, Source::Answer), keep: Keep::Run };
        for (line, scopes, expected) in [
            ("y\n", 0, Some(Answer::Once)),
            (" YES \n", 2, Some(Answer::Once)),
            ("a", 1, Some(Answer::Always(0))),
            ("always", 2, Some(Answer::Always(0))),
            ("a", 0, None),
            ("r", 1, None),
            ("r", 2, Some(Answer::Always(1))),
            ("n", 0, no("")),
            ("n use tabs, please\n", 0, no("use tabs, please")),
            ("q", 0, Some(Answer::Cancel)),
            ("", 0, None),
            ("\n", 2, None),
            ("maybe", 2, None),
            ("ya", 2, None),
        ] {
            let question = Question { scopes: vec![scope.clone(); scopes], ..question("") };
            assert_eq!(understood(line, &question), expected, "{line:?}");
        }
        let several = Question { calls: 2, ..question("") };
        assert_eq!(understood("s", &several), Some(Answer::Each));
        assert_eq!(understood("s", &question("")), None);
        assert!(
            shown(&several, Style::Plain, 80)
                .ends_with("  s = ask about each of the 2 by itself\n")
        );
        assert_eq!(choices(&several), "Run this command? [y/n/s/q] ");
    }

    #[test]
    fn a_question_shows_what_why_and_what_always_means() {
        let question = question("rm x\u{1b}[2J");
        assert_eq!(
            shown(&question, Style::Plain, 40),
            "$ rm x␛[2J\nasked because nobody has permitted this\ncommand [commands (built in)]\n"
        );
        assert_eq!(choices(&question), "Run this command? [y/n/q] ");
    }
}
