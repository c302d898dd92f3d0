/**
 * How a file of the prompts is coloured: the template language, a head, headings and tag pairs; or TOML.
 *
 * Only for the eye. What is right is said by the linter, so what is strange here is coloured as plain text.
 */
import type { StreamParser, StringStream } from "@codemirror/language";

interface PromptState {
  /** The first line has not been read. */
  fresh: boolean;
  head: boolean;
  /** Inside `{{ … }}`; a value may stand in the path of an include. */
  depth: number;
  comment: "" | "}}" | "--}}";
}

/** The words of the tags: `#if`, `else`, `/if`, `include`. */
const keyword = /^(#if|\/if|else|include)(?![\w.])/;

function inTag(stream: StringStream, state: PromptState): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match("}}")) {
    state.depth -= 1;
    return "brace";
  }
  if (stream.match("{{")) {
    state.depth += 1;
    return "brace";
  }
  if (stream.match(keyword)) return "keyword";
  if (stream.match(/^"[^"]*"?|^'[^']*'?/)) return "string";
  if (stream.match(/^(==|!=|>=|<=|&&|\|\||[!<>()])/)) return "operator";
  if (stream.match(/^(true|false|\d+(\.\d+)?)\b/)) return "number";
  if (stream.match(/^[\w.\-/]+/)) return "variableName";
  stream.next();
  return null;
}

function inComment(stream: StringStream, state: PromptState): string {
  if (stream.skipTo(state.comment)) {
    stream.match(state.comment);
    state.comment = "";
  } else stream.skipToEnd();
  return "comment";
}

/** `name: value` of the head, whole lines at a time. */
function inHead(stream: StringStream, state: PromptState): string | null {
  if (stream.sol() && stream.match(/^---\s*$/)) {
    state.head = false;
    return "meta";
  }
  if (stream.sol() && stream.match(/^[\w-]+(?=\s*:)/)) return "propertyName";
  stream.skipToEnd();
  return "meta";
}

export const promptLanguage: StreamParser<PromptState> = {
  name: "prompt",
  startState: () => ({ fresh: true, head: false, depth: 0, comment: "" }),
  token(stream, state) {
    if (state.fresh) {
      state.fresh = false;
      if (stream.match(/^---\s*$/)) {
        state.head = true;
        return "meta";
      }
    }
    if (state.head) return inHead(stream, state);
    if (state.comment !== "") return inComment(stream, state);
    if (state.depth > 0) return inTag(stream, state);
    if (stream.match("{{!--")) {
      state.comment = "--}}";
      return inComment(stream, state);
    }
    if (stream.match("{{!")) {
      state.comment = "}}";
      return inComment(stream, state);
    }
    if (stream.match("{{")) {
      state.depth = 1;
      return "brace";
    }
    if (stream.sol() && stream.match(/^#{1,6}\s[^{]*/)) return "heading";
    if (stream.match(/^<\/?[\w-]+>/)) return "tagName";
    if (stream.match(/^\{[A-Za-z]\w*\}/)) return "variableName";
    if (stream.sol() && stream.match(/^\s*([-*]|\d+\.)\s/)) return "list";
    if (!stream.match(/^[^{<]+/)) stream.next();
    return null;
  },
  blankLine(state) {
    state.fresh = false;
  },
  copyState: (state) => ({ ...state }),
};

interface TomlState {
  /** The end of a text over several lines. */
  until: "" | '"""' | "'''";
}

function inText(stream: StringStream, state: TomlState): string {
  if (stream.skipTo(state.until)) {
    stream.match(state.until);
    state.until = "";
  } else stream.skipToEnd();
  return "string";
}

export const tomlLanguage: StreamParser<TomlState> = {
  name: "toml",
  startState: () => ({ until: "" }),
  token(stream, state) {
    if (state.until !== "") return inText(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    if (stream.sol() && stream.match(/^\[\[?[^\]]*\]?\]?/)) return "heading";
    if (stream.match('"""') || stream.match("'''")) {
      state.until = stream.current() === '"""' ? '"""' : "'''";
      return inText(stream, state);
    }
    if (stream.match(/^"(\\.|[^"\\])*"?|^'[^']*'?/)) return "string";
    if (stream.match(/^(true|false|[+-]?\d[\d_.:TZ-]*)/)) return "number";
    if (stream.match(/^[\w.-]+(?=\s*=)/)) return "propertyName";
    stream.next();
    return null;
  },
  copyState: (state) => ({ ...state }),
};
