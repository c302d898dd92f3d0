import { expect } from "@playwright/test";
import { looks, open, test } from "./window";

const doors = ["nav-today", "nav-practice", "nav-history", "session-", "nav-insights", "nav-memory", "nav-care"];
doors.push("nav-settings");

test("who goes through the house all day leaves nothing behind", async ({ page }) => {
  test.setTimeout(180_000);
  await open(page, looks[0]!);
  const watch = await page.context().newCDPSession(page);
  const around = (rounds: number) =>
    page.evaluate(
      async ({ rounds, doors }) => {
        for (let n = 0; n < rounds; n += 1) {
          for (const door of doors) {
            document.querySelector<HTMLElement>(`[data-testid^="${door}"]`)?.click();
            await new Promise((soon) => setTimeout(soon, 20));
          }
        }
      },
      { rounds, doors },
    );
  const left = async () => {
    await watch.send("HeapProfiler.collectGarbage");
    return await watch.send("Memory.getDOMCounters");
  };
  await around(3);
  const before = await left();
  await around(140);
  const after = await left();
  expect(after.nodes).toBeLessThan(before.nodes + 200);
  expect(after.jsEventListeners).toBeLessThan(before.jsEventListeners + 50);
});
