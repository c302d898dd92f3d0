import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const css = readFileSync(join(import.meta.dirname, "../src/tokens.css"), "utf8");

function colours(selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf("\n}", start));
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map(([, name, hex]) => [name!, hex!]),
  );
}

const light = colours(":root");
const dark = colours(':root[data-theme="dark"]');

/** WCAG 2.2 relative luminance. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high! + 0.05) / (low! + 0.05);
}

const grounds = ["paper", "paper-raised", "paper-sunk"];

const text: [string, string][] = [
  ...grounds.flatMap((ground): [string, string][] => [
    ["ink", ground],
    ["ink-soft", ground],
    ["ink-quiet", ground],
    ["sea", ground],
  ]),
  ["ink", "sea-mist"],
  ["sea", "sea-mist"],
  ["on-sea", "sea"],
  ["on-sea", "sea-deep"],
  ["ink", "care-mist"],
  ["care", "care-mist"],
];

const edges: [string, string][] = ["paper", "paper-raised"].flatMap((ground) => [
  ["edge", ground],
  ["sea", ground],
]);

describe.each([
  ["light", light],
  ["dark", dark],
])("%s", (_, tokens) => {
  const of = (name: string) => {
    const hex = tokens.get(name);
    if (hex === undefined) throw new Error(`no colour --${name}`);
    return hex;
  };

  it.each(text)("words: %s on %s", (ink, ground) => {
    expect(contrast(of(ink), of(ground))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(edges)("edges that can be pressed: %s on %s", (edge, ground) => {
    expect(contrast(of(edge), of(ground))).toBeGreaterThanOrEqual(3);
  });

  it("has no red", () => {
    for (const [name, hex] of tokens) {
      const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      const reddish = r! > 120 && r! > 2 * g! && r! > 2 * b!;
      expect(reddish, `--${name} is ${hex}`).toBe(false);
    }
  });
});

it("dark gives every colour that light gives", () => {
  expect([...dark.keys()].sort()).toEqual([...light.keys()].sort());
});
