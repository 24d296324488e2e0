import { strictEqual } from "node:assert/strict";
import { formatDay, formatMoment, formatShortDay, formatShortMoment, waitText } from "./date_format.ts";

Deno.test("days and times are written in UTC and in the given language, also after another language", () => {
  const date = new Date("2026-11-22T23:30:00Z");
  for (let time = 0; time < 2; time++) {
    strictEqual(formatDay(date, "en-US"), "November 22, 2026");
    strictEqual(formatMoment(date, "en-US"), "November 22, 2026 at 11:30 PM");
    strictEqual(formatShortDay(date, "en-US"), "Nov 22, 2026");
    strictEqual(formatShortMoment(date, "en-US"), "Nov 22, 2026, 11:30 PM");
    strictEqual(formatDay(date, "de"), "22. November 2026");
    strictEqual(formatMoment(date, "de"), "22. November 2026 um 23:30");
  }
});

Deno.test("a wait is rounded up to whole minutes, or to whole hours from two hours on", () => {
  const cases: [seconds: number, text: string][] = [
    [1, "1 minute"],
    [899, "15 minutes"],
    [7_200, "2 hours"],
    [7_201, "3 hours"],
    [78_300, "22 hours"],
  ];
  for (const [seconds, text] of cases) strictEqual(waitText(seconds, "en"), text);
});
