//! What a program and all that it started hold in memory, as Linux counts it: shared pages are divided among those
//! who share them (PSS).

use std::fs;

/// In megabytes of 1,000,000 bytes; each process is named on stderr.
pub fn megabytes(process: u32) -> f64 {
    let own = own_megabytes(process);
    let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
    eprintln!("{own:>8.0} MB {}", name.trim());
    own + megabytes_below(process)
}

/// The same without the process itself.
pub fn megabytes_below(process: u32) -> f64 {
    children(process).into_iter().map(megabytes).sum()
}

fn own_megabytes(process: u32) -> f64 {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let pss = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or("0 kB");
    let kibibytes: f64 = pss.trim().trim_end_matches(" kB").parse().unwrap_or(0.0);
    kibibytes * 1024.0 / 1e6
}

fn children(process: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("/proc").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    all.filter(|candidate| parent(*candidate) == Some(process)).collect()
}

/// The name before it may hold anything, brackets too.
fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
