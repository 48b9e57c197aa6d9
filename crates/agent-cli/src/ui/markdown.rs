//! Markdown for a terminal: blocks become lines that fit its width.

mod stream;
mod table;
#[cfg(test)]
mod tests;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use textwrap::WordSplitter;

use super::{Paint, Style, diff, harmless};
use table::Table;

pub(crate) use stream::Stream;

/// What is understood beside the basics.
const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS);

/// The narrowest that text is wrapped to. Below, words are cut into pieces that say nothing.
const NARROWEST: usize = 10;

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) style: Style,
    /// Columns.
    pub(crate) width: usize,
}

impl Page {
    /// The lines of `source`, without a break between its blocks.
    fn lines(self, source: &str) -> Vec<String> {
        let mut writer = Writer::new(self);
        for event in Parser::new_ext(source, OPTIONS) {
            writer.event(event);
        }
        writer.flush();
        writer.lines
    }
}

/// What a line begins with inside of a list or a quotation.
struct Indent {
    first: String,
    rest: String,
    used: bool,
}

/// Turns the events of a parser into lines.
struct Writer {
    page: Page,
    lines: Vec<String>,
    /// The text of the block, painted, words parted by single spaces; a newline is a hard break.
    text: String,
    paints: Vec<Paint>,
    indents: Vec<Indent>,
    /// The number of the next item of each list; none where its items have none.
    lists: Vec<Option<u64>>,
    /// The language of a code block.
    code: Option<String>,
    /// What a code block holds so far.
    listing: String,
    links: Vec<String>,
    table: Option<Table>,
}

impl Writer {
    fn new(page: Page) -> Self {
        Self {
            page,
            lines: Vec::new(),
            text: String::new(),
            paints: Vec::new(),
            indents: Vec::new(),
            lists: Vec::new(),
            code: None,
            listing: String::new(),
            links: Vec::new(),
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => self.listing.push_str(&text),
            Event::Text(text) => self.words(&text),
            Event::Code(code) | Event::InlineMath(code) | Event::DisplayMath(code) => {
                let mark = if self.page.style == Style::Plain { "`" } else { "" };
                self.painted(Paint::Cyan, &format!("{mark}{code}{mark}"));
            }
            Event::Html(html) | Event::InlineHtml(html) => self.words(&html),
            Event::FootnoteReference(name) => self.words(&format!("[{name}]")),
            Event::SoftBreak => self.words(" "),
            Event::HardBreak => self.text.push('\n'),
            Event::Rule => {
                self.flush();
                let line = "─".repeat(self.width().min(40));
                self.line(&self.page.style.paint(Paint::Dim, &line));
            }
            Event::TaskListMarker(done) => self.words(if done { "[x] " } else { "[ ] " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.flush(),
            Tag::Heading { level, .. } => {
                self.flush();
                if self.page.style == Style::Plain {
                    self.text = format!("{} ", "#".repeat(depth(level)));
                }
                self.paints.push(Paint::Bold);
            }
            Tag::BlockQuote(_) => {
                self.flush();
                let bar = self.page.style.paint(Paint::Dim, "│ ");
                self.indents.push(Indent { first: bar.clone(), rest: bar, used: false });
            }
            Tag::CodeBlock(kind) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(language) => language.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.fence(&language);
                self.code = Some(language);
            }
            Tag::List(number) => {
                self.flush();
                self.lists.push(number);
            }
            Tag::Item => {
                self.flush();
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let marker = format!("{number}. ");
                        *number += 1;
                        marker
                    }
                    Some(None) | None => "- ".to_owned(),
                };
                let rest = " ".repeat(marker.len());
                self.indents.push(Indent { first: marker, rest, used: false });
            }
            Tag::Emphasis => self.marked(Paint::Italic, "*"),
            Tag::Strong => self.marked(Paint::Bold, "**"),
            Tag::Strikethrough => self.marked(Paint::Dim, "~~"),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.into_string());
                self.text.push('\u{1}');
            }
            Tag::Table(_) => {
                self.flush();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.begin_row();
                }
            }
            Tag::TableCell
            | Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.paints.pop();
                self.flush();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.indents.pop();
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Item => {
                // An item without a word is one all the same.
                if !self.text.is_empty() || self.indents.last().is_some_and(|last| !last.used) {
                    self.write();
                }
                self.indents.pop();
            }
            TagEnd::Emphasis => self.unmarked("*"),
            TagEnd::Strong => self.unmarked("**"),
            TagEnd::Strikethrough => self.unmarked("~~"),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text).replace('\n', " ");
                if let Some(table) = &mut self.table {
                    table.cell(cell);
                }
            }
            TagEnd::Table => {
                let width = self.width();
                let table = self.table.take().unwrap_or_default();
                for line in table.lines(self.page.style, width) {
                    self.line(&line);
                }
            }
            TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => self.flush(),
        }
    }

    /// Words in the paint of what they stand in. Each is painted for itself, so that a line can
    /// end behind any of them.
    fn words(&mut self, text: &str) {
        match self.paints.last() {
            Some(&paint) => self.painted(paint, text),
            None => self.text.push_str(&harmless(text).replace('\n', " ")),
        }
    }

    fn painted(&mut self, paint: Paint, text: &str) {
        let text = harmless(text).replace('\n', " ");
        for (index, word) in text.split(' ').enumerate() {
            if index > 0 {
                self.text.push(' ');
            }
            self.text.push_str(&self.page.style.paint(paint, word));
        }
    }

    fn marked(&mut self, paint: Paint, mark: &str) {
        self.paints.push(paint);
        if self.page.style == Style::Plain {
            self.text.push_str(mark);
        }
    }

    fn unmarked(&mut self, mark: &str) {
        self.paints.pop();
        if self.page.style == Style::Plain {
            self.text.push_str(mark);
        }
    }

    /// A link shows where it leads, unless its words say so.
    fn end_link(&mut self) {
        let url = self.links.pop().unwrap_or_default();
        let Some(start) = self.text.rfind('\u{1}') else { return };
        let words = self.text.split_off(start + 1);
        self.text.pop();
        let said = words.is_empty() || words.contains(url.trim_start_matches("mailto:"));
        match said {
            true if words.is_empty() => self.words(&url),
            true => self.text.push_str(&words),
            false => {
                self.text.push_str(&words);
                self.painted(Paint::Dim, &format!(" ({url})"));
            }
        }
    }

    fn fence(&mut self, language: &str) {
        let fence = format!("```{}", harmless(language));
        self.line(&self.page.style.paint(Paint::Dim, &fence));
    }

    /// Code stands as it is: what is copied from a screen must still run.
    fn end_code(&mut self) {
        let language = self.code.take().unwrap_or_default();
        let listing = std::mem::take(&mut self.listing);
        for line in listing.lines() {
            let line = match language.as_str() {
                "diff" | "patch" => diff::line(line, self.page.style),
                _ => harmless(line).into_owned(),
            };
            self.line(&line);
        }
        self.fence("");
    }

    fn width(&self) -> usize {
        let indent: usize =
            self.indents.iter().map(|indent| textwrap::core::display_width(&indent.rest)).sum();
        self.page.width.saturating_sub(indent).max(NARROWEST)
    }

    /// Ends the text of a block, if there is any.
    fn flush(&mut self) {
        if !self.text.trim().is_empty() {
            self.write();
        }
        self.text.clear();
    }

    fn write(&mut self) {
        let text = std::mem::take(&mut self.text);
        let options = textwrap::Options::new(self.width())
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(WordSplitter::NoHyphenation)
            // An address in two pieces leads nowhere.
            .break_words(false);
        for line in textwrap::wrap(text.trim(), options) {
            self.line(&line);
        }
    }

    /// Writes a line behind what it begins with.
    fn line(&mut self, text: &str) {
        let mut line = String::new();
        for indent in &mut self.indents {
            line.push_str(if indent.used { &indent.rest } else { &indent.first });
            indent.used = true;
        }
        line.push_str(text);
        self.lines.push(line.trim_end().to_owned());
    }
}

fn depth(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
