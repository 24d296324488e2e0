import { strictEqual } from "node:assert/strict";
import { byteSearch } from "./byte_search.ts";

const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

Deno.test("a search finds what a search of the text finds", () => {
  const wanted = ["\r\n--a", "\r\n--aaaa", "\r\n--abab", "\r\n\r\n", "\xff\xfe", "a"];
  const letters = "\r\n-ab\xff\xfe";
  for (const text of wanted) {
    const search = byteSearch(text);
    for (let i = 0; i < 2_000; i++) {
      const noise = () => Array.from({ length: i % 9 }, () => letters[Math.floor(Math.random() * 7)]).join("");
      const all = noise() + text.slice(0, i % (text.length + 2)) + noise() + text.slice(0, i % 5);
      const found = all.indexOf(text);
      strictEqual(search.indexIn(bytesOf(all)), found, JSON.stringify({ text, all }));
      let rest = Math.min(all.length, text.length - 1);
      while (!all.endsWith(text.slice(0, rest))) rest--;
      strictEqual(search.startAtEndOf(bytesOf(all)), rest, JSON.stringify({ text, all }));
    }
  }
});

Deno.test("the slowest content for a search costs a few comparisons for each byte", () => {
  const boundary = "a".repeat(70);
  const search = byteSearch(`\r\n--${boundary}`);
  for (const part of ["a", `\r\n--${boundary.slice(1)}`, "\r\n--", "\r"]) {
    let compared = 0;
    const bytes = bytesOf(part.repeat(Math.ceil(20_000 / part.length)));
    const counting = new Proxy(bytes, {
      get(target, name) {
        compared++;
        return Reflect.get(target, name);
      },
    });
    strictEqual(search.indexIn(counting), -1);
    strictEqual(compared < 6 * bytes.length, true, `${compared} for ${JSON.stringify(part)}`);
  }
});
