import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { catalogueTypes } from "../lib/texts/compiler/catalogue_types.ts";
import { checkTexts } from "../lib/texts/compiler/check.ts";
import { readTexts, textFiles } from "../lib/texts/compiler/text_files.ts";
import { BUILT_IN_TAGS, ENGLISH } from "../lib/texts/languages.ts";

const TEXTS = new URL("../lib/texts/", import.meta.url);
const ENGLISH_TEXTS = new URL("en/", TEXTS);

Deno.test("the types of the texts are those that `deno task texts` writes", async () => {
  strictEqual(await Deno.readTextFile(new URL("catalogue.ts", TEXTS)), catalogueTypes(ENGLISH.sections));
});

for (const tag of BUILT_IN_TAGS) {
  Deno.test(`the texts in ${tag} have the keys and arguments of the English ones, and the plural forms of ${tag}`, () => {
    const folder = new URL(`${tag}/`, TEXTS);
    deepStrictEqual(textFiles(folder), textFiles(ENGLISH_TEXTS));
    const found = textFiles(folder).flatMap((file) => {
      const { errors, missing } = checkTexts(readTexts(folder, file), readTexts(ENGLISH_TEXTS, file), { file, tag });
      return [...errors, ...missing.map((key) => `${file}: ${key}: missing`)];
    });
    deepStrictEqual(found, []);
  });
}
