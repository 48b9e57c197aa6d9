//! A sketch as the chunks between its markers.

use super::marker::{self, Marker};
use crate::line;

/// What stands at an end of a sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// A marker: something of the file is left out there.
    Marked,
    /// No marker: the file's end, or a marker that was forgotten.
    Open,
}

/// Lines that stand together in a sketch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk<'a> {
    /// The lines, without endings.
    pub(super) lines: Vec<&'a str>,
    /// Where in the sketch the first of them stands, from 1.
    pub(super) line: usize,
}

/// A sketch, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sketch<'a> {
    /// What stands between the markers; never an empty chunk.
    pub(super) chunks: Vec<Chunk<'a>>,
    pub(super) start: Edge,
    pub(super) end: Edge,
    /// How many markers there are.
    pub(super) markers: usize,
}

impl<'a> Sketch<'a> {
    /// Reads a sketch. `in_file` tells whether the file holds a line with that text: such a line is a marker only if it can be nothing else.
    pub(super) fn parse(text: &'a str, in_file: impl Fn(&str) -> bool) -> Self {
        let mut sketch =
            Self { chunks: Vec::new(), start: Edge::Open, end: Edge::Open, markers: 0 };
        let mut open = false;
        let may_hold = marker::may_hold(text);
        for (at, line) in line::split(text).into_iter().enumerate() {
            let is_marker = match may_hold.then(|| marker::read(line)).flatten() {
                Some(Marker::Certain) => true,
                Some(Marker::Likely) => !in_file(line.trim()),
                None => false,
            };
            if is_marker {
                if sketch.chunks.is_empty() {
                    sketch.start = Edge::Marked;
                }
                sketch.markers += 1;
                sketch.end = Edge::Marked;
                open = false;
                continue;
            }
            sketch.end = Edge::Open;
            match sketch.chunks.last_mut() {
                Some(chunk) if open => chunk.lines.push(line),
                _ => sketch.chunks.push(Chunk { lines: vec![line], line: at + 1 }),
            }
            open = true;
        }
        sketch.drop_blank_chunks();
        sketch
    }

    /// Blank lines alone beside a marker say nothing: the marker's run takes them in.
    fn drop_blank_chunks(&mut self) {
        let says = |chunk: &Chunk<'_>| chunk.lines.iter().any(|line| !line::is_blank(line));
        if self.markers > 0 {
            if self.chunks.first().is_some_and(|chunk| !says(chunk)) {
                self.start = Edge::Marked;
            }
            if self.chunks.last().is_some_and(|chunk| !says(chunk)) {
                self.end = Edge::Marked;
            }
            self.chunks.retain(says);
        }
    }
}
