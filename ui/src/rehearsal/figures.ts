/** Figures and brokers' files in a rehearsal; like the rest of it, this never ships. */
import type {
  InsightSheet,
  Lang,
  TradeAnswers,
  TradeImport,
  TradeLook,
  TradesTaken,
} from "../wire";

type Told = InsightSheet["insights"][number];

const told: Told[] = [
    {
      kind: "stress_change",
      sentence:
        "Стресс до торговли в среднем 4,8, после 5,6. Сдвиг, скорее всего, от +0,2 до +1,4 (95 %); пар разговоров: 31.",
      n: 31,
      missing: 0,
      picture: {
        shape: "levels",
        first: { tenths: 48, n: 31 },
        second: { tenths: 56, n: 31 },
        difference: 8,
        low: 2,
        high: 14,
      },
    },
    {
      kind: "readiness_result",
      sentence:
        "День в плюс при готовности от шести: 14 из 23, ниже шести: 3 из 11. Разница от −2 до +60 пунктов (95 %).",
      n: 34,
      missing: 0,
      picture: {
        shape: "shares",
        first: { k: 14, n: 23 },
        second: { k: 3, n: 11 },
        low: -2,
        high: 60,
      },
    },
    {
      kind: "plan_kept",
      sentence:
        "План соблюдён: 21 из 30, это 70 %. На большем числе дней доля была бы, скорее всего, от 52 до 83 % (95 %).",
      n: 30,
      missing: 0,
      picture: { shape: "share", of: { k: 21, n: 30 }, low: 52, high: 83 },
    },
    {
      kind: "sleep_readiness",
      sentence:
        "Готовность после хорошей ночи 7,4 (ночей: 18), после так себе 5,9 (ночей: 13). Разница от +0,6 до +2,4 (95 %).",
      n: 31,
      missing: 0,
      picture: {
        shape: "levels",
        first: { tenths: 74, n: 18 },
        second: { tenths: 59, n: 13 },
        difference: 15,
        low: 6,
        high: 24,
      },
    },
    {
      kind: "losing_run",
      sentence:
        "Самый длинный ряд минусов подряд: 4, итогов: 40. Если перемешать те же итоги, он от 2 до 6 (95 %).",
      n: 40,
      missing: 0,
      picture: { shape: "run", longest: 4, low: 2, high: 6 },
    },
    {
      kind: "median_day",
      sentence:
        "День посередине: +12,50 USD, скорее всего, от −40,05 до +61,00 USD (95 %). Всего −30,00 USD, торговых дней: 30.",
      n: 30,
      missing: 0,
      picture: {
        shape: "money",
        median: "12.50",
        low: "-40.05",
        high: "61.00",
        currency: "USD",
      },
    },
    {
      kind: "plan_result",
      sentence:
        "Здесь появится, как закрывались дни по плану и мимо плана. Не хватает разговоров или дней: 4.",
      n: 0,
      missing: 4,
      picture: null,
    },
    {
      kind: "plus_days",
      sentence:
        "Здесь появится, как часто итог в плюс. Не хватает разговоров или дней: 2.",
      n: 0,
      missing: 2,
      picture: null,
    },
];

const english: Record<string, string> = {
  stress_change:
    "Stress before trading averages 4.8, after it 5.6. The shift is most likely between +0.2 and +1.4 (95%); pairs of talks: 31.",
  readiness_result:
    "Days in plus with readiness of six and more: 14 of 23, below six: 3 of 11. The difference is between −2 and +60 points (95%).",
  plan_kept:
    "Plan followed: 21 of 30, which is 70%. Over more days the share would most likely be 52 to 83% (95%).",
  sleep_readiness:
    "Readiness after a good night 7.4 (nights: 18), after a poor one 5.9 (nights: 13). The difference is between +0.6 and +2.4 (95%).",
  losing_run:
    "Longest run of losses: 4, results: 40. With the same results shuffled it is 2 to 6 (95%).",
  median_day:
    "The day in the middle: +12.50 USD, most likely between −40.05 and +61.00 USD (95%). In all −30.00 USD, trading days: 30.",
  plan_result:
    "Here you will see how days closed by the plan and off it. Talks or days still missing: 4.",
  plus_days: "Here you will see how often a day ends in plus. Talks or days still missing: 2.",
};

const waiting: Record<Lang, string> = {
  ru: "Здесь появится одна фраза о твоих днях. Не хватает разговоров или дней: 8.",
  en: "One sentence about your days will stand here. Talks or days still missing: 8.",
};

export function insightsOf(language: Lang, bare: boolean): InsightSheet {
  const insights = told.map((insight) => {
    if (bare)
      return { ...insight, sentence: waiting[language], n: 0, missing: 8, picture: null };
    return language === "ru"
      ? insight
      : { ...insight, sentence: english[insight.kind] ?? insight.sentence };
  });
  return {
    insights: structuredClone(insights),
    patterns: bare
      ? []
      : [
          {
            sentence:
              language === "ru"
                ? "После ночи так себе план соблюдён реже: 4 из 13 против 15 из 18."
                : "After a poor night the plan is kept less often: 4 of 13 against 15 of 18.",
            n: 31,
            between: [-75, -17],
            fading: false,
          },
        ],
    results_said: bare ? 0 : 34,
    results_of_trades: bare ? 0 : 6,
  };
}

/** The broker's files: one that is known, one without its clock, one whose columns nobody knows. */
export class Files {
  #imports: TradeImport[] = [];
  #count = 0;
  readonly #at: string;

  constructor(at: Date) {
    this.#at = at.toISOString();
  }

  async look(name: string, answers: TradeAnswers): Promise<TradeLook> {
    if (name.endsWith(".xls")) throw { code: "trades_spreadsheet", detail: "" };
    const strange = name.startsWith("own");
    const unzoned = !strange && name.startsWith("mt5");
    const header = strange
      ? ["When", "What", "Money"]
      : ["Time", "Position", "Symbol", "Type", "Volume", "Profit"];
    const columns = strange
      ? answers.columns
      : [
          { column: "Time", field: "closed_at" },
          { column: "Symbol", field: "symbol" },
          { column: "Type", field: "side" },
          { column: "Volume", field: "quantity" },
          { column: "Profit", field: "profit" },
        ];
    const named = (field: string) => columns.some((column) => column.field === field);
    const needs = !(named("closed_at") && named("profit"))
      ? "columns"
      : (unzoned || strange) && answers.zone === ""
        ? "zone"
        : "nothing";
    if (answers.zone.includes("Olympus")) throw { code: "bad_zone", detail: "" };
    const known = this.#imports.find(({ file }) => file === name)?.trades ?? 0;
    return {
      format: answers.format ?? (strange ? (needs === "columns" ? null : "generic") : "mt5"),
      guessed: strange,
      header,
      columns,
      zone_open: unzoned || strange,
      needs,
      preview:
        needs === "nothing"
          ? {
              currency: "USD",
              trades: 9,
              without_result: 1,
              known,
              told_twice: 0,
              doubtful_times: 1,
              other_rows: 3,
              days: [
                { day: "2026-11-12", trades: 2, sums: [{ amount: "-120.50", currency: "USD" }] },
                { day: "2026-11-13", trades: 3, sums: [{ amount: "84.00", currency: "USD" }] },
                {
                  day: "2026-11-16",
                  trades: 4,
                  sums: [
                    { amount: "310.25", currency: "USD" },
                    { amount: "-12.00", currency: "EUR" },
                  ],
                },
              ],
              refused: 2,
              refusals: [
                { line: 14, column: "Profit", reason: "not_a_number" },
                { line: 31, column: "Time", reason: "no_such_time" },
              ],
            }
          : null,
    };
  }

  async take(name: string, answers: TradeAnswers): Promise<TradesTaken> {
    const { preview, format } = await this.look(name, answers);
    if (preview === null) throw { code: "zone_needed", detail: "" };
    const added = preview.trades + preview.without_result - preview.known;
    if (preview.known > 0) return { id: "", added: 0 };
    this.#count += 1;
    const id = String(this.#count);
    this.#imports = [
      {
        id,
        imported_at: this.#at,
        format: format ?? "generic",
        file: name,
        trades: added,
        refused: preview.refused,
      },
      ...this.#imports,
    ];
    return { id, added };
  }

  list(): TradeImport[] {
    return structuredClone(this.#imports);
  }

  undo(id: string): number {
    const gone = this.#imports.find((one) => one.id === id);
    if (!gone) throw { code: "not_found", detail: "" };
    this.#imports = this.#imports.filter((one) => one !== gone);
    return gone.trades;
  }
}
