import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

/** Paraglide makes the rules anew for every word it puts into the plural, and WebKit lets them lie by the thousand. */
const pluralRulesOnce = {
  name: "plural-rules-once",
  transform(code: string, id: string) {
    if (!id.endsWith("/paraglide/registry.js")) return null;
    const made = "new Intl.PluralRules(locale, options)";
    if (!code.includes(made)) throw new Error("Paraglide makes its plural rules in another way");
    const kept = "(rules[locale + JSON.stringify(options)] ??= " + made + ")";
    return { code: "const rules = {};\n" + code.replace(made, kept), map: null };
  },
};

const testing = process.env["VITEST"] !== undefined;

export default defineConfig({
  plugins: [
    // The tests compile the words first (`npm run words`): this plugin keeps Vitest from exiting.
    ...(testing
      ? []
      : [
          paraglideVitePlugin({
            project: "./project.inlang",
            outdir: "./src/paraglide",
            strategy: ["globalVariable", "baseLocale"],
          }),
        ]),
    pluralRulesOnce,
    svelte(),
  ],
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  build: {
    target: ["es2022", "safari16"],
    // A font or picture turned into a data: address would be refused by the window's CSP.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // Without this Vitest loads Svelte's server half and nothing can be mounted.
  resolve: testing ? { conditions: ["browser"] } : {},
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.ts"],
  },
});
