use super::*;

fn permitted(line: &str, patterns: &[&str]) -> Result<(), String> {
    let patterns: Vec<Pattern> =
        patterns.iter().map(|pattern| Pattern::parse(pattern).expect("a pattern")).collect();
    Execution::line(line).permitted_by(&patterns).map_err(|denied| denied.to_string())
}

#[test]
fn every_part_needs_permission() {
    let nothing = |part: &str| Err(format!("nothing permits `{part}`"));
    let writes = |file: &str| Err(format!("it writes to `{file}` by redirection"));
    let sets = |name: &str| Err(format!("it sets the variable {name}"));
    for (patterns, line, expected) in [
        (&["cargo test"][..], "cargo test", Ok(())),
        (&["cargo test"], "cargo test --workspace 'a b'", Ok(())),
        (&["cargo test *"], "cargo test", Ok(())),
        (&["cargo test"], "cargo  'test'", Ok(())),
        (&["cargo test"], "cargo testx", nothing("cargo testx")),
        (&["cargo test"], "cargo", nothing("cargo")),
        (&["cargo test"], "cargo build", nothing("cargo build")),
        (&["cargo test"], "/tmp/cargo test", nothing("/tmp/cargo test")),
        (&["cargo test"], "sudo cargo test", nothing("sudo cargo test")),
        (&["cargo test"], "cargo $X", nothing("cargo $X")),
        (&["cargo test"], "cargo test $X *.rs", Ok(())),
        (&["cargo test"], "cargo test; rm -rf .", nothing("rm -rf .")),
        (&["cargo test"], "cargo test && rm x", nothing("rm x")),
        (&["cargo test"], "cargo test || rm x", nothing("rm x")),
        (&["cargo test"], "cargo test | tee x", nothing("tee x")),
        (&["cargo test"], "cargo test & rm x", nothing("rm x")),
        (&["cargo test"], "cargo test\nrm x", nothing("rm x")),
        (&["cargo test"], "cargo test $(rm x)", nothing("rm x")),
        (&["cargo test"], "cargo test \"`rm x`\"", nothing("rm x")),
        (&["cargo test"], "cargo test '$(rm x)'", Ok(())),
        (&["cargo test"], "$(cargo test)", nothing("$(…)")),
        (&["cargo test"], "cargo test > out", writes("out")),
        (&["cargo test"], "cargo test >> ../out", writes("../out")),
        (&["cargo test"], "cargo test &> $X", writes("$X")),
        (&["cargo test"], "cargo test > /dev/null 2>&1", Ok(())),
        (&["cargo test"], "cargo test < in", Ok(())),
        (&["cargo test"], "> out", Err("it is empty".to_owned())),
        (&["cargo test"], "", Err("it is empty".to_owned())),
        (&["cargo test"], "X=1", Err("it is empty".to_owned())),
        (&["cargo test"], "RUST_BACKTRACE=1 cargo test", Ok(())),
        (&["cargo test"], "LD_PRELOAD=x cargo test", sets("LD_PRELOAD")),
        (&["cargo test"], "PATH=. cargo test", sets("PATH")),
        (&["X=1 cargo test"], "X=1 cargo test", Ok(())),
        (&["X=1 cargo test"], "X=2 cargo test", sets("X")),
        (&["cargo test"], "cd sub && cargo test", Ok(())),
        (&["cargo test"], "cd .. && cargo test", nothing("cd ..")),
        (&["cargo test"], "cd a/../.. && cargo test", nothing("cd a/../..")),
        (&["cargo test"], "cd /tmp && cargo test", nothing("cd /tmp")),
        (&["cargo test"], "cd - && cargo test", nothing("cd -")),
        (&["cargo test"], "cd $X && cargo test", nothing("cd $X")),
        (&["cargo test", "cargo fmt"], "cargo fmt && cargo test", Ok(())),
        (&["ls"], "ls", Ok(())),
        (&[], "ls", nothing("ls")),
        (
            &["cargo test"],
            "(cargo test)",
            Err("the line is not read for certain: it groups commands in parentheses".to_owned()),
        ),
        (
            &["cargo test"],
            "if cargo test; then rm x; fi",
            Err("the line is not read for certain: it holds a loop, a condition or another \
                 compound command"
                .to_owned()),
        ),
        (&["eval"], "eval 'rm x'", Ok(())),
    ] {
        assert_eq!(permitted(line, patterns), expected, "{patterns:?}: {line}");
    }
}

#[test]
fn arguments_are_words_as_they_stand() {
    let pattern = [Pattern::parse("grep -r").expect("a pattern")];
    let arguments = |words: &[&str]| {
        Execution::arguments(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    };
    for (words, permitted, line) in [
        (&["grep", "-r", "$(rm x); y"][..], true, "grep -r '$(rm x); y'"),
        (&["grep", "it's"], false, r"grep 'it'\''s'"),
        (&["grep -r"], false, "'grep -r'"),
        (&[], false, ""),
    ] {
        let execution = arguments(words);
        assert_eq!(execution.permitted_by(&pattern).is_ok(), permitted, "{words:?}");
        assert_eq!(execution.line, line);
    }
}

#[test]
fn a_pattern_is_the_beginning_of_one_command() {
    for bad in ["", "*", "a; b", "a $(b)", "a > f", "(a)", "$X", "X=1", "a | b", "a *.rs"] {
        assert!(Pattern::parse(bad).is_err(), "{bad:?}");
    }
}
