//! How long to wait before a request is sent again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// A server that wants more is not waited for: somebody sits there and listens.
pub const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// All our own waits together.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(8);
pub const MOST_RETRIES: u8 = 2;

/// Waits so far.
#[derive(Debug, Default)]
pub struct Patience {
    pub retries: u8,
    waited: Duration,
}

impl Patience {
    /// How long to wait now; `None` when it is enough.
    pub fn next(&mut self, first: Duration, wanted: Option<Duration>) -> Option<Duration> {
        let back_off = jittered(first.saturating_mul(3u32.pow(u32::from(self.retries))));
        let (wait, limit) = wanted.map_or((back_off, LONGEST_BACK_OFF), |wanted| (wanted, LONGEST_WAIT));
        if self.retries >= MOST_RETRIES || self.waited + wait > limit {
            return None;
        }
        self.retries += 1;
        self.waited += wait;
        Some(wait)
    }
}

/// Between three quarters and five quarters, so that two programs do not come back at the same moment.
fn jittered(wait: Duration) -> Duration {
    // Every such state is seeded anew by the system.
    let parts = u32::try_from(RandomState::new().build_hasher().finish() % 512).unwrap_or(0);
    wait.saturating_mul(768 + parts) / 1024
}

/// What `Retry-After` asks for: seconds, or a date.
pub fn wanted(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::seconds("3", Some(3))]
    #[case::date("Thu, 01 Jan 1970 00:01:05 GMT", Some(5))]
    #[case::past("Thu, 01 Jan 1970 00:00:05 GMT", Some(0))]
    #[case::negative("-1", None)]
    #[case::endless("1e300", None)]
    #[case::nonsense("soon", None)]
    fn a_wish(#[case] header: &str, #[case] seconds: Option<u64>) {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, header.parse().expect("a header"))]);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(60);
        assert_eq!(wanted(&headers, now), seconds.map(Duration::from_secs));
    }

    #[test]
    fn two_more_tries_and_no_long_wait() {
        let mut patience = Patience::default();
        let first = patience.next(Duration::from_millis(500), None).expect("a try");
        let second = patience.next(Duration::from_millis(500), None).expect("another");
        assert!((375..=625).contains(&first.as_millis()) && (1125..=1875).contains(&second.as_millis()));
        assert_eq!(patience.next(Duration::from_millis(500), None), None);
        assert_eq!(Patience::default().next(Duration::ZERO, Some(Duration::from_secs(11))), None);
        assert_eq!(Patience::default().next(Duration::from_secs(60), None), None);
    }
}
