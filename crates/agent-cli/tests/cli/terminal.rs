//! Sessions at a terminal, with what stands on the screen. Each is held twice: with a terminal of the
//! system's and a model of its screen, and in tmux, where that is installed.

mod driver;
mod pty;
mod sessions;
mod tmux;
mod waiting;

use serde_json::{Value, json};

use crate::support::{Place, call};
use driver::Terminal;
pub(crate) use driver::{Kind, On};
pub(crate) use pty::Pty;

/// A test for each session and each kind of terminal.
macro_rules! sessions {
    ($($file:ident: $($name:ident),*;)*) => {
        mod on_a_pty {
            $($(#[test] fn $name() { super::$file::$name(super::On::Pty); })*)*
        }

        mod in_tmux {
            $($(#[test] fn $name() {
                if super::tmux::is_installed(stringify!($name)) {
                    super::$file::$name(super::On::Tmux);
                }
            })*)*
        }
    };
}

sessions! {
    sessions: an_answer_is_laid_out_and_the_next_request_goes_on,
        one_key_approves_a_change_that_is_shown_as_a_diff,
        a_no_takes_a_reason_for_the_model,
        always_asks_no_more,
        a_key_ends_the_request_instead_of_an_answer,
        a_decision_in_json_is_not_shown_as_it_came,
        control_c_ends_a_request_and_the_chat_goes_on,
        control_c_clears_the_line_and_leaves_at_the_second_time,
        a_change_is_taken_back_and_made_again,
        an_unknown_command_names_the_nearest,
        a_past_session_is_gone_on_with,
        lines_go_on_and_names_are_completed,
        a_command_runs_and_the_model_sees_what_it_printed,
        a_narrow_screen_is_not_left,
        without_colour_there_is_no_colour,
        on_a_dumb_terminal_nothing_moves,
        what_the_model_says_does_not_steer_the_terminal,
        a_signal_to_end_ends_it_and_leaves_the_terminal_as_it_was,
        a_run_at_a_terminal_asks_by_lines;
    waiting: a_retry_is_counted_down,
        tests_that_take_long_are_named_while_they_run,
        a_command_that_takes_long_is_named_while_it_runs,
        a_search_in_a_big_tree_is_named_while_it_runs,
        what_comes_after_a_resize_fits_the_new_size;
}

fn text(words: &str) -> Value {
    json!({ "purpose": "decide", "text": words })
}

/// A change of `a.txt`.
fn edit(old: &str, new: &str) -> Value {
    call(
        "apply_patch",
        &json!({ "path": "a.txt", "edits": [{ "line": 1, "old": old, "new": new }] }),
    )
}

fn slow() -> Value {
    json!({ "purpose": "decide", "text": "x", "fault": { "stall_ms": 600_000 } })
}

/// A place with the file that is changed.
fn place() -> Place {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    place
}

/// The lines of the screen from the one that begins with `first`, without times.
fn from(screen: &str, first: &str) -> Vec<String> {
    let lines = screen.lines().skip_while(|line| !line.starts_with(first));
    let untimed = |line: &str| match line.split_once(" · ") {
        Some((what, _)) => what.to_owned(),
        None => line.to_owned(),
    };
    lines.map(untimed).collect()
}
