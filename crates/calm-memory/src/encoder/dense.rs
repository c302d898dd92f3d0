//! A layer's matrix, kept in the order in which the processor wants it.

use crate::kernels::{self, LANES, ROWS};

/// `inputs` × `outputs`, cut into panels of [`LANES`] columns.
pub struct Dense {
    inputs: usize,
    outputs: usize,
    panels: Vec<[f32; LANES]>,
}

/// Equally long rows that may overlap: an n-gram's row begins one word after the last one's.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub values: &'a [f32],
    /// From the beginning of one to that of the next.
    pub step: usize,
    pub count: usize,
}

impl Dense {
    /// From matrices of `inputs` rows and `columns` columns, side by side. `columns` is a multiple of [`LANES`].
    pub fn beside(inputs: usize, columns: usize, matrices: &[Vec<f32>]) -> Self {
        let mut panels = Vec::with_capacity(inputs * columns * matrices.len() / LANES);
        for matrix in matrices {
            for panel in 0..columns / LANES {
                for row in matrix.chunks_exact(columns) {
                    panels.push(row.as_chunks().0[panel]);
                }
            }
        }
        Self { inputs, outputs: columns * matrices.len(), panels }
    }

    /// Each row times the matrix; the results one after another.
    pub fn of(&self, rows: Rows<'_>) -> Vec<f32> {
        let mut out = vec![0.0; rows.count * self.outputs];
        let mut first = 0;
        while first < rows.count {
            match rows.count - first {
                // With one row to go, a block would do six times the work.
                1 => self.block::<1>(rows, first, &mut out),
                _ => self.block::<ROWS>(rows, first, &mut out),
            }
            first += ROWS;
        }
        out
    }

    /// One row times the matrix.
    pub fn of_one(&self, row: &[f32]) -> Vec<f32> {
        self.of(Rows { values: row, step: self.inputs, count: 1 })
    }

    /// Rows `first..first + N`; those past the last are zero and their results are dropped.
    fn block<const N: usize>(&self, rows: Rows<'_>, first: usize, out: &mut [f32]) {
        let count = N.min(rows.count - first);
        let mut factors = vec![[0.0; N]; self.inputs];
        for index in 0..count {
            let row = &rows.values[(first + index) * rows.step..][..self.inputs];
            for (factors, &value) in factors.iter_mut().zip(row) {
                factors[index] = value;
            }
        }
        for (panel, weights) in self.panels.chunks_exact(self.inputs).enumerate() {
            let sums = kernels::panel(&factors, weights);
            for (index, sums) in sums.iter().enumerate().take(count) {
                out[(first + index) * self.outputs + panel * LANES..][..LANES].copy_from_slice(sums);
            }
        }
    }
}
