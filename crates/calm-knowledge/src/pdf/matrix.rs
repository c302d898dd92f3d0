//! The matrices that place glyphs on a page.

/// `[a b c d e f]`: x' = a·x + c·y + e, y' = b·x + d·y + f.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn shift(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// First this one, then `next`.
    pub(super) fn then(self, next: Self) -> Self {
        let Self([a, b, c, d, e, f]) = self;
        let (x, y) = (next.at(a, b), next.at(c, d));
        let (origin, shift) = (next.at(0.0, 0.0), next.at(e, f));
        Self([x.0 - origin.0, x.1 - origin.1, y.0 - origin.0, y.1 - origin.1, shift.0, shift.1])
    }

    pub(super) fn at(self, x: f64, y: f64) -> (f64, f64) {
        let Self([a, b, c, d, e, f]) = self;
        (a * x + c * y + e, b * x + d * y + f)
    }
}
