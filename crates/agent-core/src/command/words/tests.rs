use super::*;

/// The commands of a line, each as its words between bars: `a|b`. What is only known when it runs
/// stands in angle brackets; redirections and assignments come last.
fn shape(line: &str) -> Result<Vec<String>, &'static str> {
    let word = |word: &Word| match word {
        Word::Literal(text) => text.clone(),
        Word::Expanded(raw) => format!("<{raw}>"),
    };
    let part = |part: &Part| {
        let mut shape: Vec<String> = part.words.iter().map(word).collect();
        shape.extend(part.redirects.iter().map(|redirect| match redirect {
            Redirect::Read(from) => format!("read:{}", word(from)),
            Redirect::Write(to) => format!("write:{}", word(to)),
            Redirect::Duplicate => "duplicate".to_owned(),
        }));
        shape
            .extend(part.assignments.iter().map(|(name, value)| format!("{name}={}", word(value))));
        shape.join("|")
    };
    parse(line).map(|parts| parts.iter().map(part).collect()).map_err(|uncertain| uncertain.0)
}

#[test]
fn every_command_of_a_line_is_found() {
    for (line, expected) in [
        ("", &[][..]),
        ("# nothing", &[]),
        ("ls", &["ls"]),
        ("cargo test --workspace", &["cargo|test|--workspace"]),
        ("  a   b\t", &["a|b"]),
        ("a; b", &["a", "b"]),
        ("a && b || c", &["a", "b", "c"]),
        ("a | b |c", &["a", "b", "c"]),
        ("a & b", &["a", "b"]),
        ("a\nb # c\nd", &["a", "b", "d"]),
        ("a#b", &["a#b"]),
        (r"a 'b c' d\ e", &["a|b c|d e"]),
        (r#"a "b;c" '&&' \;"#, &["a|b;c|&&|;"]),
        (r#"a "x\"y" "\n""#, &[r#"a|x"y|\n"#]),
        ("a ''", &["a|"]),
        ("ca''rgo test", &["cargo|test"]),
        ("a \\\n b", &["a|b"]),
        ("a $HOME", &["a|<$HOME>"]),
        (r#"a "$HOME/x" ${X}y"#, &[r#"a|<"$HOME/x">|<${X}y>"#]),
        ("a 5$", &["a|5$"]),
        ("a *.rs ?x [ab] {a,b} ~/x", &["a|<*.rs>|<?x>|<[ab]>|<{a,b}>|<~/x>"]),
        ("a '*' x~", &["a|*|x~"]),
        ("$X y", &["<$X>|y"]),
        ("a $(b c)", &["b|c", "a|<$(…)>"]),
        ("a \"$(b; c 'd)')\"", &["b", "c|d)", "a|<\"$(…)\">"]),
        ("a `b | c`", &["b", "c", "a|<`>"]),
        ("$(a) b", &["a", "<$(…)>|b"]),
        ("a $(b $(c))", &["c", "b|<$(…)>", "a|<$(…)>"]),
        ("X=1 a", &["a|X=1"]),
        ("X=1 Y='2 3' a Z=4", &["a|Z=4|X=1|Y=2 3"]),
        ("X=$(a) b", &["a", "b|X=<$(…)>"]),
        ("X=1", &["X=1"]),
        ("a > f", &["a|write:f"]),
        ("a >f >>g <h 2>&1 2>/dev/null", &["a|write:f|write:g|read:h|duplicate|write:/dev/null"]),
        ("> f a", &["a|write:f"]),
        ("a &> f; b &>>f", &["a|write:f", "b|write:f"]),
        ("a >| f", &["a|write:f"]),
        ("a <> f", &["a|write:f"]),
        ("a >&f", &["a|write:f"]),
        ("a > $(b)", &["b", "a|write:<$(…)>"]),
        ("a 2 > f", &["a|2|write:f"]),
        ("g++ x.cc", &["g++|x.cc"]),
        ("echo if", &["echo|if"]),
        ("'if' x", &["if|x"]),
        ("[ -f x ]", &["<[>|-f|x|]"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|part| (*part).to_owned()).collect();
        assert_eq!(shape(line), Ok(expected), "{line}");
    }
}

#[test]
fn what_is_not_read_for_certain_is_said() {
    for line in [
        "if a; then b; fi",
        "for x in a b; do c; done",
        "while a; do b; done",
        "case x in a) b;; esac",
        "(a; b)",
        "{ a; }",
        "! a",
        "time a",
        "[[ -f x ]]",
        "f() { a; }",
        "function f { a; }",
        "a <<EOF\nb\nEOF",
        "a <<< b",
        "a <(b)",
        "a > >(b)",
        "a $((1+2))",
        "a $[1]",
        "a ${x:-$(b)}",
        "a ${x@P}",
        "a ${!x}",
        "a $'b'",
        "a $\"b\"",
        "a 'b",
        "a \"b",
        "a \\",
        "a $(b",
        "a `b",
        "a `b \\`c\\``",
        "a >",
        "a > ; b",
        "a {fd}>f",
        "x[0]=1 a",
        "x+=1 a",
        "a\rb",
        "a\u{a0}b",
        "a\0b",
        "a @(b|c)",
        ")",
        "a )",
        "a $(b $(c $(d $(e $(f $(g $(h $(i $(j)))))))))",
    ] {
        assert!(shape(line).is_err(), "{line:?}: {:?}", shape(line));
    }
}
