/** The window as it is seen: the rehearsal in a real browser. The program itself is not needed. */
import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const system = process.env["CALM_CHROMIUM"] ?? "/usr/bin/chromium";
const port = Number(process.env["CALM_SIGHT_PORT"] ?? 5199);

export default defineConfig({
  testDir: "sight",
  outputDir: "node_modules/.sight",
  fullyParallel: true,
  workers: 2,
  reporter: "list",
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    // Without a system's browser, Playwright's own (`npx playwright install chromium`).
    launchOptions: existsSync(system) ? { executablePath: system, args: ["--no-sandbox"] } : {},
    timezoneId: "Europe/Moscow",
  },
  webServer: {
    command: `npx vite --host 127.0.0.1 --port ${port}`,
    port,
    reuseExistingServer: true,
  },
});
