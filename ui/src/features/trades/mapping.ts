/** What the user may say about a file's columns and its clock. */
import { m } from "../../paraglide/messages.js";
import type { TradeColumn, TradeFormat, TradeReason } from "../../wire";

type Word = () => string;

/** The fields that a column can be named for by hand, the two without which nothing is read first. */
export const fields: [string, Word][] = [
  ["closed_at", m.trade_closed_at],
  ["profit", m.trade_profit],
  ["symbol", m.trade_symbol],
  ["side", m.trade_side],
  ["quantity", m.trade_quantity],
  ["opened_at", m.trade_opened_at],
  ["commission", m.trade_commission],
  ["swap", m.trade_swap],
  ["fee", m.trade_fee],
  ["currency", m.trade_currency],
];

export const needed = ["closed_at", "profit"];

/** Names of makers are the same in every language. */
export const formats: Record<TradeFormat, Word> = {
  mt4: () => "MetaTrader 4",
  mt5: () => "MetaTrader 5",
  binance: () => "Binance",
  ibkr: () => "Interactive Brokers",
  generic: m.trade_format_generic,
};

export function formatWords(format: string): string {
  return (formats as Record<string, Word>)[format]?.() ?? format;
}

export const reasons: Record<TradeReason, Word> = {
  missing: m.trade_reason_missing,
  not_a_number: m.trade_reason_not_a_number,
  odd_number: m.trade_reason_odd_number,
  too_large: m.trade_reason_too_large,
  not_a_time: m.trade_reason_not_a_time,
  no_such_time: m.trade_reason_no_such_time,
  unknown_side: m.trade_reason_unknown_side,
};

/** The columns with one of them named anew; each column is read as one thing, each thing from one column. */
export function named(columns: TradeColumn[], field: string, column: string): TradeColumn[] {
  const others = columns.filter((one) => one.field !== field && one.column !== column);
  return column === "" ? others : [...others, { column, field }];
}

/** The clocks that brokers use, the likeliest first, then the user's own and all others. */
export function clocks(own: string): { value: string; text: string }[] {
  const likely = [
    { value: "", text: m.trade_zone_choose() },
    { value: "ny+7", text: m.trade_zone_ny7() },
    { value: "utc", text: m.trade_zone_utc() },
    { value: "Europe/Athens", text: m.trade_zone_athens() },
    { value: "America/New_York", text: m.trade_zone_new_york() },
    { value: own, text: m.trade_zone_own({ zone: own.replaceAll("_", " ") }) },
  ];
  const known = new Set(likely.map(({ value }) => value));
  const others = Intl.supportedValuesOf("timeZone").filter((zone) => !known.has(zone));
  const all = [...likely, ...others.map((value) => ({ value, text: value.replaceAll("_", " ") }))];
  return all.filter(({ value }, at) => all.findIndex((one) => one.value === value) === at);
}
