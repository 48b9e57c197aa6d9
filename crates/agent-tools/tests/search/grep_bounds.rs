//! How much a search reports, and that it reports the same every time.

use agent_tools::grep::{GrepLimits, GrepQuery};

use crate::sample::{Sample, lines, text};

fn limited(query: &str, limits: GrepLimits) -> GrepQuery {
    GrepQuery { limits, ..text(query) }
}

#[test]
fn the_first_fifty_matches_are_reported() {
    let sample = Sample::new(&[]);
    let expected: Vec<_> =
        (0..25).flat_map(|n| [format!("f{n:03}:1:hit"), format!("f{n:03}:3:hit")]).collect();
    for (count, found, truncated) in
        [(24, 48, false), (25, 50, false), (26, 50, true), (300, 50, true)]
    {
        for n in 0..count {
            sample.write(format!("f{n:03}"), b"hit\nno\nhit\n");
        }
        let report = sample.grep(&text("hit"));
        assert_eq!(lines(&report), expected[..found]);
        assert_eq!(report.truncated, truncated, "{count} files");
    }
    sample.write("f000", "hit\n".repeat(51).as_bytes());
    let report = sample.grep(&text("hit"));
    let first_file: Vec<_> = (1..=50).map(|n| format!("f000:{n}:hit")).collect();
    assert_eq!((lines(&report), report.truncated), (first_file, true));
}

#[test]
fn what_is_passed_over_counts_up_to_the_last_match_that_is_reported() {
    let sample =
        Sample::new(&[(".gitignore", "*.log\nout/"), ("b.log", "x"), ("c", "x\nx\n"), ("z", "x")]);
    sample.write("a.bin", b"\0");
    sample.write("d.bin", b"\0");
    sample.write("e.log", b"x");
    sample.write("out/f", b"x");
    for (matches, found, truncated, skipped) in [
        (0, 0, true, ""),
        (1, 1, true, "1 ignored, 1 binary"),
        (2, 2, true, "1 ignored, 1 binary"),
        (3, 3, false, "3 ignored, 2 binary"),
        (4, 3, false, "3 ignored, 2 binary"),
    ] {
        let report = sample.grep(&limited("x", GrepLimits { matches, ..GrepLimits::default() }));
        assert_eq!(
            (report.matches.len(), report.truncated, report.skipped.to_string().as_str()),
            (found, truncated, skipped),
            "at most {matches}"
        );
    }
}

#[test]
fn every_run_gives_the_same_result() {
    let sample = Sample::new(&[(".gitignore", "*.log\n")]);
    for n in 0..700 {
        let dir = format!("d{}/e{}", n % 7, n % 13);
        // Files of different size, so that threads finish out of turn.
        let mut content = "filler\n".repeat(n * 37 % 200);
        if n % 10 == 0 {
            content.push_str(&format!("needle {n}\n"));
        }
        sample.write(format!("{dir}/f{n}.txt"), content.as_bytes());
        if n % 50 == 0 {
            sample.write(format!("{dir}/f{n}.log"), b"needle\n");
            sample.write(format!("{dir}/f{n}.bin"), b"needle\n\0");
        }
    }
    let first = sample.grep(&text("needle"));
    assert_eq!((first.matches.len(), first.truncated), (50, true));
    let mut sorted = first.matches.clone();
    sorted.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    assert_eq!(first.matches, sorted);
    for _ in 0..20 {
        assert_eq!(sample.grep(&text("needle")), first);
    }

    let all = GrepLimits { matches: 1000, ..GrepLimits::default() };
    let all = sample.grep(&limited("needle", all));
    assert_eq!((all.matches.len(), all.truncated), (70, false));
    assert_eq!(all.skipped.to_string(), "14 ignored, 14 binary");
    assert_eq!(all.matches[..50], first.matches);
}

#[test]
fn long_lines_are_cut_around_the_match() {
    let line = format!("{}needle{}", "ä".repeat(1000), "日".repeat(1000));
    let sample = Sample::new(&[("a", &line)]);
    let cut = format!("…{}needle{}…", "ä".repeat(125), "日".repeat(500 - 125 - 6));
    assert_eq!(sample.lines("needle"), [format!("a:1:{cut}")]);
    let short = GrepLimits { line_chars: 8, ..GrepLimits::default() };
    assert_eq!(lines(&sample.grep(&limited("needle", short))), ["a:1:…ääneedle…"]);
}

#[test]
fn a_line_too_long_for_the_memory_allowed_ends_the_search_of_its_file() {
    let huge = "x".repeat(1 << 20);
    let content = format!("needle 1\n{huge}needle 2\nneedle 3\n");
    let sample = Sample::new(&[("a", &content), ("b", "needle 4\n")]);
    let limits = GrepLimits { line_bytes: 1 << 18, ..GrepLimits::default() };
    let report = sample.grep(&limited("needle", limits));
    assert_eq!(lines(&report), ["a:1:needle 1", "b:1:needle 4"]);
    assert_eq!(report.skipped.to_string(), "1 with too long a line");
    assert_eq!(sample.grep(&text("needle")).matches.len(), 4);
}
