import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createLog, errorFields, messageOf } from "./log.ts";

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

Deno.test("lines below the level are not written", () => {
  const levels = ["info", "warn", "error"] as const;
  for (const [index, from] of levels.entries()) {
    const written: string[] = [];
    const log = createLog((_line, level) => written.push(level), undefined, from);
    for (const level of levels) log(level, "x");
    deepStrictEqual(written, levels.slice(index));
  }
});

Deno.test("a missing permission is logged without advice to start the service with more", () => {
  const error = new Deno.errors.NotCapable(
    'Requires read access to "/etc/ca.pem", run again with the --allow-read flag',
  );
  const message =
    'Requires read access to "/etc/ca.pem". The service may use only files in its own folder and in DATA_DIR';
  strictEqual(errorFields(error).error, `NotCapable: ${message}`);
  ok(!JSON.stringify(errorFields(new Error("Cannot connect", { cause: error }))).includes("--allow"));
  strictEqual(messageOf(error), message);
});
