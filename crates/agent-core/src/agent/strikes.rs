//! What speaks against a model's tool calls, until JSON decisions take their place.

/// So much, and they do.
const ENOUGH: u32 = 2;

/// What is wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It was written as text instead of made.
    Text,
    /// There is no such tool, or its arguments don't fit.
    Form,
    /// The model was told that it repeats itself, and has done so again.
    Repeated,
}

impl Flaw {
    /// Why the protocol changes. It reads after "since ".
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::Text => "the model writes its calls as text",
            Self::Form => "the model makes calls that no tool takes",
            Self::Repeated => "the model repeats calls although it was told of it",
        }
    }
}

/// The count of a session. A step without a flaw takes back one with, so that a model that makes
/// a mistake once in a while keeps its tools.
#[derive(Debug, Default)]
pub(super) struct Strikes {
    count: u32,
    /// What was seen in the step under way.
    seen: Option<Flaw>,
    last: Option<Flaw>,
}

impl Strikes {
    /// Takes note of a flaw.
    pub(super) fn note(&mut self, flaw: Flaw) {
        self.seen = Some(flaw);
        self.last = Some(flaw);
    }

    /// A step is over.
    pub(super) fn end_step(&mut self) {
        self.count = match self.seen.take() {
            // The word to the model was the first.
            Some(Flaw::Repeated) => ENOUGH,
            Some(Flaw::Text | Flaw::Form) => self.count + 1,
            None => self.count.saturating_sub(1),
        };
    }

    /// The flaw for which the protocol is to change.
    pub(super) fn enough(&self) -> Option<Flaw> {
        self.last.filter(|_| self.count >= ENOUGH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_flawed_steps_are_enough_unless_good_ones_outweigh_them() {
        for (steps, expected) in [
            ("", None),
            (".", None),
            ("t", None),
            ("tt", Some(Flaw::Text)),
            ("tf", Some(Flaw::Form)),
            ("t.f", None),
            ("t.t.t.t", None),
            ("tt.", None),
            ("...tt", Some(Flaw::Text)),
            ("r", Some(Flaw::Repeated)),
        ] {
            let mut strikes = Strikes::default();
            for step in steps.chars() {
                match step {
                    't' => strikes.note(Flaw::Text),
                    'f' => strikes.note(Flaw::Form),
                    'r' => strikes.note(Flaw::Repeated),
                    _ => {}
                }
                strikes.end_step();
            }
            assert_eq!(strikes.enough(), expected, "{steps}");
        }
    }
}
