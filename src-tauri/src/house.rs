//! A house for one test: a folder of its own and the desk in it, put away when the test is over.

use std::ops::Deref;
use std::path::Path;

use calm_app::Paths;
use tempfile::TempDir;

use crate::desk::Desk;

pub struct House {
    desk: Desk,
    folder: TempDir,
}

impl House {
    pub fn new() -> House {
        let folder = tempfile::tempdir().expect("a folder");
        let desk = Desk::open(Paths { data: folder.path().join("data"), models: folder.path().join("models") });
        House { desk, folder }
    }

    /// Holds its data and its models.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Deref for House {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        &self.desk
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.desk.put_away();
    }
}

#[test]
fn nobody_reads_on_once_the_house_was_put_away() {
    let house = House::new();
    let desk = house.desk.clone();
    let reading = std::thread::spawn(move || while desk.with(|conductor| Ok(conductor.running())).is_ok() {});
    house.put_away();
    reading.join().expect("whoever read was sent away");
}
