/** Keeps short words with the next one and a dash with the one before, as a typesetter would. */
export function typeset(text: string): string {
  // Twice, because one match takes the space that the next short word would begin with.
  return bindShortWords(bindShortWords(text)).replace(/ (?=[—–])/g, "\u00a0");
}

function bindShortWords(text: string): string {
  return text.replace(/(^|[\s«“(])(\p{L}{1,2}) (?=\S)/gu, "$1$2\u00a0");
}
