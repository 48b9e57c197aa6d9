//! A matching line, short enough to be shown.

/// Stands where text was left out.
const ELLIPSIS: char = '…';

/// The line as text, cut to about `max_chars` characters around the match that begins at byte
/// `hit`. Bytes that are no UTF-8 become U+FFFD.
pub(super) fn excerpt(line: &[u8], hit: usize, max_chars: usize) -> String {
    if line.len() <= max_chars {
        return String::from_utf8_lossy(line).into_owned();
    }
    // The line may be megabytes long: only what could be shown is decoded. A character has at most
    // four bytes; one more on each side is cut off again where the window splits it.
    let reach = 4 * (max_chars + 1);
    let from = hit.saturating_sub(reach);
    let to = hit.saturating_add(reach).min(line.len());
    let before = String::from_utf8_lossy(&line[from..hit]);
    let after = String::from_utf8_lossy(&line[hit..to]);
    let (before_chars, after_chars) = (before.chars().count(), after.chars().count());

    // A quarter of the room leads up to the hit, more when what follows needs less.
    let lead = before_chars.min((max_chars / 4).max(max_chars.saturating_sub(after_chars)));
    let tail = after_chars.min(max_chars - lead);
    let mut text = String::new();
    if from > 0 || lead < before_chars {
        text.push(ELLIPSIS);
    }
    text.extend(before.chars().skip(before_chars - lead));
    text.extend(after.chars().take(tail));
    if to < line.len() || tail < after_chars {
        text.push(ELLIPSIS);
    }
    text
}

/// The line without the line ending that closes it.
pub(super) fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, hit: &str, max_chars: usize, expected: &str) {
        let start = line.find(hit).unwrap();
        let text = excerpt(line.as_bytes(), start, max_chars);
        assert_eq!(text, expected, "{line:?} around {hit:?} in {max_chars}");
    }

    #[test]
    fn a_line_is_cut_around_the_hit() {
        check("short", "o", 500, "short");
        check("exactly ten", "ten", 11, "exactly ten");
        check("abcdefghijklmnop", "a", 8, "abcdefgh…");
        check("abcdefghijklmnop", "h", 8, "…fghijklm…");
        check("abcdefghijklmnop", "p", 8, "…ijklmnop");
        check("abcdefghijklmnop", "efghijklmnop", 4, "…defg…");
        // Twice as many bytes as characters: no need to cut.
        check("ääääääää", "ää", 8, "ääääääää");
        check("äöüäöüäöüäöü", "ü", 8, "äöüäöüäö…");
        check("😀😀😀😀😀😀😀😀x😀😀😀😀😀😀😀😀", "x", 4, "…😀x😀😀…");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(excerpt(b"caf\xe9 x", 5, 500), "caf\u{fffd} x");
        assert_eq!(
            excerpt(b"\xff\xff\xff\xff\xff\xffx\xff\xff", 6, 4),
            "…\u{fffd}x\u{fffd}\u{fffd}"
        );
    }

    #[test]
    fn only_the_line_ending_is_stripped() {
        for (line, expected) in [
            ("a", "a"),
            ("a\n", "a"),
            ("a\r\n", "a"),
            ("a \t\n", "a \t"),
            ("a\r", "a"),
            ("a\r\r\n", "a\r"),
            ("\n", ""),
        ] {
            assert_eq!(without_ending(line.as_bytes()), expected.as_bytes());
        }
    }
}
