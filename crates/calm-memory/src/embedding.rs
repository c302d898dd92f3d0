//! Where a text lies among all texts: a direction in 512 dimensions.

/// Components of an [`Embedding`].
pub const DIMENSIONS: usize = 512;

/// Size of an [`Embedding`] as it is stored: the scale, then one signed byte for each component.
pub const EMBEDDING_BYTES: usize = 4 + DIMENSIONS;

/// A direction of length 1 (±1e-3). Texts that mean the same lie near each other.
///
/// How near is near differs between languages and subjects: compare two similarities with each other, never one with
/// a fixed number.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Box<[f32; DIMENSIONS]>);

/// Components as signed bytes; a component is `scale` times its byte.
pub(crate) struct Quantised {
    pub scale: f32,
    pub steps: [i8; DIMENSIONS],
}

impl Embedding {
    /// The direction of `components`, which may have any length; `None` if they have no direction: all of them zero,
    /// or one not finite.
    pub fn towards(components: &[f32; DIMENSIONS]) -> Option<Self> {
        let square: f64 = components.iter().map(|&it| f64::from(it) * f64::from(it)).sum();
        // Below this a length is noise of the computation.
        if !square.is_finite() || square < 1e-30 {
            return None;
        }
        let inverse = square.sqrt().recip();
        let mut direction = Box::new([0.0; DIMENSIONS]);
        for (unit, &component) in direction.iter_mut().zip(components) {
            *unit = (f64::from(component) * inverse) as f32;
        }
        Some(Self(direction))
    }

    /// The first axis, for a computation that came out without a direction.
    pub(crate) fn axis() -> Self {
        let mut direction = Box::new([0.0; DIMENSIONS]);
        direction[0] = 1.0;
        Self(direction)
    }

    pub fn components(&self) -> &[f32; DIMENSIONS] {
        &self.0
    }

    /// Cosine of the angle between two, −1 to 1.
    pub fn dot(&self, other: &Self) -> f32 {
        self.0.iter().zip(other.0.iter()).map(|(a, b)| a * b).sum()
    }

    /// The stored form: `scale` as a little-endian `f32`, then one signed byte for each component; the greatest of
    /// them becomes ±127.
    ///
    /// What is lost turns the direction by less than 0.01 rad.
    pub fn to_bytes(&self) -> [u8; EMBEDDING_BYTES] {
        let Quantised { scale, steps } = self.quantise();
        let mut bytes = [0; EMBEDDING_BYTES];
        let (head, body) = bytes.split_at_mut(4);
        head.copy_from_slice(&scale.to_le_bytes());
        for (byte, step) in body.iter_mut().zip(steps) {
            *byte = step.cast_unsigned();
        }
        bytes
    }

    /// Reads [`to_bytes`](Self::to_bytes); `None` for another number of bytes, or bytes that hold no direction.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; EMBEDDING_BYTES] = bytes.try_into().ok()?;
        let (scale, steps) = bytes.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        if !scale.is_finite() || scale <= 0.0 {
            return None;
        }
        let mut components = [0.0; DIMENSIONS];
        for (component, step) in components.iter_mut().zip(steps) {
            *component = f32::from(step.cast_signed());
        }
        Self::towards(&components)
    }

    pub(crate) fn quantise(&self) -> Quantised {
        let greatest = self.0.iter().fold(0.0_f32, |greatest, it| greatest.max(it.abs()));
        let scale = greatest / 127.0;
        let mut steps = [0; DIMENSIONS];
        for (step, component) in steps.iter_mut().zip(self.0.iter()) {
            *step = (component / scale).round().clamp(-127.0, 127.0) as i8;
        }
        Quantised { scale, steps }
    }
}
