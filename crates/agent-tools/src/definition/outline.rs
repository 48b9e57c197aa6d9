//! Where the definitions of a text are.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::role::{self, Role};
use crate::syntax::{self, Language, SyntaxLimits};

/// Deeper than this nothing is looked for: no program is nested so, and the stack has an end.
const DEEPEST: usize = 150;

/// A function, type, constant or the like, and the lines that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name behind those of the scopes around it.
    pub path: Vec<String>,
    /// Its first line, from 1, decorators among it and comments above not.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
    /// The first line of the comments and attributes right above it; `first_line` without any.
    pub lead_line: usize,
    /// It has its lines for itself.
    pub(super) has_its_lines: bool,
    /// It is a function: what it holds is its own affair.
    pub(super) is_function: bool,
    /// The text up to its body, without white space: what tells overloads apart.
    pub(super) header: String,
    /// Where it is in the text.
    pub(super) span: Range<usize>,
}

impl Definition {
    /// The names with dots between them.
    pub fn name(&self) -> String {
        self.path.join(".")
    }

    pub(super) fn holds(&self, other: &Self) -> bool {
        self != other && self.span.start <= other.span.start && other.span.end <= self.span.end
    }
}

/// Everything of interest in a text.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) definitions: Vec<Definition>,
    /// The lines of imports, from 1.
    pub(super) imports: Vec<(usize, usize)>,
    /// What stands outside of any definition, comments left out.
    pub(super) rest: Vec<Range<usize>>,
    /// The grammar does not take it for whole.
    pub(super) is_broken: bool,
}

/// The outline of a text, or nothing where there is no parser for it, or none that survives it.
pub(super) fn outline(language: Language, text: &str) -> Option<Outline> {
    let tree = syntax::tree(language, text, &SyntaxLimits::default())?;
    Some(of_tree(language, &tree, text))
}

fn of_tree(language: Language, tree: &Tree, text: &str) -> Outline {
    let root = tree.root_node();
    let mut walk = Walk { language, text, found: Outline::default(), path: Vec::new() };
    walk.found.is_broken = root.has_error();
    walk.children(root, None, Inside::Module, 0);
    walk.found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Of nothing: what is found here and is no definition is part of the rest.
    Module,
    Type,
    Function,
}

struct Walk<'t> {
    language: Language,
    text: &'t str,
    found: Outline,
    path: Vec<String>,
}

impl Walk<'_> {
    fn children(&mut self, node: Node<'_>, outer: Option<Node<'_>>, inside: Inside, depth: usize) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            self.visit(child, outer, inside, depth + 1);
        }
    }

    fn visit(&mut self, node: Node<'_>, outer: Option<Node<'_>>, inside: Inside, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let whole = outer.unwrap_or(node);
        let role = role::role(self.language, node);
        let names = match role {
            Some(Role::Function | Role::Type | Role::Value | Role::Scope) => {
                role::names(node, self.text)
            }
            Some(Role::Wrapper | Role::Lead | Role::Import) | None => None,
        };
        match (role, names) {
            (Some(Role::Function | Role::Type), Some(names)) => {
                let added = names.len();
                self.path.extend(names);
                let is_function = role == Some(Role::Function);
                self.add(node, whole, role);
                let inside = if is_function { Inside::Function } else { Inside::Type };
                self.children(node, None, inside, depth);
                self.path.truncate(self.path.len() - added);
            }
            (Some(Role::Scope), Some(names)) => {
                let added = names.len();
                self.path.extend(names);
                self.children(node, None, Inside::Type, depth);
                self.path.truncate(self.path.len() - added);
            }
            (Some(Role::Value), Some(names)) if inside != Inside::Function => {
                let added = names.len();
                self.path.extend(names);
                self.add(node, whole, role);
                self.path.truncate(self.path.len() - added);
                // `const Shop = class { … }` and `typedef struct { … } shop` hold more.
                self.children(node, None, Inside::Function, depth);
            }
            (Some(Role::Wrapper), _) => self.children(node, Some(whole), inside, depth),
            (Some(Role::Lead), _) => {}
            (Some(Role::Import), _) => {
                let (first, last) = lines(node, self.text);
                self.found.imports.push((first, last));
                if inside == Inside::Module {
                    self.found.rest.push(whole.byte_range());
                }
            }
            (
                Some(Role::Value | Role::Function | Role::Type | Role::Scope) | None,
                Some(_) | None,
            ) => {
                let before = self.found.definitions.len();
                self.children(node, None, inside, depth);
                // Blocks such as `if __name__ == …` or a preprocessor's `#if` may hold definitions.
                let is_empty = before == self.found.definitions.len();
                if depth == 1 && is_empty && inside == Inside::Module {
                    self.found.rest.push(whole.byte_range());
                }
            }
        }
    }

    fn add(&mut self, node: Node<'_>, whole: Node<'_>, role: Option<Role>) {
        let (first_line, last_line) = lines(whole, self.text);
        let body =
            node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
        let header = self.text.get(node.start_byte()..body).unwrap_or_default();
        self.found.definitions.push(Definition {
            path: self.path.clone(),
            first_line,
            last_line,
            lead_line: self.lead(whole, first_line),
            is_function: role == Some(Role::Function),
            has_its_lines: has_its_lines(whole, self.text),
            header: squeezed(header),
            span: whole.byte_range(),
        });
    }

    /// The first line of the comments and attributes that stand right above `node`.
    fn lead(&self, node: Node<'_>, first_line: usize) -> usize {
        let (mut node, mut first_line) = (node, first_line);
        while let Some(above) = node.prev_named_sibling() {
            let (start, end) = lines(above, self.text);
            let is_lead = role::role(self.language, above) == Some(Role::Lead);
            if !is_lead
                || end + 1 < first_line
                || end >= first_line
                || !begins_line(above, self.text)
            {
                break;
            }
            (node, first_line) = (above, start);
        }
        first_line
    }
}

/// First and last line of a node, from 1. Some end behind their line's feed.
fn lines(node: Node<'_>, text: &str) -> (usize, usize) {
    let range = node.byte_range();
    let solid = text.get(range.clone()).unwrap_or_default().trim_end().len();
    let breaks = text.get(range.start..range.start + solid).unwrap_or_default();
    let first = node.start_position().row + 1;
    (first, first + breaks.matches('\n').count())
}

fn begins_line(node: Node<'_>, text: &str) -> bool {
    let before = text.get(..node.start_byte()).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default().trim().is_empty()
}

fn has_its_lines(node: Node<'_>, text: &str) -> bool {
    let range = node.byte_range();
    let code = text.get(range.clone()).unwrap_or_default();
    let after = text.get(range.start + code.trim_end().len()..).unwrap_or_default();
    let rest = after.split('\n').next().unwrap_or_default().trim();
    let rest = rest.trim_start_matches([';', ',']).trim_start();
    let is_note = rest.starts_with("//") || rest.starts_with('#') || rest.starts_with("/*");
    begins_line(node, text) && (rest.is_empty() || is_note)
}

/// A text without its white space.
pub(super) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}
