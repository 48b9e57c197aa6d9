//! Whatever takes long says so in the last line, with the time; and the screen may change its size
//! meanwhile.

use serde_json::json;

use super::{Kind, On, Terminal, driver::CTRL_C, edit, place, slow, text};
use crate::support::{call, server};

/// The last line of the screen.
fn last(screen: &str) -> &str {
    screen.lines().last().unwrap_or_default()
}

pub(super) fn a_retry_is_counted_down(on: On) {
    let place = place();
    let url = server("429 Too Many Requests\r\nretry-after: 60", "{}") + "/v1";
    let arguments = ["chat", "-m", "openai/m", "--base-url", &url];
    let chat = Terminal::start(&place, Kind::of(on), &arguments);
    chat.prompt();
    chat.line("go");
    let screen =
        chat.until("the time until the next try", |screen| last(screen).ends_with("until try 2"));
    let seconds = |screen: &str| {
        let time = last(screen).split_whitespace().nth(1).map(str::to_owned);
        time.and_then(|time| time.trim_end_matches('s').parse::<f64>().ok())
    };
    let first = seconds(&screen);
    assert!(first.is_some_and(|first| first <= 60.0), "{screen}");
    chat.until("less time", |screen| seconds(screen) < first);
    chat.keys(CTRL_C);
    let screen = chat.sees("stopped: what was done so far stays");
    assert!(screen.contains("429"), "it says why it waited:\n{screen}");
}

pub(super) fn tests_that_take_long_are_named_while_they_run(on: On) {
    let place = place();
    let replies = [edit("one", "two"), text("Done.")];
    let arguments = ["--approval", "edits", "--sandbox", "off", "--test", "sleep 600"];
    let chat = Terminal::chat(&place, Kind::of(on), &replies, &arguments);
    chat.line("change it");
    chat.until("the tests", |screen| last(screen).contains("testing: sleep 600"));
    chat.keys(CTRL_C);
    chat.sees("stopped: what was done so far stays");
    chat.prompt();
}

pub(super) fn a_command_that_takes_long_is_named_while_it_runs(on: On) {
    let place = place();
    let sleep = call("run_command", &json!({ "command": "sleep 600", "explanation": "Wait" }));
    let arguments = ["--approval", "all", "--sandbox", "off"];
    let chat = Terminal::chat(&place, Kind::of(on), &[sleep, text("Done.")], &arguments);
    chat.line("wait for it");
    chat.until("the command", |screen| last(screen).contains("run_command sleep 600"));
    chat.keys(CTRL_C);
    chat.sees("stopped: what was done so far stays");
    chat.prompt();
}

pub(super) fn a_search_in_a_big_tree_is_named_while_it_runs(on: On) {
    let place = place();
    let line = "nothing of the kind that is looked for stands in this line of text\n";
    let file = line.repeat(600);
    for number in 0..1500 {
        place.write(&format!("work/big/{}/{number}.txt", number % 40), &file);
    }
    // It has to look at every line, since the pattern has no letters to look for first.
    let search = json!({ "query": "(\\w+\\s){30}[0-9]{4}", "explanation": "Look" });
    let replies = [call("grep_search", &search), text("Nothing.")];
    let chat = Terminal::chat(&place, Kind::of(on), &replies, &[]);
    chat.line("search it");
    chat.sees("Nothing.");
    chat.prompt();
    // The line is gone by now; that it was there is in what was written: `⠙ 0.3 s grep_search …`.
    let written = chat.written();
    assert!(written.contains("s\u{1b}[0m grep_search ("), "{written:?}");
}

pub(super) fn what_comes_after_a_resize_fits_the_new_size(on: On) {
    let place = place();
    let again = "Less room is left for these words, and so they are wrapped earlier.";
    let words = "These words are to be wrapped where the screen ends, wherever that is by now.";
    let chat = Terminal::chat(&place, Kind::of(on), &[text(words), text(again), slow()], &[]);
    chat.line("go");
    chat.sees("by now.");
    let screen = chat.prompt();
    assert!(screen.contains(words), "{screen}");
    chat.resize(50, 32);
    chat.line("again");
    chat.sees("earlier.");
    let screen = chat.prompt();
    let wrapped = "Less room is left for these\nwords, and so they are wrapped\nearlier.";
    assert!(screen.contains(wrapped), "{screen}");
    // Also while something is waited for.
    chat.line("wait");
    chat.sees("thinking");
    chat.resize(50, 20);
    chat.until("a shorter line", |screen| {
        last(screen).contains("think") && last(screen).chars().count() <= 20
    });
    chat.keys(CTRL_C);
    chat.sees("stopped:");
}
