import { ok, strictEqual } from "node:assert/strict";
import { openLanguages } from "../texts/languages.ts";
import { findFirstLanguage, requestedLanguage } from "./language.ts";

const { languages } = openLanguages();
/** A machine that is busy takes longer than the few milliseconds of these texts. Without a limit, they took seconds. */
const MAX_MS = 250;

Deno.test("a text that is too long to be a tag names no language, and costs no time", () => {
  for (const tag of ["-".repeat(60_000), `de${"-a".repeat(30_000)}`, `de-${"a".repeat(60_000)}`]) {
    for (const header of [["Cookie", `language=${tag}`], ["Accept-Language", tag]]) {
      const request = new Request("https://foyer.example/", { headers: [header as [string, string]] });
      strictEqual(timed(() => requestedLanguage(request, { languages })), null);
    }
    strictEqual(timed(() => findFirstLanguage(["xx", tag], languages)), null);
  }
});

Deno.test("many tags cost no time", () => {
  const cookies = Array.from({ length: 6_000 }, (_, index) => `language=a-${index}`).join("; ");
  strictEqual(timed(() => requestedLanguage(requestWith(cookies), { languages })), null);
  strictEqual(timed(() => findFirstLanguage(Array(30_000).fill("a-a-a-a-a-a-a-a"), languages)), null);
});

Deno.test("a tag may have 35 characters", () => {
  const tag = `de-${"a".repeat(32)}`;
  strictEqual(requestedLanguage(requestWith(`language=${tag}`), { languages })?.tag, "de");
  strictEqual(requestedLanguage(requestWith(`language=${tag}a`), { languages }), null);
});

function requestWith(cookie: string): Request {
  return new Request("https://foyer.example/", { headers: { Cookie: cookie } });
}

/** Fails if the best of three calls takes long. */
function timed<Result>(call: () => Result): Result {
  let [result, bestMs] = [undefined as Result, Infinity];
  for (let run = 0; run < 3 && bestMs > MAX_MS; run++) {
    const startedAt = performance.now();
    result = call();
    bestMs = performance.now() - startedAt;
  }
  ok(bestMs <= MAX_MS, `${bestMs} ms`);
  return result;
}
