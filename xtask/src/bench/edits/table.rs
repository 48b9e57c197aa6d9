//! The numbers as tables for a terminal.

use super::{
    Manifest, Outcome,
    score::{Row, Score},
    targets::{Shares, Targets},
};

pub(super) fn print(
    manifest: &Manifest,
    outcomes: &[(&str, Outcome)],
    targets: &Targets,
    missed: &[String],
) {
    let Manifest { cases, items, languages } = manifest;
    let names: Vec<String> = languages.iter().map(|(name, n)| format!("{name} {n}")).collect();
    println!("{cases} edits, written down {items} times, in {} languages:", languages.len());
    println!("{}", names.join(", "));
    for (format, outcome) in outcomes {
        match outcome {
            Outcome::Scored(score) => print_score(score, targets),
            Outcome::Skipped(tool) => {
                println!("\n{format}: skipped, this build of the agent has no `{tool}`");
            }
        }
    }
    match missed {
        [] => println!("\nevery target is met"),
        missed => println!("\nmissed:\n  {}", missed.join("\n  ")),
    }
}

fn print_score(score: &Score, targets: &Targets) {
    println!(
        "\n{:<11} {:>6} {:>8} {:>10} {:>8} {:>10} {:>9} {:>8}",
        score.format, "n", "exact %", "declined %", "wrong %", "median ms", "95 % ms", "max ms"
    );
    for (tier, row) in &score.tiers {
        let misses = |shares: Shares| shares.missed(row).next().is_some();
        let mark = match targets.of(&score.format, tier).is_some_and(misses) {
            true => "  missed",
            false => "",
        };
        println!("{}{mark}", line(tier, row));
    }
    println!("{}\n", line("all", &score.all));
    for (language, row) in &score.languages {
        println!("{}", line(language, row));
    }
    if let Some(processor) = score.processor_ms {
        println!("an edit takes {processor:.3} ms of processor time on average");
    }
    if let Some(large) = &score.large {
        println!(
            "in a file of {} lines, {} edits: median {:.1} ms, slowest {:.1} ms, {:.1} ms of \
             processor time",
            large.lines, large.n, large.median_ms, large.max_ms, large.processor_ms
        );
    }
}

fn line(name: &str, row: &Row) -> String {
    format!(
        "{name:<11} {:>6} {:>8.2} {:>10.2} {:>8.2} {:>10.3} {:>9.3} {:>8.1}",
        row.n, row.exact, row.declined, row.wrong, row.median_ms, row.p95_ms, row.max_ms
    )
}
