//! The commands about trades.

use std::path::PathBuf;

use calm_app::ImportId;
use calm_app::trades::FileZone;
use clap::{Args as Arguments, Subcommand};
use jiff::Timestamp;
use jiff::civil::Date;

#[derive(Debug, Arguments)]
pub struct TradesArgs {
    #[command(subcommand)]
    pub action: Option<TradesAction>,
    /// The moment it is (RFC 3339)
    #[arg(long, global = true, value_name = "RFC3339")]
    pub now: Option<Timestamp>,
}

#[derive(Debug, Subcommand)]
pub enum TradesAction {
    /// Past imports and what trading days came to; with --day, the trades of that day
    List {
        #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
        day: Option<Date>,
        /// Newest days
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
    },
    /// Take over the trades of a broker's report
    Import(TradeImportArgs),
    /// Take back an import, whole
    Undo { number: ImportId },
    /// What can be read, and what has to be said for it
    Formats,
}

#[derive(Debug, Arguments)]
pub struct TradeImportArgs {
    pub file: PathBuf,
    /// Which program wrote it
    #[arg(long, default_value = "auto", value_parser = ["auto", "mt4", "mt5", "binance", "ibkr", "generic"])]
    pub format: String,
    /// What a column holds, as in "Close date=closed_at"; may be given more than once
    #[arg(long = "map", value_name = "COLUMN=FIELD")]
    pub map: Vec<String>,
    /// The clock of the file's times: Europe/Athens, +03:00, utc, or ny+7 (New York's clock plus 7 hours)
    #[arg(long, value_name = "ZONE")]
    pub zone: Option<FileZone>,
    /// What comes first in 03/04/2026
    #[arg(long, value_parser = ["dmy", "mdy"])]
    pub dates: Option<String>,
    /// Say what would be taken over, and take over nothing
    #[arg(long)]
    pub preview: bool,
}

/// As it is printed, in either language.
fn day(text: &str) -> Result<Date, &'static str> {
    let russian = || Date::strptime("%d.%m.%Y", text);
    text.parse().or_else(|_| russian()).map_err(|_| "must be a day such as 2026-03-04 or 04.03.2026")
}
