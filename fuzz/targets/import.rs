//! An export that somebody else wrote: all of it comes in and can be read, or nothing of it does.
#![no_main]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;

use calm_store::{Beside, EXPORT_FORMAT, EXPORT_VERSION, ImportSource, Manifest, Secrets, Store, StoreError};
use tempfile::TempDir;

thread_local! {
    static HOUSE: RefCell<(Store, TempDir)> = RefCell::new({
        let dir = tempfile::tempdir().expect("a folder");
        (Store::open(dir.path(), Secrets::File).expect("a database"), dir)
    });
}

struct Tables(BTreeMap<String, Vec<u8>>);

impl ImportSource for Tables {
    fn rows(&mut self, table: &str) -> std::io::Result<Option<Box<dyn Read + '_>>> {
        Ok(self.0.get(table).map(|rows| Box::new(&rows[..]) as Box<dyn Read>))
    }
}

/// The name of a table and its rows, a line each, and a NUL before the next table.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    HOUSE.with_borrow_mut(|(store, _)| {
        let mut tables = Vec::new();
        let mut given = BTreeMap::new();
        for part in bytes.split(|byte| *byte == 0) {
            let (name, rows) = part.split_at(part.iter().position(|byte| *byte == b'\n').map_or(part.len(), |at| at + 1));
            let name = String::from_utf8_lossy(name).trim().to_owned();
            let lines = rows.split_inclusive(|byte| *byte == b'\n').count() as u64;
            let snapshot = store.snapshot().expect("readable");
            if let Some(table) = snapshot.tables().iter().find(|table| table.name == name) {
                tables.push(calm_store::ExportedTable { rows: lines, ..table.clone() });
                given.insert(name, rows.to_vec());
            }
        }
        let before = store.history(u32::MAX, None).expect("readable").len();
        let manifest = Manifest {
            format: EXPORT_FORMAT.to_owned(),
            version: EXPORT_VERSION,
            database: 0,
            program: String::new(),
            made_at: String::new(),
            tables,
            left_out: Vec::new(),
        };
        let beside = Beside {
            stems: &|user, _| user.to_owned(),
            settings: &|settings| settings.is_object(),
            import: &|_| None,
            trade: &|_| None,
        };
        match store.import(&manifest, &mut Tables(given), &beside) {
            Ok(_) => {
                for line in store.history(u32::MAX, None).expect("readable") {
                    store.session(line.id).expect("readable");
                }
            }
            Err(StoreError::NotAnExport { .. }) => {
                assert_eq!(store.history(u32::MAX, None).expect("readable").len(), before);
            }
            Err(error) => panic!("{error:?}"),
        }
    });
});
