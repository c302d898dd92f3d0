/**
 * The editor of a prompt: CodeMirror in a shadow root.
 *
 * There it brings its styles as constructed sheets; in the document it would write a `<style>`, which the window's
 * CSP refuses. Tab leaves it, as every other field.
 */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, type Text } from "@codemirror/state";
import {
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { PromptFinding } from "../../wire";
import { promptLanguage, tomlLanguage } from "./language";

const theme = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--ink)",
    backgroundColor: "var(--paper-raised)",
    fontSize: "var(--size-13)",
  },
  "&.cm-focused": { outline: "2px solid var(--sea)", outlineOffset: "-2px" },
  ".cm-scroller": {
    fontFamily: "ui-monospace, 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, monospace",
    lineHeight: "1.6",
  },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 12px 0 8px" },
  ".cm-gutters": {
    backgroundColor: "var(--paper-sunk)",
    color: "var(--ink-quiet)",
    border: "none",
  },
  "& ::selection": { backgroundColor: "var(--sea-mist)" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--care)", backgroundImage: "none" },
  ".cm-lintRange-warning": {
    textDecoration: "underline dotted var(--care)",
    backgroundImage: "none",
  },
  ".cm-lintRange-info": {
    textDecoration: "underline dotted var(--ink-quiet)",
    backgroundImage: "none",
  },
  ".cm-lint-marker": { width: "0.8em", height: "0.8em", content: "none" },
  ".cm-lint-marker-error": { backgroundColor: "var(--care)", borderRadius: "2px" },
  ".cm-lint-marker-warning": { border: "2px solid var(--care)", borderRadius: "50%" },
  ".cm-lint-marker-info": { border: "2px solid var(--ink-quiet)", borderRadius: "50%" },
  ".cm-tooltip": {
    maxWidth: "32rem",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    backgroundColor: "var(--paper-raised)",
    color: "var(--ink)",
    fontFamily: "var(--typeface)",
  },
  ".cm-panels": {
    backgroundColor: "var(--paper-sunk)",
    color: "var(--ink)",
    fontFamily: "var(--typeface)",
  },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--edge)" },
  ".cm-panel.cm-search": { padding: "8px 32px 8px 12px", fontSize: "var(--size-13)" },
  ".cm-panel.cm-search label": { fontSize: "var(--size-13)" },
  ".cm-textfield, .cm-button": {
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    padding: "4px 8px",
    backgroundColor: "var(--paper-raised)",
    backgroundImage: "none",
    color: "var(--ink)",
    fontSize: "var(--size-13)",
    fontFamily: "var(--typeface)",
  },
  ".cm-panel.cm-search [name=close]": {
    top: "4px",
    right: "4px",
    width: "28px",
    height: "28px",
    color: "var(--ink-quiet)",
    fontSize: "18px",
  },
  ".cm-panel.cm-search :focus-visible": { outline: "2px solid var(--sea)" },
  ".cm-searchMatch": { backgroundColor: "var(--sea-mist)" },
  ".cm-searchMatch-selected": { outline: "2px solid var(--sea)" },
  ".cm-diagnostic": { borderLeft: "none", padding: "8px 12px" },
});

/** Of the search's keys those that find; the others are the system's or the window's. */
const FINDING = new Set(["Mod-f", "F3", "Mod-g", "Escape"]);

const colours = HighlightStyle.define([
  { tag: tags.brace, color: "var(--sea)" },
  { tag: tags.keyword, color: "var(--sea)", fontWeight: "600" },
  { tag: tags.variableName, color: "var(--sea-deep)" },
  { tag: tags.operator, color: "var(--sea)" },
  { tag: [tags.string, tags.number], color: "var(--care)" },
  { tag: tags.comment, color: "var(--ink-quiet)", fontStyle: "italic" },
  { tag: [tags.meta, tags.propertyName], color: "var(--ink-quiet)" },
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.tagName, color: "var(--care)" },
  { tag: tags.list, color: "var(--ink-quiet)" },
]);

export interface EditorOptions {
  parent: HTMLElement;
  path: string;
  text: string;
  /** What the field is called. */
  label: string;
  /** It can only be read. */
  fixed: boolean;
  /** The words of its own that it shows, by their English ones. */
  phrases: Record<string, string>;
  onchange: (text: string) => void;
  onsave: () => void;
}

export function openEditor(options: EditorOptions): EditorView {
  const { parent, path, text, label, fixed, phrases, onchange, onsave } = options;
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: "open" });
  const extensions: Extension[] = [
    lineNumbers(),
    lintGutter(),
    highlightSpecialChars(),
    history(),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    EditorState.readOnly.of(fixed),
    StreamLanguage.define<unknown>(path.endsWith(".toml") ? tomlLanguage : promptLanguage),
    syntaxHighlighting(colours),
    EditorState.phrases.of(phrases),
    search({ top: true }),
    theme,
    EditorView.contentAttributes.of({ "aria-label": label, "data-testid": "prompt-text", tabindex: "0" }),
    EditorView.updateListener.of((update: ViewUpdate) => {
      if (update.docChanged) onchange(update.state.doc.toString());
    }),
    keymap.of([
      {
        key: "Mod-s",
        run: () => {
          onsave();
          return true;
        },
      },
      ...searchKeymap.filter(({ key }) => key === undefined || FINDING.has(key)),
      ...lintKeymap.filter(({ key }) => key === "F8"),
      ...historyKeymap,
      ...defaultKeymap.filter(({ key }) => key !== "Escape"),
    ]),
  ];
  return new EditorView({ doc: text, extensions, parent: root, root });
}

/** A finding's place in the text as it is now; the text may have moved on since. */
export function span(doc: Text, { line, column, length }: PromptFinding): { from: number; to: number } {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  // Columns count characters; the editor counts units of UTF-16.
  const units = (characters: number) => [...at.text].slice(0, characters).join("").length;
  const from = at.from + units(column - 1);
  const to = at.from + units(column - 1 + Math.max(length, 1));
  return { from, to };
}

export function mark(view: EditorView, findings: PromptFinding[], says: (finding: PromptFinding) => string): void {
  const severity = { hard_fail: "error", warn: "warning", info: "info" } as const;
  const diagnostics = findings.map<Diagnostic>((finding) => ({
    ...span(view.state.doc, finding),
    severity: severity[finding.severity],
    message: says(finding),
  }));
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

/** Shows a finding's place and puts the cursor there. */
export function goTo(view: EditorView, finding: Pick<PromptFinding, "line" | "column" | "length">): void {
  const { from, to } = span(view.state.doc, finding as PromptFinding);
  view.dispatch({
    selection: { anchor: from, head: to },
    effects: EditorView.scrollIntoView(from, { y: "center" }),
  });
  view.focus();
}

/** Another text in the place of this one, as one step that can be undone. */
export function replaceText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
