//! Tokens and money, summed call by call.

use agent_llm::{Price, Usage};

/// What calls took. Each is paid at the price of its model, which may be another one when a session
/// is gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Tally {
    pub(crate) usage: Usage,
    /// US dollars, of the calls whose price is known.
    cost: f64,
    /// Whether there were others.
    unpriced: bool,
}

impl Tally {
    /// Counts a call.
    pub(crate) fn add(&mut self, usage: Usage, price: Option<Price>) {
        self.usage += usage;
        match price {
            Some(price) => self.cost += price.of(usage),
            None => self.unpriced |= usage != Usage::default(),
        }
    }

    /// What it cost; none where that is not known of every call.
    pub(crate) fn cost(&self) -> Option<f64> {
        (!self.unpriced).then_some(self.cost)
    }

    /// What it cost at least.
    pub(crate) fn known_cost(&self) -> f64 {
        self.cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_known_where_every_price_is() {
        let price = |input| Price { input, cached: 0.5, written: None, output: 10.0 };
        let usage = Usage { input_tokens: 1_000_000, ..Usage::default() };
        let mut tally = Tally::default();
        assert_eq!(tally.cost(), Some(0.0));
        tally.add(Usage::default(), None);
        tally.add(usage, Some(price(2.0)));
        tally.add(usage, Some(price(1.0)));
        assert_eq!((tally.usage.input_tokens, tally.cost()), (2_000_000, Some(3.0)));
        tally.add(usage, None);
        assert_eq!((tally.cost(), tally.known_cost()), (None, 3.0));
    }
}
