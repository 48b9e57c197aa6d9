//! Conversations, key by key.

use std::process::Command;

use super::{
    Kind, On, Terminal,
    driver::{ALT_ENTER, CTRL_C, CTRL_D, ENTER, TAB, UP},
    edit, from, place, slow, text,
};

pub(super) fn an_answer_is_laid_out_and_the_next_request_goes_on(on: On) {
    let place = place();
    let first = text("# Title\n\nSome **bold** words and `code`.\n\n- one\n- two\n");
    let chat = Terminal::chat(&place, Kind::of(on), &[first, text("Again.")], &[]);
    chat.line("tell me");
    chat.sees("finished");
    let screen = chat.prompt();
    assert_eq!(
        from(&screen, "> tell me"),
        [
            "> tell me",
            "",
            "Title",
            "",
            "Some bold words and code.",
            "",
            "- one",
            "- two",
            "",
            "finished",
            ">"
        ]
    );
    assert!(chat.written().contains("\u{1b}[1mTitle\u{1b}[0m"), "it is painted");
    chat.line("again");
    chat.sees("Again.");
    chat.prompt();
    chat.keys(CTRL_D);
    assert_eq!(chat.ends().0, 0);
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    assert_eq!(sessions["sessions"][0]["requests"], 2);
}

pub(super) fn one_key_approves_a_change_that_is_shown_as_a_diff(on: On) {
    let place = place();
    let replies = [edit("one", "two"), text("Done.")];
    let chat = Terminal::chat(&place, Kind::of(on), &replies, &[]);
    chat.line("change it");
    chat.sees("[y/n/a/r/q]");
    assert_eq!(place.read("work/a.txt"), "one\n", "nothing is done before the answer");
    chat.keys("x");
    chat.keys("y");
    let screen = chat.sees("Done.");
    assert_eq!(
        from(&screen, "› apply_patch")[..11],
        [
            "› apply_patch  a.txt",
            "--- a/a.txt",
            "+++ b/a.txt",
            "@@ -1 +1 @@",
            "-one",
            "+two",
            "asked because it changes a file of the workspace [edits (built in)]",
            "  a = yes to every change of a.txt, in this workspace from now on",
            "  r = yes to every change of a file, until this run ends",
            "Make this change? [y/n/a/r/q] yes",
            "  +1 -1",
        ]
    );
    assert!(chat.written().contains("\u{1b}[31m-one\u{1b}[0m"), "the diff has colours");
    assert_eq!(place.read("work/a.txt"), "two\n");
}

pub(super) fn a_no_takes_a_reason_for_the_model(on: On) {
    let place = place();
    let replies = [edit("one", "two"), text("As you say.")];
    let chat = Terminal::chat(&place, Kind::of(on), &replies, &[]);
    chat.line("change it");
    chat.sees("[y/n/a/r/q]");
    chat.keys("n");
    chat.sees("Why not");
    chat.keys("no twos");
    chat.sees("no twos");
    chat.keys(ENTER);
    chat.sees("failed: not done: the user said no: no twos");
    chat.sees("As you say.");
    chat.prompt();
    assert_eq!(place.read("work/a.txt"), "one\n");
    // The next line is the editor's again, from its first character.
    chat.keys("abc");
    chat.sees("> abc");
}

pub(super) fn always_asks_no_more(on: On) {
    let place = place();
    let replies = [edit("one", "two"), edit("two", "three"), text("Done.")];
    let chat = Terminal::chat(&place, Kind::of(on), &replies, &[]);
    chat.line("change it twice");
    chat.sees("[y/n/a/r/q]");
    chat.keys("a");
    let screen = chat.sees("Done.");
    assert_eq!(screen.matches("Make this change?").count(), 1, "{screen}");
    assert!(screen.contains("yes, always"), "{screen}");
    assert_eq!(place.read("work/a.txt"), "three\n");
}

pub(super) fn a_key_ends_the_request_instead_of_an_answer(on: On) {
    for key in ["q", CTRL_C] {
        let place = place();
        let chat = Terminal::chat(&place, Kind::of(on), &[edit("one", "two"), text("No.")], &[]);
        chat.line("change it");
        chat.sees("[y/n/a/r/q]");
        chat.keys(key);
        chat.sees("you were asked, and ended the run");
        chat.prompt();
        assert_eq!(place.read("work/a.txt"), "one\n");
    }
}

pub(super) fn control_c_ends_a_request_and_the_chat_goes_on(on: On) {
    let place = place();
    let chat = Terminal::chat(&place, Kind::of(on), &[slow(), text("Back.")], &[]);
    chat.line("wait");
    // By then the model was asked: who is interrupted before leaves the first reply to the next.
    chat.sees("2 s thinking");
    chat.keys(CTRL_C);
    chat.sees("stopped: what was done so far stays");
    let screen = chat.prompt();
    assert!(!screen.contains("thinking"), "nothing is left of the last line:\n{screen}");
    chat.line("and now?");
    chat.sees("Back.");
}

pub(super) fn control_c_clears_the_line_and_leaves_at_the_second_time(on: On) {
    let place = place();
    let chat = Terminal::chat(&place, Kind::of(on), &[], &[]);
    chat.keys("half a line");
    chat.sees("half a line");
    chat.keys(CTRL_C);
    chat.sees("Ctrl-C again leaves");
    chat.prompt();
    chat.keys(CTRL_C);
    assert_eq!(chat.ends().0, 0);
}

pub(super) fn a_change_is_taken_back_and_made_again(on: On) {
    let place = place();
    let replies = [edit("one", "two"), text("Done.")];
    let chat = Terminal::chat(&place, Kind::of(on), &replies, &["--approval", "edits"]);
    chat.line("change it");
    chat.sees("changed a.txt");
    chat.prompt();
    chat.line("/undo");
    chat.sees("undone: change 1, apply_patch a.txt +1 -1");
    assert_eq!(place.read("work/a.txt"), "one\n");
    chat.prompt();
    chat.line("/redo");
    chat.sees("redone:");
    assert_eq!(place.read("work/a.txt"), "two\n");
    chat.prompt();
    chat.line("/undo 0");
    chat.sees("takes a whole number from 1");
}

pub(super) fn an_unknown_command_names_the_nearest(on: On) {
    let place = place();
    let chat = Terminal::chat(&place, Kind::of(on), &[], &[]);
    chat.line("/halp");
    chat.sees("did you mean `/help`?");
    chat.prompt();
    chat.line("/help");
    let screen = chat.sees("Alt-Enter begins one");
    for command in ["/undo [N]", "/model [NAME]", "/quit", "!CMD"] {
        assert!(screen.contains(command), "{command}:\n{screen}");
    }
    chat.prompt();
    chat.line("/quit");
    assert_eq!(chat.ends().0, 0);
}

pub(super) fn a_past_session_is_gone_on_with(on: On) {
    let place = place();
    let chat = Terminal::chat(&place, Kind::of(on), &[text("First.")], &[]);
    chat.line("the first request");
    chat.sees("First.");
    chat.prompt();
    chat.keys(CTRL_D);
    assert_eq!(chat.ends().0, 0);
    let chat = Terminal::chat(&place, Kind::of(on), &[text("Second.")], &["--continue"]);
    assert!(chat.screen().contains("session 0"), "{}", chat.screen());
    chat.line("the second");
    chat.sees("Second.");
    chat.prompt();
    // What was typed before comes back, from the session before this one too.
    chat.keys(UP);
    chat.sees("> the second");
    chat.keys(UP);
    chat.until("the first request", |screen| screen.ends_with("> the first request"));
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1));
}

pub(super) fn lines_go_on_and_names_are_completed(on: On) {
    let place = place();
    place.write("work/src/parser.rs", "\n");
    let chat = Terminal::chat(&place, Kind::of(on), &[text("Read.")], &[]);
    chat.keys("see @prs");
    chat.keys(TAB);
    chat.sees("@src/parser.rs");
    chat.keys(ALT_ENTER);
    chat.keys("second line\\");
    chat.keys(ENTER);
    chat.keys("third");
    chat.sees("third");
    chat.keys(ENTER);
    chat.sees("Read.");
    chat.prompt();
    chat.keys("/sess");
    chat.keys(TAB);
    chat.sees("> /sessions");
    chat.keys(ENTER);
    chat.sees("see `src/parser.rs`");
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    assert_eq!(sessions["sessions"][0]["task"], "see `src/parser.rs`\nsecond line\nthird");
}

pub(super) fn a_command_runs_and_the_model_sees_what_it_printed(on: On) {
    let place = place();
    let chat = Terminal::chat(&place, Kind::of(on), &[text("I see.")], &[]);
    chat.line("!echo printed; exit 3");
    let screen = chat.sees("exit code 3");
    assert!(screen.lines().any(|line| line == "printed"), "{screen}");
    chat.prompt();
    chat.line("why?");
    chat.sees("I see.");
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    let task = sessions["sessions"][0]["task"].as_str().unwrap_or_default();
    assert!(task.starts_with("I ran `echo printed; exit 3` (exit code 3):"), "{task}");
}

pub(super) fn a_narrow_screen_is_not_left(on: On) {
    let place = place();
    let kind = Kind { columns: 30, ..Kind::of(on) };
    let words = text(
        "These words are to be wrapped where the screen ends.\n\n| a | b |\n|---|---|\n\
                      | a very long cell indeed | another |\n",
    );
    let chat = Terminal::chat(&place, kind, &[words, slow()], &[]);
    chat.line("go");
    chat.sees("finished");
    let screen = chat.prompt();
    assert!(screen.contains("These words are to be wrapped\nwhere the screen ends."), "{screen}");
    assert!(screen.contains("- a: a very long cell indeed\n  b: another"), "{screen}");
    chat.line("/help");
    chat.sees("and twice the program.");
    let screen = chat.prompt();
    let keys = "completes it. A line that ends\nin \\ goes on in the next, and";
    assert!(screen.contains(keys), "{screen}");
    chat.line("wait");
    let screen = chat.sees("thinking");
    let status = screen.lines().last().unwrap_or_default();
    assert!(status.chars().count() <= 30, "{status:?}");
}

pub(super) fn without_colour_there_is_no_colour(on: On) {
    let place = place();
    let kind = Kind { no_colour: true, ..Kind::of(on) };
    let replies = [edit("one", "two"), text("**Done** with `a.txt`.")];
    let chat = Terminal::chat(&place, kind, &replies, &[]);
    chat.line("change it");
    chat.sees("[y/n/a/r/q]");
    chat.keys("y");
    chat.sees("**Done** with `a.txt`.");
    let written = chat.written();
    let colours = (30..=49).chain(90..=107).find(|code| {
        written.contains(&format!("\u{1b}[{code}m")) || written.contains(&format!(";{code}m"))
    });
    assert_eq!(colours, None, "{written:?}");
}

pub(super) fn on_a_dumb_terminal_nothing_moves(on: On) {
    let place = place();
    let kind = Kind { term: "dumb", ..Kind::of(on) };
    let chat = Terminal::chat(&place, kind, &[edit("one", "two"), text("Done.")], &[]);
    chat.line("change it");
    chat.sees("[y/n/a/r/q]");
    chat.keys("y");
    chat.keys(ENTER);
    chat.sees("Done.");
    assert_eq!(place.read("work/a.txt"), "two\n");
    chat.prompt();
    let written = chat.written();
    assert!(!written.contains('\u{1b}'), "{written:?}");
    chat.keys(CTRL_D);
    assert_eq!(chat.ends().0, 0);
}

pub(super) fn what_the_model_says_does_not_steer_the_terminal(on: On) {
    let place = place();
    let evil = "title \u{1b}]0;pwned\u{7} and \u{1b}[2J gone";
    let chat = Terminal::chat(&place, Kind::of(on), &[text(evil)], &[]);
    chat.line("speak");
    let screen = chat.sees("gone");
    assert!(screen.contains("title ␛]0;pwned␇ and ␛[2J gone"), "{screen}");
    assert!(!chat.written().contains("\u{1b}]0;"), "no escape of the model's comes through");
}

pub(super) fn a_signal_to_end_ends_it_and_leaves_the_terminal_as_it_was(on: On) {
    for (signal, asked) in [("TERM", false), ("HUP", false), ("TERM", true)] {
        let place = place();
        let chat = Terminal::chat(&place, Kind::of(on), &[slow()], &[]);
        if asked {
            chat.line("wait");
            chat.sees("thinking");
        }
        let sent = Command::new("kill").args(["-s", signal, &chat.id().to_string()]).status();
        assert!(sent.expect("`kill` runs").success());
        let (code, screen) = chat.ends();
        assert_eq!(code, 143, "{signal}:\n{screen}");
        assert!(screen.contains("agent chat --continue"), "{screen}");
    }
}

pub(super) fn a_run_at_a_terminal_asks_by_lines(on: On) {
    let place = place();
    let model = place.script(&[edit("one", "two"), text("Done.")]);
    let run = Terminal::start(&place, Kind::of(on), &["run", "-m", &model, "change it"]);
    run.sees("[y/n/a/r/q]");
    run.keys("maybe\r");
    run.until("the question again", |screen| screen.matches("[y/n/a/r/q]").count() == 2);
    run.keys("yes\r");
    run.sees("Done.");
    assert_eq!(run.ends().0, 0);
    assert_eq!(place.read("work/a.txt"), "two\n");
}

pub(super) fn a_decision_in_json_is_not_shown_as_it_came(on: On) {
    let place = place();
    place.write("home/.config/agent/config.toml", "protocol = \"json\"\nplanner = \"off\"\n");
    let reply = r#"{"reason": "All is said.", "action": "finish", "params": {"response": "It is **so**."}, "confidence": 0.9}"#;
    let chat = Terminal::chat(&place, Kind::of(on), &[text(reply)], &[]);
    chat.line("make it so");
    chat.sees("finished");
    let screen = chat.prompt();
    assert!(screen.contains("\nIt is so.\n"), "{screen}");
    assert!(!screen.contains("confidence"), "{screen}");
}
