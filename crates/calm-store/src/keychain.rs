//! The keychain of the operating system, asked with a time limit.
//!
//! On Linux that is whatever answers for `org.freedesktop.secrets` on the session bus. A bus that
//! accepts and then says nothing must not keep Calm from starting, so every question is asked on a
//! thread of its own that may be left behind.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use keyring::{Entry, Error};
use zeroize::Zeroizing;

const SERVICE: &str = "calmtrader";

/// Finding the keychain involves no person.
const CONNECT_PATIENCE: Duration = Duration::from_secs(3);
/// Unlocking it may: somebody looks for the dialog and types a password.
const UNLOCK_PATIENCE: Duration = Duration::from_secs(45);

/// There is no keychain, it is locked, or it does not answer.
#[derive(Debug)]
pub(crate) struct Unreachable;

/// The secret of `account`; `None` where the keychain answers that it has none.
pub(crate) fn read(account: &str) -> Result<Option<Zeroizing<Vec<u8>>>, Unreachable> {
    ask(account, |entry| match entry.get_secret() {
        Ok(secret) => Ok(Some(Zeroizing::new(secret))),
        Err(Error::NoEntry) => Ok(None),
        Err(_) => Err(Unreachable),
    })
}

/// Stores the secret and reads it back: some keychains accept what they do not keep.
pub(crate) fn write(account: &str, secret: Zeroizing<Vec<u8>>) -> Result<(), Unreachable> {
    ask(account, move |entry| {
        entry.set_secret(&secret).map_err(|_| Unreachable)?;
        let kept = entry.get_secret().map(Zeroizing::new).map_err(|_| Unreachable)?;
        if *kept == *secret { Ok(()) } else { Err(Unreachable) }
    })
}

/// Takes the secret of a database that never came to be away again.
pub(crate) fn forget(account: &str) -> Result<(), Unreachable> {
    ask(account, |entry| match entry.delete_credential() {
        Ok(()) | Err(Error::NoEntry) => Ok(()),
        Err(_) => Err(Unreachable),
    })
}

fn ask<T: Send + 'static>(
    account: &str,
    question: impl FnOnce(&Entry) -> Result<T, Unreachable> + Send + 'static,
) -> Result<T, Unreachable> {
    let there = within(CONNECT_PATIENCE, || Entry::store_status().is_ok())?;
    if !there {
        return Err(Unreachable);
    }
    let account = account.to_owned();
    within(UNLOCK_PATIENCE, move || {
        let entry = Entry::new(SERVICE, &account).map_err(|_| Unreachable)?;
        question(&entry)
    })?
}

fn within<T: Send + 'static>(patience: Duration, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Unreachable> {
    let (tell, answer) = mpsc::sync_channel(1);
    thread::Builder::new()
        .name("keychain".into())
        .spawn(move || {
            // Nobody listens any more when the answer comes too late.
            tell.send(work()).ok();
        })
        .map_err(|_| Unreachable)?;
    answer.recv_timeout(patience).map_err(|_| Unreachable)
}
