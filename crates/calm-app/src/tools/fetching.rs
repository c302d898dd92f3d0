//! Fetching one small file over the network room.

use std::io::Read;
use std::time::{Duration, Instant};

use calm_agent::{Http, HttpError};

/// For the whole of it: a talk is waiting.
const PATIENCE: Duration = Duration::from_secs(15);

#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("the connection was lost")]
    Lost,
    #[error("it is larger than {most} bytes")]
    TooLarge { most: usize },
    #[error("it takes too long")]
    Slow,
}

/// The file at `address`, at most `most` bytes of it.
pub fn fetch(http: &Http, address: &str, most: usize) -> Result<Vec<u8>, FetchError> {
    let started = Instant::now();
    let download = http.get_range(address, 0)?;
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    if download.total.is_some_and(|total| total > limit) {
        return Err(FetchError::TooLarge { most });
    }
    let mut reader = download.into_reader();
    let (mut body, mut piece) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(body),
            Ok(n) => body.extend_from_slice(piece.get(..n).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return Err(FetchError::Lost),
        }
        if body.len() > most {
            return Err(FetchError::TooLarge { most });
        }
        if started.elapsed() > PATIENCE {
            return Err(FetchError::Slow);
        }
    }
}
