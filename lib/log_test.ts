import { ok } from "node:assert/strict";
import { createLog } from "./log.ts";

Deno.test("each log line has the time at which it was written", () => {
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  for (let i = 0; i < 3; i++) {
    const before = Date.now();
    log("info", "request");
    const after = Date.now();
    const time = Date.parse(JSON.parse(lines[i]).time);
    ok(before <= time && time <= after, `${before} <= ${time} <= ${after}`);
    while (Date.now() === after); // until the next millisecond
  }
});
