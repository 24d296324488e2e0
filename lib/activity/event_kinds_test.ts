import { deepStrictEqual, doesNotMatch, match, ok } from "node:assert/strict";
import { sources } from "../../tests/support/source/sources.ts";
import { eventText } from "../texts/event_text.ts";
import { ENGLISH } from "../texts/languages.ts";
import { EVENT_KINDS, eventDeclaration } from "./kinds.ts";

/** What describes events, but records none. */
const DESCRIPTIONS = /\/lib\/(schemas|texts|api|ui)\//;

Deno.test("every kind of event is recorded somewhere, beside its alert", async () => {
  const kindsOfFiles: Set<string>[] = [];
  for await (const [path, text] of sources(new URL("../", import.meta.url))) {
    if (DESCRIPTIONS.test(path)) continue;
    kindsOfFiles.push(new Set([...text.matchAll(/\bkind: "([\w.]+)"/g)].map(([, kind]) => kind)));
  }
  const isMissing = (...kinds: string[]) => !kindsOfFiles.some((found) => kinds.every((kind) => found.has(kind)));
  deepStrictEqual(EVENT_KINDS.filter((kind) => isMissing(kind)), []);
  deepStrictEqual(EVENT_KINDS.filter((kind) => isMissing(kind, eventDeclaration(kind).alert ?? kind)), []);
});

Deno.test("every kind of event has a text, which states the details of its example and no others", () => {
  for (const kind of EVENT_KINDS) {
    const { example = {} } = eventDeclaration(kind);
    const text = eventText(ENGLISH, { kind, details: example });
    match(text, /^[A-Z]/, kind);
    doesNotMatch(text, /“”|: $| {2}| $|connected account/, `${kind} needs an example`);
    for (const detail of Object.values(example).flat()) {
      ok(text.toLowerCase().includes(String(detail).toLowerCase()), `${kind}: ${detail}: ${text}`);
    }
  }
});

Deno.test("every kind of event has a picture", async () => {
  const icons = await Deno.readTextFile(new URL("../../static/icons.svg", import.meta.url));
  for (const kind of EVENT_KINDS) ok(icons.includes(`id="${eventDeclaration(kind).icon}"`), kind);
});
