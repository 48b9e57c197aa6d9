//! The terminal session that the README shows: `agent demo`, run at a terminal, as a picture.

use std::fmt::Write;

use vt100::{Cell, Color, Screen};

use super::compare;
use crate::{
    support::Place,
    terminal::{Kind, On, Pty},
};

/// Of a character and of a line, in pixels.
const WIDTH: f64 = 7.8;
const HEIGHT: f64 = 18.0;
const MARGIN: f64 = 14.0;

/// Wide enough that no line with a time in it is broken: where, would depend on the time.
const COLUMNS: u16 = 130;

#[test]
fn the_demonstration_as_a_picture() {
    let place = Place::new();
    let kind = Kind { columns: COLUMNS, rows: 120, ..Kind::of(On::Pty) };
    let mut demo = Pty::start(&place, kind, &["demo", "--dir", "shop"]);
    assert_eq!(demo.end(), 0);
    let screen = demo.snapshot();
    let home = place.path("work").display().to_string();
    compare("docs/demo.svg", &picture(&screen, &home));
}

/// The screen as an SVG, without the empty lines at its end. `home` is shown as `~`.
fn picture(screen: &Screen, home: &str) -> String {
    let lines: Vec<Vec<Span>> =
        (0..screen.size().0.get()).map(|row| spans(screen, row, home)).collect();
    let used = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let width = f64::from(COLUMNS) * WIDTH + 2.0 * MARGIN;
    let height = used as f64 * HEIGHT + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"agent demo in a \
         terminal\">\n<style>text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, \
         'DejaVu Sans Mono', monospace; fill: #d4d4d4; white-space: pre }} .b {{ font-weight: bold }} \
         .d {{ opacity: 0.65 }} .red {{ fill: #f27878 }} .green {{ fill: #86c166 }} .yellow {{ fill: \
         #e0b050 }} .cyan {{ fill: #62c1cf }}</style>\n<rect width=\"100%\" height=\"100%\" \
         rx=\"8\" fill=\"#1c1e22\"/>\n"
    );
    for (row, line) in lines.iter().take(used).enumerate() {
        let y = MARGIN + row as f64 * HEIGHT + 13.0;
        for span in line {
            let x = MARGIN + span.column as f64 * WIDTH;
            let length = span.text.chars().count() as f64 * WIDTH;
            let class = match span.class.as_str() {
                "" => String::new(),
                class => format!(" class=\"{class}\""),
            };
            let text = escaped(&span.text);
            writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\"{class}>{text}</text>"
            )
            .expect("text");
        }
    }
    svg + "</svg>\n"
}

/// Characters that look the same, side by side.
struct Span {
    column: usize,
    class: String,
    text: String,
}

fn spans(screen: &Screen, row: u16, home: &str) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for column in 0..COLUMNS {
        let Some(cell) = screen.cell(row, column) else { continue };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        match spans.last_mut() {
            // A blank looks the same in every colour.
            Some(span) if text == " " || span.class == class(cell) => span.text.push_str(text),
            Some(_) | None => {
                spans.push(Span { column: 0, class: class(cell), text: text.to_owned() });
            }
        }
    }
    if let Some(last) = spans.last_mut() {
        last.text = last.text.trim_end().to_owned();
    }
    let mut column = 0;
    for span in &mut spans {
        span.text = untimed(&span.text).replace(home, "~");
        span.column = column;
        column += span.text.chars().count();
    }
    spans.retain(|span| !span.text.trim().is_empty());
    spans
}

fn class(cell: &Cell) -> String {
    let colour = match cell.fgcolor() {
        Color::Idx(1 | 9) => "red",
        Color::Idx(2 | 10) => "green",
        Color::Idx(3 | 11) => "yellow",
        Color::Idx(6 | 14) => "cyan",
        Color::Default | Color::Idx(_) | Color::Rgb(..) => "",
    };
    let bold = if cell.bold() { "b" } else { "" };
    let dim = if cell.dim() { "d" } else { "" };
    let all: Vec<&str> = [colour, bold, dim].into_iter().filter(|name| !name.is_empty()).collect();
    all.join(" ")
}

/// Times are those of some fast machine.
fn untimed(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_time = |index: usize| {
        words[index].parse::<f64>().is_ok()
            && words.get(index + 1).is_some_and(|unit| matches!(*unit, "ms" | "s"))
    };
    let mut timed = Vec::new();
    let mut index = 0;
    while index < words.len() {
        if is_time(index) {
            timed.extend(["2", "ms"]);
            index += 2;
        } else {
            timed.push(words[index]);
            index += 1;
        }
    }
    timed.join(" ")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
