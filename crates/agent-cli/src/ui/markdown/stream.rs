//! Markdown that comes in pieces.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::{OPTIONS, Page};

/// A text on its way. A block is shown when it is complete, a list item by item and code line by
/// line: what stands on the screen is never taken back.
#[derive(Debug)]
pub(crate) struct Stream {
    page: Page,
    /// What is not shown, from the beginning of a block.
    source: String,
    /// Lines of that block that are shown all the same.
    shown: usize,
    /// What the next block stands behind.
    before: Before,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Block,
    /// Items of the list whose next ones come now.
    Items,
}

/// A block at the outermost level.
struct Block {
    at: Range<usize>,
    kind: Kind,
    /// Where its last item begins, if it is a list.
    last_item: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing can be added once its line has ended.
    Line,
    /// An empty line ends it.
    Paragraph,
    Code,
    List,
    Other,
}

impl Stream {
    pub(crate) fn new(page: Page) -> Self {
        Self { page, source: String::new(), shown: 0, before: Before::Nothing }
    }

    /// From here on lines are laid out for a screen so wide.
    pub(crate) fn fit(&mut self, width: usize) {
        self.page.width = width;
    }

    /// Takes more of the text, and gives the lines that can be shown now.
    pub(crate) fn push(&mut self, words: &str) -> String {
        self.source.push_str(words);
        if words.contains('\n') { self.advance() } else { String::new() }
    }

    /// Ends the text, and gives the lines that are left.
    pub(crate) fn finish(&mut self) -> String {
        let mut text = String::new();
        for block in blocks(&self.source) {
            let lines = self.page.lines(&self.source[block.at]);
            text += &self.show(&lines, lines.len());
            self.end_block(Before::Block);
        }
        self.drop();
        text
    }

    /// Forgets the text: it was void, or is over.
    pub(crate) fn drop(&mut self) {
        self.source.clear();
        self.shown = 0;
        self.before = Before::Nothing;
    }

    fn advance(&mut self) -> String {
        let mut text = String::new();
        // A line that has not ended can still become anything.
        let whole = self.source.rfind('\n').map_or(0, |newline| newline + 1);
        let blocks = blocks(&self.source[..whole]);
        let Some((last, complete)) = blocks.split_last() else { return text };
        for block in complete {
            let lines = self.page.lines(&self.source[block.at.clone()]);
            text += &self.show(&lines, lines.len());
            self.end_block(Before::Block);
        }
        let source = &self.source[last.at.start..whole];
        let ended = match last.kind {
            Kind::Line => true,
            Kind::Paragraph => source.ends_with("\n\n"),
            Kind::Code | Kind::List | Kind::Other => false,
        };
        let mut consumed = last.at.start;
        if ended {
            let lines = self.page.lines(source);
            text += &self.show(&lines, lines.len());
            self.end_block(Before::Block);
            consumed = whole;
        } else if last.kind == Kind::Code {
            let lines = self.page.lines(source);
            // The last line is the fence, which may not have come.
            text += &self.show(&lines, lines.len().saturating_sub(1));
        } else if last.kind == Kind::List && last.last_item > last.at.start {
            let items = last.last_item - last.at.start;
            let lines = self.page.lines(&source[..items]);
            text += &self.show(&lines, lines.len());
            self.end_block(Before::Items);
            consumed = last.last_item;
        }
        self.source.drain(..consumed);
        text
    }

    /// The first `count` of the block's lines, less those that are shown.
    fn show(&mut self, lines: &[String], count: usize) -> String {
        let new = lines.get(self.shown..count).unwrap_or_default();
        if new.is_empty() {
            return String::new();
        }
        let gap = if self.shown == 0 && self.before == Before::Block { "\n" } else { "" };
        self.shown = count;
        if self.before == Before::Nothing {
            self.before = Before::Items;
        }
        format!("{gap}{}\n", new.join("\n"))
    }

    fn end_block(&mut self, before: Before) {
        self.shown = 0;
        self.before = before;
    }
}

/// The blocks of `source` at the outermost level.
fn blocks(source: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut depth = 0_usize;
    for (event, at) in Parser::new_ext(source, OPTIONS).into_offset_iter() {
        // What a line is indented by may be what makes it code.
        let start = source[..at.start].rfind('\n').map_or(0, |newline| newline + 1);
        let block = |kind| Block { at: start..at.end, kind, last_item: start };
        if let Event::Start(tag) = &event {
            if depth == 0 {
                blocks.push(block(kind(tag)));
            } else if let (1, Tag::Item, Some(list)) = (depth, tag, blocks.last_mut()) {
                list.last_item = start;
            }
            depth += 1;
        } else if let Event::End(_) = event {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && event == Event::Rule {
            blocks.push(block(Kind::Line));
        }
    }
    blocks
}

fn kind(tag: &Tag<'_>) -> Kind {
    if matches!(tag, Tag::Heading { .. }) {
        Kind::Line
    } else if matches!(tag, Tag::Paragraph | Tag::Table(_)) {
        Kind::Paragraph
    } else if matches!(tag, Tag::CodeBlock(_)) {
        Kind::Code
    } else if matches!(tag, Tag::List(_)) {
        Kind::List
    } else {
        Kind::Other
    }
}
