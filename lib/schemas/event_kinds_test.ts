import { deepStrictEqual } from "node:assert/strict";
import { sources } from "../../tests/support/source/sources.ts";
import { EVENT_KINDS } from "./event_kinds.ts";

/** What describes events, but records none. */
const DESCRIPTIONS = /\/lib\/(schemas|texts|api|ui)\//;

Deno.test("every kind of event is recorded somewhere", async () => {
  const recorded = new Set<string>();
  for await (const [path, text] of sources(new URL("../", import.meta.url))) {
    if (DESCRIPTIONS.test(path)) continue;
    for (const [, kind] of text.matchAll(/\bkind: "(\w+\.\w+)"/g)) recorded.add(kind);
  }
  deepStrictEqual(EVENT_KINDS.filter((kind) => !recorded.has(kind)), []);
});
