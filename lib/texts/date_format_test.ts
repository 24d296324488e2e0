import { strictEqual } from "node:assert/strict";
import { formatDay, formatMoment } from "./date_format.ts";

Deno.test("days and times are written in UTC and in the given language, also after another language", () => {
  const date = new Date("2026-11-22T23:30:00Z");
  for (let time = 0; time < 2; time++) {
    strictEqual(formatDay(date, "en-US"), "November 22, 2026");
    strictEqual(formatMoment(date, "en-US"), "November 22, 2026 at 11:30 PM");
    strictEqual(formatDay(date, "de"), "22. November 2026");
    strictEqual(formatMoment(date, "de"), "22. November 2026 um 23:30");
  }
});
