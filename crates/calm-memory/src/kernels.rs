//! The two inner loops that everything waits for, compiled once for any processor and once for those with AVX2.
//!
//! The loops are plain Rust that the compiler turns into vector instructions; only the choice between the two
//! compilations is ours.

/// Columns of a matrix that are computed together.
pub const LANES: usize = 16;
/// Rows that share one reading of the weights: as many as leave registers for a row of weights and a factor.
pub const ROWS: usize = 6;

/// Sums of `rows` times `weights`, for one panel of columns; `weights` and `rows` are as long as each other.
pub fn panel<const N: usize>(rows: &[[f32; N]], weights: &[[f32; LANES]]) -> [[f32; LANES]; N] {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn wide<const N: usize>(rows: &[[f32; N]], weights: &[[f32; LANES]]) -> [[f32; LANES]; N] {
            panel_loop::<N, true>(rows, weights)
        }
        if has_wide_registers() {
            // SAFETY: the processor has just said that it knows both.
            return unsafe { wide(rows, weights) };
        }
    }
    panel_loop::<N, { cfg!(target_arch = "aarch64") }>(rows, weights)
}

/// `FUSED` only where one instruction does it: elsewhere it is a call into the C library.
#[inline(always)]
fn panel_loop<const N: usize, const FUSED: bool>(rows: &[[f32; N]], weights: &[[f32; LANES]]) -> [[f32; LANES]; N] {
    let mut sums = [[0.0; LANES]; N];
    for (row, weight) in rows.iter().zip(weights) {
        for (sum, &factor) in sums.iter_mut().zip(row) {
            for (sum, &weight) in sum.iter_mut().zip(weight) {
                *sum = if FUSED { factor.mul_add(weight, *sum) } else { factor * weight + *sum };
            }
        }
    }
    sums
}

/// Calls `each` with the products of `query` and each of `vectors`, in whole steps.
///
/// 512 × 127² fits an `i32` more than 250 times over.
pub fn scan<'a, const N: usize>(query: &[i8; N], vectors: impl Iterator<Item = &'a [i8; N]>, each: impl FnMut(i32)) {
    // In 16 bits the processor multiplies and adds pairs at once.
    let query = &query.map(i16::from);
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn wide<'a, const N: usize>(
            query: &[i16; N],
            vectors: impl Iterator<Item = &'a [i8; N]>,
            each: impl FnMut(i32),
        ) {
            scan_loop(query, vectors, each);
        }
        if has_wide_registers() {
            // SAFETY: the processor has just said that it knows both.
            return unsafe { wide(query, vectors, each) };
        }
    }
    scan_loop(query, vectors, each);
}

#[inline(always)]
fn scan_loop<'a, const N: usize>(
    query: &[i16; N],
    vectors: impl Iterator<Item = &'a [i8; N]>,
    mut each: impl FnMut(i32),
) {
    for vector in vectors {
        each(query.iter().zip(vector).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum());
    }
}

#[cfg(target_arch = "x86_64")]
fn has_wide_registers() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(seed: usize) -> f32 {
        (seed * 7919 % 255) as f32 / 127.0 - 1.0
    }

    #[test]
    fn an_older_processor_computes_the_same() {
        let rows: Vec<[f32; ROWS]> = (0..100).map(|k| std::array::from_fn(|row| number(k * ROWS + row))).collect();
        let weights: Vec<[f32; LANES]> = (0..100).map(|k| std::array::from_fn(|lane| number(k + lane * 31))).collect();
        let (here, plain) = (panel(&rows, &weights), panel_loop::<ROWS, false>(&rows, &weights));
        for (here, plain) in here.as_flattened().iter().zip(plain.as_flattened()) {
            assert!((here - plain).abs() < 1e-4, "{here}, {plain}");
        }

        let vector = |seed: usize| -> [i8; 512] { std::array::from_fn(|k| (number(seed + k) * 127.0) as i8) };
        let vectors: Vec<[i8; 512]> = (0..9).map(vector).chain([[i8::MIN; 512], [i8::MAX; 512]]).collect();
        for query in [vector(77), [i8::MIN; 512], [i8::MAX; 512]] {
            let (mut here, mut plain) = (Vec::new(), Vec::new());
            scan(&query, vectors.iter(), |product| here.push(product));
            scan_loop(&query.map(i16::from), vectors.iter(), |product| plain.push(product));
            assert_eq!(here, plain);
        }
    }
}
