//! The header that says which bytes of a file an answer holds.

/// First byte and whole length out of `bytes 5-9/10`; the length may be `*`.
pub fn content_range(header: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = header.trim().strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    let total = match total.trim() {
        "*" => None,
        number => Some(number.parse::<u64>().ok().filter(|total| *total > last)?),
    };
    (first <= last).then_some((first, total))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::whole("bytes 5-9/10", Some((5, Some(10))))]
    #[case::unknown_length("bytes 5-9/*", Some((5, None)))]
    #[case::backwards("bytes 9-5/10", None)]
    #[case::beyond_its_own_length("bytes 5-9/9", None)]
    #[case::other_unit("items 5-9/10", None)]
    #[case::unsatisfied("bytes */10", None)]
    #[case::nonsense("", None)]
    fn a_range(#[case] header: &str, #[case] expected: Option<(u64, Option<u64>)>) {
        assert_eq!(content_range(header), expected);
    }
}
