/** The window's own words for what the linter, the tree and the versions say. */
import { m } from "../../paraglide/messages.js";
import type { WorkshopTab } from "../../store/workshop.svelte";
import type {
  Lang,
  PromptEditState,
  PromptFinding,
  PromptMean,
  PromptRule,
  PromptSeverity,
} from "../../wire";
import { signed } from "../insights/drawing";
import type { Purpose } from "./tree";

type Word = () => string;

export const tabNames: Record<WorkshopTab, Word> = {
  files: m.prompts_tab_files,
  preview: m.prompts_tab_preview,
  versions: m.prompts_tab_versions,
  coverage: m.prompts_tab_coverage,
  sandbox: m.prompts_tab_sandbox,
};

export const purposeNames: Record<Purpose, Word> = {
  base: m.prompts_purpose_base,
  envelope: m.prompts_purpose_envelope,
  guide: m.prompts_purpose_guide,
  practices: m.prompts_purpose_practices,
  knowledge: m.prompts_purpose_knowledge,
  patterns: m.prompts_purpose_patterns,
  variants: m.prompts_purpose_variants,
  shared: m.prompts_purpose_shared,
};

export const editNames: Record<Exclude<PromptEditState, "none">, Word> = {
  changed: m.prompts_mark_changed,
  added: m.prompts_mark_added,
  removed: m.prompts_mark_removed,
};

export const severityNames: Record<PromptSeverity, Word> = {
  hard_fail: m.prompts_severity_hard_fail,
  warn: m.prompts_severity_warn,
  info: m.prompts_severity_info,
};

export const ruleNames: Record<PromptRule, Word> = {
  anti_ai: m.prompts_rule_anti_ai,
  officialese: m.prompts_rule_officialese,
  markdown_messenger: m.prompts_rule_markdown_messenger,
  lint_paradox: m.prompts_rule_lint_paradox,
  runtime_banned_term: m.prompts_rule_runtime_banned_term,
  agent_banned_term: m.prompts_rule_agent_banned_term,
  scope_consistency: m.prompts_rule_scope_consistency,
  prompt_length: m.prompts_rule_prompt_length,
  duplicates_envelope: m.prompts_rule_duplicates_envelope,
  missing_section: m.prompts_rule_missing_section,
  tool_name_mention: m.prompts_rule_tool_name_mention,
  wellness_wording: m.prompts_rule_wellness_wording,
  front_matter: m.prompts_rule_front_matter,
  broken_file: m.prompts_rule_broken_file,
};

/** The rule in the user's language, then the linter's own words and what to do. */
export function findingWords({ rule, message, hint }: PromptFinding): string {
  return [`${ruleNames[rule]()}: ${message}`, hint].filter((part) => part !== "").join(". ");
}

/** A mean that came in hundredths. */
export function meanOf(hundredths: number, language: Lang): string {
  const text = (hundredths / 100).toFixed(2).replace("-", "−");
  return language === "ru" ? text.replace(".", ",") : text;
}

/** A mean that came in hundredths, with its interval where it has one. */
export function meanWords(
  found: PromptMean | null,
  language: Lang,
  change = false,
): string {
  if (found === null) return "–";
  const figure = (value: number) =>
    change ? signed((value / 100).toFixed(2), language) : meanOf(value, language);
  const { mean, low, high, n } = found;
  if (low === high) return m.prompts_figure_mean({ mean: figure(mean), n });
  return m.prompts_figure_interval({
    mean: figure(mean),
    low: figure(low),
    high: figure(high),
    n,
  });
}

/** The search field's words, by those that CodeMirror has for them. */
export const searchPhrases = (): Record<string, string> => ({
  Find: m.prompts_find(),
  Replace: m.prompts_find_replacement(),
  next: m.prompts_find_next(),
  previous: m.prompts_find_previous(),
  all: m.prompts_find_all(),
  "match case": m.prompts_find_case(),
  regexp: m.prompts_find_pattern(),
  "by word": m.prompts_find_words(),
  replace: m.prompts_find_replace(),
  "replace all": m.prompts_find_replace_all(),
  close: m.prompts_find_close(),
  "current match": m.prompts_find_current(),
  "on line": m.prompts_find_line(),
  "replaced $ matches": m.prompts_find_replaced(),
  "replaced match on line $": m.prompts_find_replaced_line(),
});
