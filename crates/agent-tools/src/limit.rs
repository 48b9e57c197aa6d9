//! Text within bounds, with what was left out said in its place.

use std::borrow::Cow;

/// Room for the longest line that says what was left out.
const MARKER: usize =
    "\n… 18446744073709551615 lines (18446744073709551615 bytes) left out …\n".len();

/// Keeps the beginning and the end of a text that is longer than `max_bytes`, and says between
/// them how much was left out.
///
/// The cuts are between lines, unless a line is so long that most of the room would stay empty;
/// then they are between characters. The result is not longer than `max_bytes`, or than the line
/// that tells what was left out if `max_bytes` leaves no room for more.
pub fn head_tail(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let half = max_bytes.saturating_sub(MARKER) / 2;
    let head = &text[..head_end(text, half)];
    let tail = &text[tail_start(text, text.len() - half)..];
    let left_out = &text[head.len()..text.len() - tail.len()];
    let marker = marker(left_out);
    // A cut inside a line needs a line break, so that the marker stands alone.
    let before = if head.is_empty() || head.ends_with('\n') { "" } else { "\n" };
    Cow::Owned(format!("{head}{before}{marker}\n{tail}"))
}

fn marker(left_out: &str) -> String {
    let bytes = left_out.len();
    match left_out.matches('\n').count() {
        0 => format!("… {bytes} bytes left out …"),
        1 => format!("… 1 line ({bytes} bytes) left out …"),
        lines => format!("… {lines} lines ({bytes} bytes) left out …"),
    }
}

/// Where the beginning ends that is at most `room` bytes long.
fn head_end(text: &str, room: usize) -> usize {
    let cut = text.floor_char_boundary(room);
    let border = text[..cut].rfind('\n').map_or(0, |at| at + 1);
    if border >= room / 2 { border } else { cut }
}

/// Where the end begins that starts at byte `from` or later.
fn tail_start(text: &str, from: usize) -> usize {
    let cut = text.ceil_char_boundary(from);
    let border = if text[..cut].ends_with('\n') {
        cut
    } else {
        text[cut..].find('\n').map_or(text.len(), |at| cut + at + 1)
    };
    if text.len() - border >= (text.len() - from) / 2 { border } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(last: usize) -> String {
        (1..=last).map(|number| format!("line {number}\n")).collect()
    }

    #[test]
    fn short_text_stays() {
        assert!(matches!(head_tail("", 0), Cow::Borrowed("")));
        assert!(matches!(head_tail("abc", 3), Cow::Borrowed("abc")));
    }

    #[test]
    fn cuts_are_between_lines() {
        let room = MARKER + 2 * 16;
        assert_eq!(
            head_tail(&numbers(100), room),
            "line 1\nline 2\n… 97 lines (769 bytes) left out …\nline 100\n"
        );
        let unended = numbers(100).trim_end().to_owned();
        assert_eq!(
            head_tail(&unended, room),
            "line 1\nline 2\n… 96 lines (761 bytes) left out …\nline 99\nline 100"
        );
    }

    #[test]
    fn one_line_left_out() {
        let text = format!("{}\n{}\n{}\n", "a".repeat(20), "b".repeat(200), "c".repeat(20));
        assert_eq!(
            head_tail(&text, MARKER + 2 * 21),
            format!("{}\n… 1 line (201 bytes) left out …\n{}\n", "a".repeat(20), "c".repeat(20))
        );
    }

    #[test]
    fn an_enormous_line_is_cut_inside_between_characters() {
        let text = "é".repeat(1000);
        assert_eq!(head_tail(&text, MARKER + 2 * 5), "éé\n… 1992 bytes left out …\néé");
        let text = format!("a\n{}\nz\n", "x".repeat(1000));
        assert_eq!(
            head_tail(&text, MARKER + 2 * 8),
            "a\nxxxxxx\n… 989 bytes left out …\nxxxxx\nz\n"
        );
    }

    #[test]
    fn without_room_only_the_marker_remains() {
        assert_eq!(head_tail(&numbers(10), 5), "… 10 lines (71 bytes) left out …\n");
    }

    #[test]
    fn the_bound_is_kept_at_every_length() {
        let text = format!("{}é𝄞\r\n{}", numbers(40), "ü".repeat(300));
        for max in 0..=text.len() {
            let cut = head_tail(&text, max);
            assert!(cut.len() <= max.max(MARKER), "{max}: {}", cut.len());
        }
    }
}
