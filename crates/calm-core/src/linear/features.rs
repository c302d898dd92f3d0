//! What a model sees of a few words: hashed pieces of words, and the words in ones, twos and threes.
//!
//! The hash and the shape of the pieces are fixed for ever: the committed weights mean nothing
//! under any others.

pub const BITS: u32 = 17;
pub const BUCKETS: usize = 1 << BITS;

const SHORTEST_PIECE: usize = 3;
const LONGEST_PIECE: usize = 5;
const MOST_WORDS: usize = 3;

/// One bucket, and how much of it there is.
pub type Feature = (u32, f32);

/// The features of a run of words; pieces and words weigh the same, however many there are.
pub fn of(words: &[&str]) -> Vec<Feature> {
    let mut pieces: Vec<u32> = Vec::with_capacity(words.len() * 16);
    for word in words {
        pieces_of(word, &mut pieces);
    }
    let mut runs: Vec<u32> = Vec::with_capacity(words.len() * MOST_WORDS);
    for start in 0..words.len() {
        let mut hash = Fnv::new(b'w');
        for (n, word) in words[start..].iter().take(MOST_WORDS).enumerate() {
            if n > 0 {
                hash.take(b" ");
            }
            hash.take(word.as_bytes());
            runs.push(hash.bucket());
        }
    }
    let mut all = weighed(pieces);
    all.extend(weighed(runs));
    all
}

/// Runs of three to five letters of `_word_`.
fn pieces_of(word: &str, pieces: &mut Vec<u32>) {
    let mut framed = String::with_capacity(word.len() + 2);
    framed.push('_');
    framed.push_str(word);
    framed.push('_');
    let bounds: Vec<usize> = framed.char_indices().map(|(at, _)| at).chain([framed.len()]).collect();
    let letters = bounds.len() - 1;
    for length in SHORTEST_PIECE..=LONGEST_PIECE.min(letters.max(SHORTEST_PIECE)) {
        if letters <= length {
            pieces.push(Fnv::new(b'c').and(framed.as_bytes()).bucket());
            break;
        }
        for run in bounds.windows(length + 1) {
            pieces.push(Fnv::new(b'c').and(&framed.as_bytes()[run[0]..run[length]]).bucket());
        }
    }
}

/// Counted and scaled to length one.
fn weighed(mut buckets: Vec<u32>) -> Vec<Feature> {
    buckets.sort_unstable();
    let mut counted: Vec<Feature> = Vec::with_capacity(buckets.len());
    for bucket in buckets {
        match counted.last_mut() {
            Some((last, count)) if *last == bucket => *count += 1.0,
            _ => counted.push((bucket, 1.0)),
        }
    }
    for (_, count) in &mut counted {
        *count = 1.0 + count.ln();
    }
    let length = counted.iter().map(|(_, v)| v * v).sum::<f32>().sqrt();
    for (_, value) in &mut counted {
        *value /= length;
    }
    counted
}

/// FNV-1a of 64 bits, folded.
struct Fnv(u64);

impl Fnv {
    fn new(group: u8) -> Fnv {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.take(&[group]);
        hash
    }

    fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn and(mut self, bytes: &[u8]) -> Fnv {
        self.take(bytes);
        self
    }

    fn bucket(&self) -> u32 {
        // Fewer bits than `BUCKETS` has, so the cast loses nothing.
        ((self.0 ^ (self.0 >> 32)) & (BUCKETS as u64 - 1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this changes, every weight is of something else: train anew.
    #[test]
    fn the_hash_is_fixed_for_ever() {
        assert_eq!(Fnv::new(b'c').and("_не_".as_bytes()).bucket(), 6583);
        assert_eq!(Fnv::new(b'w').and(b"goodbye").bucket(), 50959);
    }

    #[test]
    fn each_group_has_length_one() {
        let square = |words: &[&str]| of(words).iter().map(|(_, v)| v * v).sum::<f32>();
        assert!((square(&["не", "хочу", "не"]) - 2.0).abs() < 1e-4);
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn a_short_word_is_one_piece() {
        let mut pieces = Vec::new();
        pieces_of("я", &mut pieces);
        assert_eq!(pieces.len(), 1);
        pieces.clear();
        pieces_of("жить", &mut pieces);
        assert_eq!(pieces.len(), 4 + 3 + 2);
    }
}
