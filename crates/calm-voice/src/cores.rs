//! How many cores are free right now.
//!
//! whisper.cpp's threads wait for each other by spinning. On a core that another program shares, each wait lasts until
//! the scheduler comes round: two threads then take three to eight times as long as one alone (10 s clip on two busy
//! cores: 3.4 s with one thread, 10–30 s with two). A charting program is busy whenever the market is, so this is
//! looked at before each utterance.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Long enough to be interrupted if somebody else wants the core: schedulers switch every 3–4 ms.
const PROBE: Duration = Duration::from_millis(12);
/// A thread that has its core to itself looks at the clock far more often than this.
const INTERRUPTED: Duration = Duration::from_millis(1);

/// `most` if that many threads can run undisturbed, and 1 otherwise. Takes 12 ms.
pub(crate) fn free_threads(most: usize) -> usize {
    let most = most.min(std::thread::available_parallelism().map_or(1, std::num::NonZero::get));
    if most < 2 {
        return 1;
    }
    let interrupted = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..most {
            scope.spawn(|| {
                let began = Instant::now();
                let mut looked = began;
                while looked - began < PROBE {
                    let now = Instant::now();
                    if now - looked > INTERRUPTED {
                        interrupted.store(true, Ordering::Relaxed);
                    }
                    looked = now;
                }
            });
        }
    });
    if interrupted.into_inner() { 1 } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_cores_are_noticed() {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..3 * cores {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        std::hint::spin_loop()
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(50));
            let threads: Vec<usize> = (0..10).map(|_| free_threads(2)).collect();
            done.store(true, Ordering::Relaxed);
            assert!(threads.iter().filter(|n| **n == 1).count() >= 8, "{threads:?}");
        });
    }
}
