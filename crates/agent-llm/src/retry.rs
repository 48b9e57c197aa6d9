//! Sends a failed call again.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::StreamExt;
use tokio::time::Instant;

use crate::{Delta, DeltaStream, Error, ErrorKind, Provider, Request, Retry};

/// When to send a failed call again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a call is sent at most, the first time included.
    pub max_attempts: u32,
    /// The delay before the second attempt; it doubles from one to the next, with jitter on top.
    pub base_delay: Duration,
    /// The longest delay that is chosen here. A server may ask for more.
    pub max_delay: Duration,
    /// The most time that may be lost: delays, and attempts that brought nothing. An attempt that
    /// brought something before it broke was work, however long it took.
    pub total: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(30),
            total: Duration::from_secs(120),
        }
    }
}

/// A provider that sends a call again when it failed for a reason that may pass.
///
/// [`ErrorKind::is_transient`] says which reasons those are; a refused key or a malformed request
/// is never repeated. A reply that breaks off is asked for anew: [`Delta::Retry`], which comes
/// before each further attempt, declares void what was received of it. What the server asks for
/// with `Retry-After` is honoured, unless it exceeds what [`RetryPolicy::total`] leaves; then the
/// call fails at once, since waiting would only delay the same answer.
#[derive(Debug)]
pub struct Retrying<P> {
    provider: Arc<P>,
    policy: RetryPolicy,
}

impl<P: Provider> Retrying<P> {
    /// Wraps a provider.
    pub fn new(provider: P, policy: RetryPolicy) -> Self {
        Self { provider: Arc::new(provider), policy }
    }
}

impl<P: Provider + 'static> Provider for Retrying<P> {
    fn model(&self) -> &str {
        self.provider.model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        let provider = Arc::clone(&self.provider);
        let mut attempts = Attempts::new(self.policy);
        Box::pin(stream! {
            loop {
                attempts.begin();
                let mut deltas = provider.send(request.clone());
                let error = loop {
                    match deltas.next().await {
                        Some(Ok(delta)) => {
                            // What was sent is not yet anything that came.
                            if !matches!(delta, Delta::Sent(_)) {
                                attempts.brought_something();
                            }
                            let complete = matches!(delta, Delta::Finish(_));
                            yield Ok(delta);
                            if complete {
                                return;
                            }
                        }
                        Some(Err(error)) => break error,
                        None => {
                            let message = "the reply ended before it was complete";
                            break Error::new(ErrorKind::Cut, provider.model(), message);
                        }
                    }
                };
                // The connection is closed before the wait.
                drop(deltas);
                match attempts.after(error) {
                    Ok(retry) => {
                        let delay = retry.delay;
                        yield Ok(Delta::Retry(retry));
                        tokio::time::sleep(delay).await;
                    }
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                }
            }
        })
    }
}

/// The attempts of one call.
struct Attempts {
    policy: RetryPolicy,
    delays: ExponentialBackoff,
    /// The number of the attempt under way, from 1.
    number: u32,
    /// Since when the attempt under way has brought nothing; `None` once it has.
    silent_since: Option<Instant>,
    lost: Duration,
}

/// Another number in every process and call: clients that were turned away together must not come
/// back together. The standard library's hash maps have what it takes.
fn seed() -> u64 {
    RandomState::new().hash_one(0)
}

impl Attempts {
    fn new(policy: RetryPolicy) -> Self {
        let delays = ExponentialBuilder::default()
            .with_min_delay(policy.base_delay)
            .with_max_delay(policy.max_delay)
            .without_max_times()
            .with_jitter()
            .with_jitter_seed(seed());
        Self { policy, delays: delays.build(), number: 0, silent_since: None, lost: Duration::ZERO }
    }

    fn begin(&mut self) {
        self.number += 1;
        self.silent_since = Some(Instant::now());
    }

    fn brought_something(&mut self) {
        self.silent_since = None;
    }

    /// Whether and when the call is sent again after `error`, or the error to give up with.
    fn after(&mut self, mut error: Error) -> Result<Retry, Error> {
        if !error.kind.is_transient() {
            return Err(error);
        }
        let number = self.number;
        if number >= self.policy.max_attempts {
            if number > 1 {
                error.message.push_str(&format!("; gave up after {number} attempts"));
            }
            return Err(error);
        }
        self.lost += self.silent_since.map_or(Duration::ZERO, |since| since.elapsed());
        let left = self.policy.total.saturating_sub(self.lost);
        let chosen = self.delays.next().unwrap_or_default().min(self.policy.max_delay);
        let delay = error.retry_after.unwrap_or(chosen);
        if delay > left {
            let reason = match error.retry_after {
                Some(asked) => format!(
                    "; the server asks to wait {} s, and {} s are left for retries",
                    asked.as_secs_f32().ceil(),
                    left.as_secs()
                ),
                None => "; no time is left for another attempt".to_owned(),
            };
            error.message.push_str(&reason);
            return Err(error);
        }
        self.lost += delay;
        tracing::debug!(attempt = number, ?delay, %error, "sending again");
        Ok(Retry { attempt: number, delay, error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Scripted;
    use crate::{FinishReason, Message, Purpose, Reply};

    fn request() -> Request {
        Request::new(Purpose::Decide, vec![Arc::new(Message::User("go".to_owned()))])
    }

    fn retrying(script: &str) -> Retrying<Scripted> {
        let provider = Scripted::open("test", script.as_bytes()).unwrap();
        Retrying::new(provider, RetryPolicy::default())
    }

    /// Every delta, an error as the last.
    async fn outcome(script: &str) -> Vec<Result<Delta, Error>> {
        let provider = retrying(script);
        let outcome = provider.send(request()).collect().await;
        assert_eq!(provider.provider.unused(), []);
        outcome
    }

    fn retries(outcome: &[Result<Delta, Error>]) -> Vec<&Retry> {
        let retries = outcome.iter().filter_map(|delta| match delta {
            Ok(Delta::Retry(retry)) => Some(retry),
            Ok(_) | Err(_) => None,
        });
        retries.collect()
    }

    fn last_error(outcome: &[Result<Delta, Error>]) -> &Error {
        outcome.last().unwrap().as_ref().unwrap_err()
    }

    #[tokio::test(start_paused = true)]
    async fn the_server_says_when() {
        let before = Instant::now();
        let outcome = outcome(
            r#"
            {"purpose": "decide", "fault": {"status": 429, "headers": {"retry-after": "7"}, "body": "slow down"}}
            {"purpose": "decide", "text": "ok"}
            "#,
        )
        .await;
        assert_eq!(before.elapsed(), Duration::from_secs(7));
        let retry = retries(&outcome)[0];
        assert_eq!((retry.attempt, retry.delay), (1, Duration::from_secs(7)));
        assert_eq!(retry.error.kind, ErrorKind::RateLimited);
        assert_eq!(outcome.last(), Some(&Ok(Delta::Finish(FinishReason::Stop))));
    }

    #[tokio::test(start_paused = true)]
    async fn delays_double_with_jitter() {
        let outcome = outcome(
            r#"
            {"purpose": "decide", "fault": {"status": 500}}
            {"purpose": "decide", "fault": {"status": 503}}
            {"purpose": "decide", "fault": {"status": 502}}
            {"purpose": "decide", "text": "ok"}
            "#,
        )
        .await;
        let delays: Vec<_> =
            retries(&outcome).iter().map(|retry| retry.delay.as_millis()).collect();
        assert_eq!(delays.len(), 3);
        for (delay, least) in delays.into_iter().zip([500, 1000, 2000]) {
            assert!((least..=2 * least).contains(&delay), "{delay} of {least}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn it_gives_up_in_the_end() {
        let line = "{\"purpose\": \"decide\", \"fault\": {\"status\": 500, \"body\": \"no\"}}\n";
        let outcome = outcome(&line.repeat(4)).await;
        assert_eq!(retries(&outcome).len(), 3);
        assert_eq!(last_error(&outcome).message, "no (HTTP 500); gave up after 4 attempts");
    }

    #[tokio::test]
    async fn what_does_not_pass_is_not_repeated() {
        let quota = r#"{\"error\": {\"code\": \"insufficient_quota\", \"message\": \"m\"}}"#;
        for (status, body) in
            [(400, ""), (401, ""), (402, ""), (403, ""), (404, ""), (422, ""), (429, quota)]
        {
            let fault = format!(r#"{{"status": {status}, "body": "{body}"}}"#);
            let outcome = outcome(&format!(r#"{{"purpose": "decide", "fault": {fault}}}"#)).await;
            assert_eq!(outcome.len(), 1, "{status}");
            assert_eq!(last_error(&outcome).status, Some(status));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn too_long_a_wait_is_not_begun() {
        let outcome = outcome(
            r#"{"purpose": "decide", "fault": {"status": 429, "headers": {"retry-after": "121"}, "body": "tomorrow"}}"#,
        )
        .await;
        assert_eq!(
            last_error(&outcome).message,
            "tomorrow (HTTP 429); the server asks to wait 121 s, and 120 s are left for retries"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn waits_add_up() {
        let line = "{\"purpose\": \"decide\", \"fault\": {\"status\": 503, \"headers\": {\"retry-after\": \"70\"}}}\n";
        let outcome = outcome(&line.repeat(2)).await;
        assert_eq!(
            last_error(&outcome).message,
            "HTTP 503 without an explanation; the server asks to wait 70 s, and 50 s are left for retries"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_broken_reply_is_void() {
        let script = r#"
            {"purpose": "decide", "text": "half a reply", "fault": {"cut_after_bytes": 6}}
            {"purpose": "decide", "text": "whole"}
            "#;
        let outcome = outcome(script).await;
        let text = |text: &str| Ok(Delta::Text(text.to_owned()));
        assert_eq!(outcome[..2], [text("half "), text("a")]);
        assert_eq!(retries(&outcome)[0].error.kind, ErrorKind::Cut);
        let reply = Reply::collect(retrying(script).send(request())).await.unwrap();
        assert_eq!(reply.text(), "whole");
    }

    #[test]
    fn silence_counts_as_lost_and_work_does_not() {
        let slow = RetryPolicy { total: Duration::ZERO, ..RetryPolicy::default() };
        let error = || Error::new(ErrorKind::Network, "p", "silent");
        let mut attempts = Attempts::new(slow);
        attempts.begin();
        assert_eq!(
            attempts.after(error()).unwrap_err().message,
            "silent; no time is left for another attempt"
        );

        let mut attempts = Attempts::new(RetryPolicy::default());
        attempts.begin();
        attempts.brought_something();
        attempts.after(error()).unwrap();
        let delays_only = attempts.lost;
        assert!(delays_only <= Duration::from_secs(1), "{delays_only:?}");
    }
}
