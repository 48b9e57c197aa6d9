//! How much room there is, as well as it is known.

/// The window's size, and how far estimates of tokens are off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gauge {
    window: Option<u64>,
    /// Reported tokens for an estimated one.
    factor: f64,
}

/// Factors that are believed. What is reported beyond them is no count of a whole prompt.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.5..=4.0;

/// Estimates below it are too small to tell a cut prompt from a bad estimate.
const WORTH_COMPARING: u64 = 2000;

impl Gauge {
    /// Without a `window` there is no end to it.
    pub(crate) fn new(window: Option<u32>) -> Self {
        Self { window: window.map(u64::from), factor: 1.0 }
    }

    /// The window's size in tokens.
    pub(crate) fn window(&self) -> Option<u64> {
        self.window
    }

    /// An estimate, corrected by what was learned.
    pub(crate) fn corrected(&self, estimate: u64) -> u64 {
        (estimate as f64 * self.factor).ceil() as u64
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_follow_what_is_reported() {
        let mut gauge = Gauge::new(Some(1000));
        assert_eq!(gauge.corrected(100), 100);
        gauge.observe(100, 150);
        assert_eq!(gauge.corrected(100), 150, "up at once");
        gauge.observe(100, 100);
        assert_eq!(gauge.corrected(100), 125, "down by half");
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
}
