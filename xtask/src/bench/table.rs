//! The rows, for people and for programs.

use serde_json::{Value, json};

/// One thing that was measured, of each client.
pub(super) struct Row {
    pub(super) what: String,
    pub(super) unit: &'static str,
    /// Clients with their medians, ours first and then the baseline. Where there is only one, nothing
    /// is compared.
    pub(super) medians: Vec<(String, f64)>,
    /// What was left out, and why.
    pub(super) note: Option<String>,
}

impl Row {
    pub(super) fn new(what: impl Into<String>, unit: &'static str) -> Self {
        Self { what: what.into(), unit, medians: Vec::new(), note: None }
    }

    pub(super) fn with(mut self, client: &str, median: Option<f64>) -> Self {
        self.medians.extend(median.map(|median| (client.to_owned(), median)));
        self
    }

    /// Ours as a share of another's.
    fn ratio(&self, other: f64) -> Option<f64> {
        self.medians.first().filter(|_| other > 0.0).map(|(_, ours)| ours / other)
    }
}

/// The table as text.
pub(super) fn print(rows: &[Row]) {
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    for row in rows {
        let ours = row.medians.first().map_or("-".to_owned(), |(_, ours)| number(*ours));
        let others = row.medians.iter().skip(1).map(|(name, median)| {
            let ratio = row.ratio(*median).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            format!("{ratio:>7} of {name} ({})", number(*median))
        });
        let mut told: Vec<String> = others.collect();
        told.extend(row.note.clone());
        let line = format!("{:<width$}  {ours:>10} {:<5}  {}", row.what, row.unit, told.join("  "));
        println!("{}", line.trim_end());
    }
}

/// The same as JSON.
pub(super) fn json(rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        let medians = row.medians.iter().enumerate().map(|(place, (name, median))| {
            let mut told = json!({ "client": name, "median": median });
            if place > 0 {
                told["ours_to_this"] = json!(row.ratio(*median));
            }
            told
        });
        let medians: Vec<Value> = medians.collect();
        json!({ "what": row.what, "unit": row.unit, "medians": medians, "note": row.note })
    });
    json!({ "rows": rows.collect::<Vec<Value>>() })
}

fn number(value: f64) -> String {
    match value {
        0.0..10.0 => format!("{value:.3}"),
        10.0..1000.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_told_as_ratios() {
        let row = Row::new("start", "ms").with("agent", Some(5.0)).with("floor", Some(20.0));
        let row = row.with("pi", None);
        let told = json(&[row]);
        assert_eq!(
            told["rows"][0]["medians"][1],
            json!({"client": "floor", "median": 20.0, "ours_to_this": 0.25})
        );
        assert_eq!(told["rows"][0]["medians"][2], Value::Null);
        assert_eq!([0.5, 12.25, 123_456.0].map(number), ["0.500", "12.2", "123456"]);
    }
}
