//! Tables.

use textwrap::core::display_width;

use super::super::{Paint, Style};

/// The rows of a table, the first of them its head.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub(super) fn cell(&mut self, cell: String) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// Its lines: in columns where these fit, otherwise a line for each cell.
    pub(super) fn lines(&self, style: Style, width: usize) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let cell = |row: &Vec<String>, column: usize| {
            row.get(column).map(String::as_str).unwrap_or_default().to_owned()
        };
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let widths = self.rows.iter().map(|row| display_width(&cell(row, column)));
                widths.max().unwrap_or_default()
            })
            .collect();
        if widths.iter().sum::<usize>() + 3 * columns.saturating_sub(1) > width {
            return self.listed(style);
        }
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let cells: Vec<String> = widths
                .iter()
                .enumerate()
                .map(|(column, width)| {
                    let text = cell(row, column);
                    let pad = " ".repeat(width.saturating_sub(display_width(&text)));
                    if index == 0 { style.paint(Paint::Bold, &text) + &pad } else { text + &pad }
                })
                .collect();
            lines.push(cells.join(" │ ").trim_end().to_owned());
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(style.paint(Paint::Dim, &rules.join("─┼─")));
            }
        }
        lines
    }

    fn listed(&self, style: Style) -> Vec<String> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for row in rows {
            for (index, (name, cell)) in head.iter().zip(row).enumerate() {
                let sign = if index == 0 { "- " } else { "  " };
                lines.push(format!("{sign}{}: {cell}", style.paint(Paint::Bold, name)));
            }
        }
        lines
    }
}
