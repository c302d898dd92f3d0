//! What sales of coins earned, where the exchange does not say: first bought, first sold, within the file.

use std::collections::{HashMap, VecDeque};

use rust_decimal::Decimal;

#[derive(Default)]
pub(crate) struct Lots(HashMap<String, VecDeque<(Decimal, Decimal)>>);

impl Lots {
    /// `paid` for `quantity`, what is left of it after fees.
    pub fn bought(&mut self, symbol: &str, quantity: Decimal, paid: Decimal) {
        if quantity > Decimal::ZERO {
            self.0.entry(symbol.to_owned()).or_default().push_back((quantity, paid));
        }
    }

    /// What was paid for the coins that are sold now. `None` where some of them were not bought in this file: what
    /// they cost is not known, and what is left of the known ones is gone with them.
    pub fn sold(&mut self, symbol: &str, quantity: Decimal) -> Option<Decimal> {
        let lots = self.0.get_mut(symbol)?;
        let (mut left, mut paid) = (quantity, Decimal::ZERO);
        while left > Decimal::ZERO {
            let (size, cost) = lots.front_mut()?;
            if *size <= left {
                paid = paid.checked_add(*cost)?;
                left -= *size;
                lots.pop_front();
            } else {
                let part = cost.checked_mul(left)?.checked_div(*size)?;
                paid = paid.checked_add(part)?;
                *cost -= part;
                *size -= left;
                left = Decimal::ZERO;
            }
        }
        Some(paid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn the_first_coins_are_sold_first() {
        let mut lots = Lots::default();
        lots.bought("BTCUSDT", d("1"), d("100"));
        lots.bought("BTCUSDT", d("1"), d("300"));
        assert_eq!(lots.sold("BTCUSDT", d("0.5")), Some(d("50")));
        assert_eq!(lots.sold("BTCUSDT", d("1")), Some(d("200")));
        assert_eq!(lots.sold("ETHUSDT", d("1")), None);
        assert_eq!(lots.sold("BTCUSDT", d("0.6")), None, "a tenth was bought before the file begins");
    }
}
