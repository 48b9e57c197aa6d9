use super::*;

fn page(width: usize, style: Style) -> Page {
    Page { style, width }
}

/// What is shown of `source` when it comes all at once.
fn whole(source: &str, width: usize, style: Style) -> String {
    let mut stream = Stream::new(page(width, style));
    stream.push(source) + &stream.finish()
}

const EVERYTHING: &str = "\
# What I did

I renamed `total` to **sum_of** and *updated* its [callers](https://a.example/x).
Now the line is long enough to be wrapped.

1. first
2. second
   - inner one
   - [x] done

> A remark
> of two lines.

```sh
sh test.sh   # as it is, however long the line may be: it is not wrapped
```

| file | lines |
|---|---|
| a.sh | +1 -1 |
| longer.sh | +2 |

---

```diff
-old
+new
```
The end.
";

#[test]
fn blocks_are_laid_out_and_keep_their_marks_without_colour() {
    assert_eq!(
        whole(EVERYTHING, 48, Style::Plain),
        "\
# What I did

I renamed `total` to **sum_of** and *updated*
its callers (https://a.example/x). Now the line
is long enough to be wrapped.

1. first
2. second
   - inner one
   - [x] done

│ A remark of two lines.

```sh
sh test.sh   # as it is, however long the line may be: it is not wrapped
```

file      │ lines
──────────┼──────
a.sh      │ +1 -1
longer.sh │ +2

────────────────────────────────────────

```diff
-old
+new
```

The end.
"
    );
}

#[test]
fn with_colour_the_marks_give_way_to_it() {
    assert_eq!(
        whole("## A *b*\n\n**two words** `x y`\n", 40, Style::Coloured),
        "\u{1b}[1mA\u{1b}[0m \u{1b}[3mb\u{1b}[0m\n\n\u{1b}[1mtwo\u{1b}[0m \u{1b}[1mwords\u{1b}[0m \
         \u{1b}[36mx\u{1b}[0m \u{1b}[36my\u{1b}[0m\n"
    );
    let diff = whole("```diff\n-a\n```\n", 40, Style::Coloured);
    assert!(diff.contains("\u{1b}[31m-a\u{1b}[0m\n"), "{diff:?}");
}

#[test]
fn a_screen_that_is_narrow_has_short_lines_and_no_columns() {
    let shown = whole(EVERYTHING, 16, Style::Plain);
    assert!(shown.contains("- file: a.sh\n  lines: +1 -1\n"), "{shown}");
    let prose = shown.split("```").next().unwrap_or_default();
    for line in prose.lines().filter(|line| !line.contains("https:")) {
        assert!(textwrap::core::display_width(line) <= 16, "{line:?}");
    }
}

#[test]
fn it_does_not_matter_in_which_pieces_a_text_comes() {
    let expected = whole(EVERYTHING, 60, Style::Coloured);
    for size in [1, 2, 3, 7, 31, 400] {
        let mut stream = Stream::new(page(60, Style::Coloured));
        let mut shown = String::new();
        for piece in EVERYTHING.as_bytes().chunks(size) {
            shown += &stream.push(std::str::from_utf8(piece).expect("ASCII"));
        }
        shown += &stream.finish();
        assert_eq!(shown, expected, "pieces of {size}");
    }
}

#[test]
fn a_block_is_shown_as_soon_as_it_is_complete() {
    let mut stream = Stream::new(page(60, Style::Plain));
    for (words, expected) in [
        ("One par", ""),
        ("agraph.\n", ""),
        ("\n", "One paragraph.\n"),
        ("- a\n", ""),
        ("- b\n", "\n- a\n"),
        ("- c\n", "- b\n"),
        ("\n```\nlet x", "- c\n\n```\n"),
        (" = 1;\n\n", "let x = 1;\n\n"),
        ("more\n", "more\n"),
        ("```\nafter", ""),
    ] {
        assert_eq!(stream.push(words), expected, "{words:?}");
    }
    assert_eq!(stream.finish(), "```\n\nafter\n");
}

#[test]
fn nothing_in_a_text_steers_the_terminal() {
    for text in [
        "a \u{1b}]52;c;eA==\u{7} b\n",
        "`a\u{1b}[2Jb`\n",
        "```\n\u{1b}[2J\n```\n",
        "```\u{1b}[2J\nx\n```\n",
        "&#27;[2J\n",
        "[x](http://a/\u{1b}[2J)\n",
        "<b\u{1b}[2J>\n",
        "| \u{1b}[2J |\n|---|\n| \u{9b}2J |\n",
        "> \u{202e}x\n",
        "\u{1}[x\u{1}](y)\n",
    ] {
        let shown = whole(text, 40, Style::Plain);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{text:?} {shown:?}");
        assert!(!shown.contains('\u{202e}'), "{text:?}");
    }
}

#[test]
fn what_is_cut_off_or_odd_is_shown_all_the_same() {
    for (text, expected) in [
        ("", ""),
        ("\n\n", ""),
        ("plain", "plain\n"),
        ("```\nopen", "```\nopen\n```\n"),
        ("- ", "-\n"),
        ("**open", "**open\n"),
        ("    indented\n", "```\nindented\n```\n"),
        ("<https://a.example>", "https://a.example\n"),
        ("a  \nb", "a\nb\n"),
    ] {
        assert_eq!(whole(text, 40, Style::Plain), expected, "{text:?}");
    }
}
