import { deepStrictEqual } from "node:assert/strict";
import { dayName, groupByDay } from "./days.ts";
import { ENGLISH } from "../../texts/languages.ts";

Deno.test("entries are grouped by the day in UTC, which is named as people call it", () => {
  const now = new Date("2026-03-02T00:00:00Z");
  const moments = ["2026-03-02T00:00:00Z", "2026-03-01T23:59:59Z", "2026-03-01T00:00:00Z", "2026-02-28T23:59:59Z"];
  const days = groupByDay(moments.map((moment) => ({ createdAt: new Date(moment) })));
  deepStrictEqual(
    days.map(({ date, entries }) => [dayName(date, now, ENGLISH), entries.length]),
    [["Today", 1], ["Yesterday", 2], ["February 28, 2026", 1]],
  );
});
