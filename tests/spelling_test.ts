import { deepStrictEqual } from "node:assert/strict";

const LIB = new URL("../lib/", import.meta.url);

/** British spellings. Keys of texts keep the spelling of the codes that they belong to. */
const BRITISH =
  /\b(?:colour|favour|honour|behaviour|neighbour|centre|licence|cancell(?:ed|ing)\b(?!"?:)|recognis|organis|authoris|customis|apologis|grey\b|any more\b|round in circles|labelled|travell|whilst|learnt)\w*/gi;

async function* filesBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesBelow(new URL(`${name}/`, folder));
    else if (/\.(?:tsx?|json)$/.test(name)) yield new URL(name, folder);
  }
}

/** Returns "file: word" for each match in the files below a folder. */
async function findings(folder: URL, pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  for await (const file of filesBelow(folder)) {
    for (const [word] of (await Deno.readTextFile(file)).matchAll(pattern)) {
      found.push(`${file.pathname.slice(LIB.pathname.length)}: ${word}`);
    }
  }
  return found;
}

Deno.test("texts for people are in American English", async () => {
  deepStrictEqual(await findings(new URL("texts/en/", LIB), BRITISH), []);
});

Deno.test("dates and lists are written the American way", async () => {
  deepStrictEqual(await findings(LIB, /en-GB/g), []);
});
