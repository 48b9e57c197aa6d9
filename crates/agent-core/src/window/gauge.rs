//! How much room there is, as well as it is known.

use agent_llm::{Error, ErrorKind};

use super::Room;

/// The window's size, and how far estimates of tokens are off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gauge {
    window: Option<u64>,
    /// Reported tokens for an estimated one.
    factor: f64,
}

/// Factors that are believed. What is reported beyond them is no count of a whole prompt.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.5..=4.0;

/// The most that is kept free for a reply.
const REPLY: u64 = 16_000;

/// Estimates below it are too small to tell a cut prompt from a bad estimate.
const WORTH_COMPARING: u64 = 2000;

/// No window is taken to be smaller: numbers in errors may mean something else.
const SMALLEST: u64 = 512;

impl Gauge {
    /// Without a `window` there is no end to it.
    pub(crate) fn new(window: Option<u32>) -> Self {
        Self { window: window.map(u64::from), factor: 1.0 }
    }

    /// The window's size in tokens.
    pub(crate) fn window(&self) -> Option<u64> {
        self.window
    }

    /// Whether an estimate is within the window.
    pub(crate) fn holds(&self, estimate: u64) -> bool {
        self.window.is_none_or(|window| self.corrected(estimate) <= window)
    }

    /// An estimate, corrected by what was learned.
    pub(crate) fn corrected(&self, estimate: u64) -> u64 {
        (estimate as f64 * self.factor).ceil() as u64
    }

    /// The room for a conversation, in estimated tokens: the window, less what a reply needs. None
    /// where there is no end to the window.
    pub(crate) fn room(&self) -> Option<Room> {
        let window = self.window?;
        let reply = (window / 5).min(REPLY);
        Some(Room::of(((window - reply) as f64 / self.factor).floor() as u64))
    }

    /// Learns from what a provider reports of a prompt. Too small an estimate is corrected at once,
    /// too large a one by and by.
    pub(crate) fn observe(&mut self, estimate: u64, reported: u64) {
        let factor = reported as f64 / estimate.max(1) as f64;
        if PLAUSIBLE.contains(&factor) {
            self.factor = if factor > self.factor { factor } else { (self.factor + factor) / 2.0 };
        }
    }

    /// Whether a server that reports so many tokens has not seen the whole prompt.
    pub(crate) fn was_cut(&self, estimate: u64, reported: u64) -> bool {
        let expected = self.corrected(estimate);
        reported > 0 && expected >= WORTH_COMPARING && reported.saturating_mul(2) < expected
    }

    /// Learns from an error that says that a prompt was too long; whether the next may be shorter.
    pub(crate) fn refused(&mut self, estimate: u64, error: &Error) -> bool {
        if error.kind != ErrorKind::ContextTooLong {
            return false;
        }
        let sent = self.corrected(estimate);
        // Errors name the limit and what was sent, in one order or the other.
        let numbers = numbers(&error.message);
        let named = numbers.iter().copied().filter(|&number| number >= SMALLEST).min();
        let most = numbers.iter().copied().max().unwrap_or(0);
        if numbers.len() > 1 && most > sent {
            self.observe(estimate, most);
        }
        let known = self.window.unwrap_or(u64::MAX);
        let window = match named {
            Some(named) if named < known && named < most.max(sent) => named,
            Some(_) | None => known.min(sent) * 3 / 4,
        };
        let lower = window.max(SMALLEST);
        let shorter = lower < known;
        self.window = Some(lower.min(known));
        shorter
    }
}

/// The whole numbers in a text, with or without commas between thousands.
fn numbers(text: &str) -> Vec<u64> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ',' | '.' | '_'));
    let digits = words.map(|word| word.trim_end_matches(['.', ',']).replace(',', ""));
    digits.filter_map(|digits| digits.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_long(message: &str) -> Error {
        Error::new(ErrorKind::ContextTooLong, "p", message)
    }

    #[test]
    fn estimates_follow_what_is_reported() {
        let mut gauge = Gauge::new(Some(1000));
        assert_eq!(gauge.corrected(100), 100);
        gauge.observe(100, 150);
        assert_eq!(gauge.corrected(100), 150, "up at once");
        gauge.observe(100, 100);
        assert_eq!(gauge.corrected(100), 125, "down by half");
        assert_eq!(gauge.room(), Some(Room::of(640)), "800 tokens are 640 estimated ones");
        for implausible in [0, 10, 100_000] {
            gauge.observe(100, implausible);
            assert_eq!(gauge.corrected(100), 125);
        }
    }

    #[test]
    fn a_prompt_that_was_cut_is_told_from_a_bad_estimate() {
        let gauge = Gauge::new(None);
        for (estimate, reported, cut) in [
            (8000, 2048, true),
            (8000, 3999, true),
            (8000, 4000, false),
            (8000, 0, false),
            (1999, 10, false),
        ] {
            assert_eq!(gauge.was_cut(estimate, reported), cut, "{reported} of {estimate}");
        }
    }

    #[test]
    fn an_error_tells_the_window() {
        for (message, window) in [
            (
                "This model's maximum context length is 8192 tokens. However, your messages \
                 resulted in 10034 tokens.",
                8192,
            ),
            ("prompt is too long: 215000 tokens > 8,000 maximum", 8000),
            ("the request exceeds the available context size (4096 tokens)", 4096),
            ("the input token count (1100000) exceeds the maximum of 9000 (HTTP 400)", 9000),
            ("too long (HTTP 400)", 7500),
        ] {
            let mut gauge = Gauge::new(Some(32_000));
            assert!(gauge.refused(10_000, &too_long(message)), "{message}");
            assert_eq!(gauge.window(), Some(window), "{message}");
        }
        let mut gauge = Gauge::new(None);
        assert!(gauge.refused(10_000, &too_long("no")));
        assert_eq!(gauge.window(), Some(7500));
        let other = Error::new(ErrorKind::BadRequest, "p", "no");
        assert!(!gauge.refused(10_000, &other));
        assert!(!Gauge::new(Some(512)).refused(600, &too_long("no")), "it can't get any smaller");
    }

    #[test]
    fn what_was_sent_corrects_the_estimate() {
        let mut gauge = Gauge::new(Some(32_000));
        gauge.refused(10_000, &too_long("20000 tokens are more than the window of 16000"));
        assert_eq!((gauge.window(), gauge.corrected(100)), (Some(16_000), 200));
    }
}
