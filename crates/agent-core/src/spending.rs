//! What a run has used up: tokens, money, tool calls, time.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use agent_llm::{Price, Sent, Usage};

use crate::{
    Spent, Traffic,
    budget::{Budget, Exhausted},
};

mod tally;

pub(crate) use tally::Tally;

/// One pot for all model calls of an agent, whatever they are for.
#[derive(Debug)]
pub(crate) struct Spending {
    budget: Budget,
    price: Option<Price>,
    used: Mutex<Used>,
}

#[derive(Debug)]
struct Used {
    tally: Tally,
    traffic: Traffic,
    /// The last call's request, where its provider tells.
    sent: Option<Sent>,
    tool_calls: u64,
    since: Instant,
    waited: Duration,
}

impl Spending {
    pub(crate) fn new(budget: Budget, price: Option<Price>) -> Self {
        let used = Used {
            tally: Tally::default(),
            traffic: Traffic::default(),
            sent: None,
            tool_calls: 0,
            since: Instant::now(),
            waited: Duration::ZERO,
        };
        Self { budget, price, used: Mutex::new(used) }
    }

    /// A request of the user begins: its time and its tool calls are counted anew, while tokens and
    /// money are those of the session, which has used up so much.
    pub(crate) fn begin(&self, tally: Tally) {
        let mut used = self.used();
        (used.tally, used.traffic) = (tally, Traffic::default());
        (used.tool_calls, used.since, used.waited) = (0, Instant::now(), Duration::ZERO);
    }

    /// Tokens and cost of all calls so far.
    pub(crate) fn spent(&self) -> Spent {
        let tally = self.used().tally;
        Spent { usage: tally.usage, cost: tally.cost().filter(|_| self.price.is_some()) }
    }

    /// What was sent since the request began.
    pub(crate) fn traffic(&self) -> Traffic {
        self.used().traffic
    }

    /// The last call's request.
    pub(crate) fn last_sent(&self) -> Option<Sent> {
        self.used().sent
    }

    /// What so many tokens cost, where the price is known.
    pub(crate) fn cost(&self, usage: Usage) -> Option<f64> {
        self.price.map(|price| price.of(usage))
    }

    /// Counts a model call.
    pub(crate) fn add(&self, usage: Usage, sent: Option<Sent>) {
        let mut used = self.used();
        used.tally.add(usage, self.price);
        used.traffic.add(sent.unwrap_or_default());
        used.sent = sent;
    }

    /// Whether a request may be sent that takes about `next` tokens.
    pub(crate) fn allows(&self, next: u64) -> Result<(), Exhausted> {
        let tally = self.used().tally;
        let usage = tally.usage;
        let spent = usage.input_tokens.saturating_add(usage.output_tokens);
        if let Some(limit) = self.budget.tokens
            && spent.saturating_add(next) > limit
        {
            return Err(Exhausted::Tokens { limit, spent, next });
        }
        if let (Some(limit), Some(_)) = (self.budget.cost, self.price)
            && let cost = tally.known_cost()
            && cost >= limit
        {
            let millionths = |dollars: f64| (dollars * 1e6).round() as u64;
            return Err(Exhausted::Cost { limit: millionths(limit), spent: millionths(cost) });
        }
        self.time_left().map(drop)
    }

    /// Counts a tool call that is about to be carried out, unless it would be one too many.
    pub(crate) fn count_tool_call(&self) -> Result<(), Exhausted> {
        self.time_left()?;
        let mut used = self.used();
        if let Some(limit) = self.budget.tool_calls
            && used.tool_calls >= limit
        {
            return Err(Exhausted::ToolCalls(limit));
        }
        used.tool_calls += 1;
        Ok(())
    }

    /// The time that is left, with what is to be said when it is over; none without a limit.
    pub(crate) fn time_left(&self) -> Result<Option<(Duration, Exhausted)>, Exhausted> {
        let Some(limit) = self.budget.time else { return Ok(None) };
        let used = self.used();
        let passed = used.since.elapsed().saturating_sub(used.waited);
        match limit.checked_sub(passed) {
            None | Some(Duration::ZERO) => Err(Exhausted::Time(limit)),
            Some(left) => Ok(Some((left, Exhausted::Time(limit)))),
        }
    }

    /// Time does not count until this is dropped: somebody is asked.
    pub(crate) fn waiting(&self) -> Waiting<'_> {
        Waiting { spending: self, since: Instant::now() }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A time that does not count, until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Waiting<'s> {
    spending: &'s Spending,
    since: Instant,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.spending.used().waited += self.since.elapsed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price { input: 2.0, cached: 0.5, written: None, output: 10.0 };

    fn usage(input_tokens: u64, cached_tokens: u64, output_tokens: u64) -> Usage {
        Usage { input_tokens, cached_tokens, output_tokens, ..Usage::default() }
    }

    fn spent_by(spending: &Spending) -> Tally {
        spending.used().tally
    }

    #[test]
    fn tokens_are_limited_by_what_was_used_and_what_comes() {
        let budget = Budget { tokens: Some(100), ..Budget::default() };
        let spending = Spending::new(budget, None);
        assert_eq!(spending.allows(100), Ok(()));
        let over = |spent, next| Err(Exhausted::Tokens { limit: 100, spent, next });
        assert_eq!(spending.allows(101), over(0, 101));
        spending.add(usage(60, 50, 10), None);
        assert_eq!(spending.allows(30), Ok(()));
        assert_eq!(spending.allows(31), over(70, 31));
        spending.begin(spent_by(&spending));
        assert_eq!(spending.allows(31), over(70, 31), "a session has one pot");
        assert_eq!(spending.spent(), Spent { usage: usage(60, 50, 10), cost: None });
    }

    #[test]
    fn money_is_limited_where_the_price_is_known() {
        let budget = Budget { cost: Some(3.5), ..Budget::default() };
        let spending = Spending::new(budget, Some(PRICE));
        spending.add(usage(1_000_000, 0, 0), None);
        assert_eq!((spending.spent().cost, spending.allows(9)), (Some(2.0), Ok(())));
        spending.add(usage(1_000_000, 1_000_000, 100_000), None);
        assert_eq!(spending.spent().cost, Some(3.5));
        let over = Exhausted::Cost { limit: 3_500_000, spent: 3_500_000 };
        assert_eq!(spending.allows(0), Err(over));

        let unknown = Spending::new(budget, None);
        unknown.add(usage(1_000_000_000, 0, 0), None);
        assert_eq!(unknown.allows(0), Ok(()));
    }

    #[test]
    fn tool_calls_are_counted_for_each_request() {
        let spending = Spending::new(Budget { tool_calls: Some(2), ..Budget::default() }, None);
        for _ in 0..2 {
            assert_eq!(spending.count_tool_call(), Ok(()));
            assert_eq!(spending.count_tool_call(), Ok(()));
            assert_eq!(spending.count_tool_call(), Err(Exhausted::ToolCalls(2)));
            spending.begin(spent_by(&spending));
        }
    }

    #[test]
    fn time_does_not_pass_while_somebody_is_asked() {
        let limit = Duration::from_millis(200);
        let spending = Spending::new(Budget { time: Some(limit), ..Budget::default() }, None);
        assert!(matches!(spending.time_left(), Ok(Some((_, Exhausted::Time(_))))));
        let waiting = spending.waiting();
        std::thread::sleep(limit * 2);
        drop(waiting);
        assert_eq!(spending.allows(0), Ok(()));
        std::thread::sleep(limit * 2);
        assert_eq!(spending.allows(0), Err(Exhausted::Time(limit)));
        assert_eq!(spending.count_tool_call(), Err(Exhausted::Time(limit)));
        spending.begin(spent_by(&spending));
        assert_eq!(spending.allows(0), Ok(()));
    }
}
