//! Sketches that fit one place best, and still say too little, or just enough.

use super::{merged, reason};
use crate::sketch::Reason;

const MARKER: &str = "// ... existing code ...\n";

/// A file in which a closing line stands again and again.
fn blocks() -> String {
    ["alpha", "beta", "gamma", "delta"]
        .map(|name| format!("start {name}\n  one {name}\n  two {name}\nstop\n"))
        .concat()
}

#[test]
fn three_lines_on_either_side_are_enough() {
    let sketch = "  one beta\n  two beta\nstop\nnew line\nstart gamma\n  one gamma\n  two gamma\n";
    let expected = blocks().replace("stop\nstart gamma", "stop\nnew line\nstart gamma");
    assert_eq!(merged(&blocks(), &format!("{MARKER}{sketch}{MARKER}")), expected);
}

#[test]
fn lines_that_stand_close_by_are_not_added_again() {
    // Either the lines are new, or what stands between `stop` and the second `stop` is replaced.
    let file = "head\nstop\nload names\nsort names\nshow names\nstop\ntail\n";
    let sketch = "head\nstop\nload names\nsort names\nstop\n";
    let sketch = format!("{MARKER}{sketch}{MARKER}");
    let file = format!("top\n{file}");
    let text = crate::sketch::merge_text(&file, &sketch, "x.rs");
    assert_ne!(
        text.as_deref(),
        Ok(&*file.replace("stop\nload", "stop\nload names\nsort names\nstop\nload"))
    );
}

#[test]
fn a_first_line_that_opens_the_block_may_stand_without_a_marker_before_it() {
    let file = blocks();
    let sketch = format!("start gamma\n  {MARKER}  two gamma\n  three gamma\nstop\n{MARKER}");
    assert_eq!(
        merged(&file, &sketch),
        file.replace("  two gamma\n", "  two gamma\n  three gamma\n")
    );
}

#[test]
fn a_last_line_that_closes_the_block_may_stand_without_a_marker_after_it() {
    let file = blocks();
    let sketch = format!("{MARKER}start beta\n  zero beta\n  one beta\n  {MARKER}stop\n");
    assert_eq!(merged(&file, &sketch), file.replace("  one beta\n", "  zero beta\n  one beta\n"));
}

#[test]
fn a_last_line_that_closes_nothing_shown_is_where_the_file_ends() {
    let file = format!("{}all done\nsome words\nmore words\n", blocks());
    let sketch =
        format!("{MARKER}  two alpha\nstop\nnew line\nstart beta\n  one beta\n{MARKER}all done\n");
    assert_eq!(reason(&file, &sketch), Reason::OpenEnd { start_line: 18, end_line: 19 });
}

#[test]
fn a_last_line_that_closes_nothing_shown_may_be_the_last_that_stays() {
    let file = "//! Words.\n\nuse a;\nuse b;\nuse c;\n\n/// One.\nfn one() {\n    a();\n}\n\nfn two() {\n    b();\n}\n";
    // Only one line goes, or all of the second function too.
    let sketch = format!("//! Words.\n\nuse a;\nuse c;\n\n/// One.\n{MARKER}}}\n");
    assert_eq!(reason(file, &sketch), Reason::Ambiguous { line: 8 });
    let sketch = format!("{MARKER}fn two() {{\n    a();\n    b();\n{MARKER}}}\n");
    let file = file.replace("    b();\n", "    b();\n    c();\n");
    assert_eq!(merged(&file, &sketch), file.replace("    b();\n", "    a();\n    b();\n"));
}

/// Lines that stand once each.
fn once(lines: std::ops::RangeInclusive<usize>) -> String {
    lines.map(|at| format!("word{at}\n")).collect()
}

#[test]
fn a_sketch_that_shows_less_at_one_end_only_shows_all_that_is_there() {
    let file = once(1..=20);
    let added = format!("{}new\n{}", once(7..=9), once(10..=12));
    let expected = file.replace("word10\n", "new\nword10\n");
    assert_eq!(merged(&file, &added), expected);
    for shown in [1, 2] {
        let sketch = format!("{}new\n{}", once(7..=9), once(10..=9 + shown));
        let rest = Reason::OpenEnd { start_line: 10 + shown, end_line: 20 };
        assert_eq!(reason(&file, &sketch), rest);
        let sketch = format!("{}new\n{}", once(10 - shown..=9), once(10..=12));
        let rest = Reason::OpenEnd { start_line: 1, end_line: 9 - shown };
        assert_eq!(reason(&file, &sketch), rest);
    }
    // A first line that begins a block is where one would begin to show it.
    let indented = file.replace("word9", "begin").replace("word", "  word");
    let sketch = "begin\n  new\n  word10\n  word11\n  word12\n";
    assert_eq!(merged(&indented, sketch), indented.replace("begin\n", "begin\n  new\n"));
}

#[test]
fn a_closing_line_closes_a_block_only_where_the_sketch_shows_its_unchanged_first_line() {
    let file = format!("{}begin one\n  two\n  three\nend.\nlast word\n", once(1..=20));
    let rest = Reason::OpenEnd { start_line: 25, end_line: 25 };
    let sketch = format!("{MARKER}word20\nbegin all\n  two\n  {MARKER}end.\n");
    assert_eq!(reason(&file, &sketch), rest);
    let sketch = format!("{MARKER}word20\nbegin one\n  new\n  two\n  {MARKER}end.\n");
    assert_eq!(merged(&file, &sketch), file.replace("  two", "  new\n  two"));
}

#[test]
fn a_line_whose_tabs_may_be_new_or_drifted_is_not_decided() {
    let file = format!("{}open\n  one\n  two\n  stop\nshut\n{}", once(1..=9), once(10..=19));
    let sketch =
        format!("{MARKER}word9\nopen\n\tone\n\ttwo\n\tstop\n\n  more\n  stop\nshut\n{MARKER}");
    assert!(matches!(reason(&file, &sketch), Reason::Indentation { .. }));
}

#[test]
fn tabs_and_spaces_that_were_changed_on_purpose_are_changed() {
    let file = "fn a() {\n\t\tcall(\n\t\t  x)\n\t\tdone()\n}\n";
    let sketch = format!("fn a() {{\n\t\tcall(\n\t\t\tx)\n\t\tdone()\n}}\n{MARKER}");
    let rest = "fn b() {\n\tother()\n}\n".repeat(3);
    let expected = file.replace("\t\t  x)", "\t\t\tx)") + &rest;
    assert_eq!(merged(&format!("{file}{rest}"), &sketch), expected);
}

#[test]
fn text_that_cannot_be_written_is_refused_with_the_reason() {
    let sketch = format!("{MARKER}  one beta\n  nul \0 here\n  two beta\nstop\n{MARKER}");
    let refused = crate::sketch::merge_text(&blocks(), &sketch, "x.rs").unwrap_err();
    assert!(matches!(refused.reason, Reason::Refused(_)), "{refused}");
    assert!(refused.to_string().contains("edit 1"), "{refused}");
}

#[test]
fn an_ellipsis_in_a_new_comment_of_a_whole_file_is_text() {
    let file = blocks();
    let comment = "/**\n * Takes\n *   first,\n *   ...\n *   and last.\n */\n";
    let whole = file.replace("start beta", &format!("{comment}start beta"));
    assert_eq!(merged(&file, &whole), whole);
    assert!(!crate::sketch::is_marker(" *   ...") && crate::sketch::is_marker("# ..."));
    // Where lines go it may stand for them.
    let shorter = whole.replace("start beta\n  one beta\n  two beta\n", "");
    assert!(matches!(reason(&file, &shorter), Reason::NoAnchor { .. }));
    let open = file.replace("start beta", "# Takes\n# ...\nstart beta");
    assert!(matches!(reason(&file, &open), Reason::NoAnchor { .. }));
}

#[test]
fn a_tab_stands_for_the_same_number_of_spaces_throughout() {
    let file = "function a(x) {\n  begin(x);\n\n  if (x) {\n    if (y(x)) {\n      one(x);\n    }\n  }\n\n  end(x);\n}\n";
    let rest = "\nfunction b() {\n  other();\n}\n".repeat(2);
    let sketch = format!(
        "function a(x) {{\n\tbegin(x);\n\n\tif (x) {{\n    two(x);\n\t}}\n\n\tend(x);\n}}\n\n{MARKER}"
    );
    let expected = file.replace("    if (y(x)) {\n      one(x);\n    }\n", "    two(x);\n");
    let text = crate::sketch::merge_text(&format!("{file}{rest}"), &sketch, "a.js");
    assert_eq!(text, Ok(format!("{expected}{rest}")));
}

#[test]
fn a_comment_between_does_not_turn_tabs_into_spaces() {
    let comment = |text: &str| format!("/**\n * {text}\n */\n");
    let first = format!("{}fn first() {{\n\tone();\n\tleave();\n}}\n\n", comment("First."));
    let third = format!("{}fn third() {{\n\tthree();\n}}\n", comment("Third."));
    let second = format!("{}fn second() {{\n\ttwo();\n}}\n\n", comment("Second."));
    let sketch = format!("{MARKER}    leave();\n}}\n\n{second}/**\n * Third.\n */\n{MARKER}");
    assert_eq!(merged(&format!("{first}{third}"), &sketch), format!("{first}{second}{third}"));
}

#[test]
fn one_place_to_the_character_is_enough_where_it_also_fits_best() {
    let sketch = format!("{MARKER}one\nnew\nstop\n{MARKER}");
    let file = "top\nopen\none\nstop\nend\n  stop\nlast\n";
    assert_eq!(merged(file, &sketch), file.replace("one\n", "one\nnew\n"));
    // The other `stop` is nearer: the model may have got its white space wrong.
    let file = "top\none\nload names\n  stop\nshow names\nstop\nlast\n";
    assert!(matches!(reason(file, &sketch), Reason::Ambiguous { .. }));
}

#[test]
fn the_order_tells_places_with_the_same_text_apart() {
    let part =
        |name: &str| format!("## {name}\n\nversion = 1\nedition = 2021\n\nwords of {name}\n\n");
    let file = format!("title\n\n{}{}end\n", part("one"), part("two"));
    let chunk = "version = 1\nedition = 2024\n\n";
    let sketch = format!("{MARKER}{chunk}{MARKER}{chunk}{MARKER}");
    assert_eq!(merged(&file, &sketch), file.replace("2021", "2024"));
    // One of them alone may be either.
    let sketch = format!("{MARKER}{chunk}{MARKER}");
    assert!(matches!(reason(&file, &sketch), Reason::Ambiguous { .. }));
}

#[test]
fn what_a_deletion_takes_may_begin_at_two_places() {
    // Either the blank line below the last block goes, or that and the blocks above it.
    let block = |name: &str| format!("void {name}() {{\n  copy(out);\n  flush();\n}}\n\n");
    let names = ["one", "two", "three"].map(block).concat();
    let tail = "// Tail\nint a;\nint b;\nint c;\n";
    let file = format!("int first;\nint second;\n{names}\n{tail}");
    let sketch =
        format!("{MARKER}  copy(out);\n  flush();\n}}\n\n// Tail\nint a;\nint b;\n{MARKER}");
    assert!(matches!(reason(&file, &sketch), Reason::Ambiguous { line: 2 }));
    // Where the context stands once, it is clear.
    let sketch = sketch.replace("  copy", "void three() {\n  copy");
    assert_eq!(merged(&file, &sketch), file.replace("}\n\n\n// Tail", "}\n\n// Tail"));
}

/// The reason why a sketch of a file of this name is declined.
fn declined(file: &str, sketch: &str, path: &str) -> Option<Reason> {
    crate::sketch::merge_text(file, sketch, path).err().map(|decline| decline.reason)
}

#[test]
fn a_chunk_drifts_as_a_whole_or_not_at_all() {
    // The last line of the sketch is that of the longer comment to the character, and that of the
    // shorter one but for white space.
    let file = r#"class Encoder(Base):
    """Encodes more than the default does.

    Assign a subclass of this to override the default.
    """

    def default(self, o):
        """Implement this method in a subclass such that it returns a
        serializable object for it, or calls the base implementation, to
        raise an error.

        For example, to support any iterator, you could implement
        it like this::

            def default(self, o):
                try:
                    iterable = iter(o)
                except TypeError:
                    pass
                else:
                    return list(iterable)
                return Encoder.default(self, o)
        """
        if isinstance(o, datetime):
            return http_date(o.utctimetuple())
        if isinstance(o, date):
            return http_date(o.timetuple())
        if isinstance(o, uuid):
            return str(o)
        if dataclasses and is_dataclass(o):
            return asdict(o)
        return Base.default(self, o)


class Decoder(Base):
    """The same as the default.
    """
"#;
    let sketch = r#"class Encoder(Base):
    # ... existing code ...
    Assign a subclass of this to override the default.
    """

    def default(self, o: Any) -> Any:
        """Convert an object to a serializable type.
        """
"#;
    assert_eq!(declined(file, sketch, "a.py"), Some(Reason::Ambiguous { line: 3 }));
}

#[test]
fn a_line_that_stands_in_what_a_wider_reading_replaces_is_not_added_again() {
    // What is shown may be all that stays of the blocks, and not new.
    let file = "\
class Tooltip {
  show() {
    if (prevented) {
      return
    }

    if (this.tip) {
      this.tip.remove()
      this.tip = null
    }

    const tip = this.element()

    if (!attached) {
      attach(tip)
    }

    if (this.popper) {
      this.popper.update()
    } else {
      this.popper = this.create(tip)
    }

    tip.classList.add(SHOWN)

    if (touched) {
      listen()
    }
  }

  hide() {
    if (prevented) {
      return
    }

    const tip = this.element()

    tip.classList.remove(SHOWN)
  }
}
";
    let sketch = "\
  // ... existing code ...
  show() {
    // ... existing code ...
    }

    this.disposePopper()

    const tip = this.element()
    // ... existing code ...
    }

    this.popper = this.create(tip)

    tip.classList.add(SHOWN)
    // ... existing code ...
  }
  // ... existing code ...
";
    assert_eq!(declined(file, sketch, "a.js"), Some(Reason::Ambiguous { line: 4 }));
}
