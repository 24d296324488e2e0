import { deepStrictEqual, doesNotMatch, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { fileURLToPath, pathToFileURL } from "node:url";
import { exampleMail } from "../lib/mail/examples.ts";
import { MAIL_KINDS } from "../lib/mail/kinds.ts";
import { catalogTypes } from "../lib/texts/compiler/catalog_types.ts";
import { readTexts, textFiles, type TextTree } from "../lib/texts/compiler/text_files.ts";
import { BUILT_IN_TAGS, checkBuiltIn, ENGLISH, openLanguage, openLanguages } from "../lib/texts/languages.ts";
import { mailName } from "../lib/texts/mail_name.ts";
import { emailMarkupProblems } from "./support/browser/markup.ts";

const TEXTS = new URL("../lib/texts/", import.meta.url);

Deno.test("the types of the texts are those that `deno task texts` writes", async () => {
  strictEqual(await Deno.readTextFile(new URL("catalog.ts", TEXTS)), catalogTypes(ENGLISH.sections));
});

Deno.test("the texts of every language have the arguments of the English ones, and its plural forms", () => {
  deepStrictEqual(checkBuiltIn().errors, []);
});

Deno.test("a text that a language lacks is shown in English, and is missing for a release", async () => {
  const copy = await Deno.makeTempDir({ prefix: "foyer-texts-" });
  const root = pathToFileURL(`${copy}/`);
  try {
    const languages = BUILT_IN_TAGS.map((tag) => fileURLToPath(new URL(tag, TEXTS)));
    await new Deno.Command("cp", { args: ["-r", ...languages, copy] }).output();
    const before = checkBuiltIn(root).missing;
    await Deno.remove(`${copy}/de/emails/deletion.json`);
    await change(`${copy}/ar/home.json`, { title: undefined });
    deepStrictEqual(checkBuiltIn(root).errors, []);
    deepStrictEqual(checkBuiltIn(root).missing.filter((text) => !before.includes(text)), [
      ...["subject", "heading", "summary", "details", "after"].map((key) => `de/emails/deletion.json: ${key}`),
      "ar/home.json: title",
    ]);
    const [german, arabic] = ["de", "ar"].map((tag) => openLanguage(tag, { product: "Foyer", root }).texts);
    const title = arabic.home.title.replaceAll(/[\u2068\u2069]/g, "");
    deepStrictEqual([german.mails.deletion.heading, title], [
      ENGLISH.texts.mails.deletion.heading,
      ENGLISH.texts.home.title,
    ]);
    notStrictEqual(arabic.home.lead, ENGLISH.texts.home.lead);
    await Deno.writeTextFile(`${copy}/de/more.json`, "{}");
    await change(`${copy}/ar/home.json`, { lead: "{x} <br>" });
    deepStrictEqual(
      checkBuiltIn(root).errors.map((problem) => problem.split(": ").slice(0, 2).join()),
      ["de/more.json,there is no such file of texts", "ar/home.json,Cannot parse lead"],
    );
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
});

async function change(file: string, texts: Record<string, string | undefined>): Promise<void> {
  await Deno.writeTextFile(file, JSON.stringify({ ...JSON.parse(await Deno.readTextFile(file)), ...texts }));
}

for (const tag of BUILT_IN_TAGS) {
  Deno.test(`the texts in ${tag} quote buttons and links by their own texts`, () => {
    const english = allTexts(new URL("en/", TEXTS));
    const own = new Map([...english, ...allTexts(new URL(`${tag}/`, TEXTS))]);
    const found = [...english].flatMap(([key, text]) =>
      [...text.matchAll(/“([^”]+)”/g)].flatMap(([, words]) => {
        const sources = [...english].filter(([, other]) => other === words || other.startsWith(`${words}, `));
        const allowed = sources.map(([source, other]) => other === words ? own.get(source)! : start(own.get(source)!));
        const isQuoted = allowed.length === 0 || allowed.some((each) => own.get(key)!.includes(each));
        return isQuoted ? [] : [`${key}: ${own.get(key)}: quotes none of: ${allowed.join(" | ")}`];
      })
    );
    deepStrictEqual(found, []);
  });
}

/** What docs/texts.md rules out. */
const WRONG_SPELLINGS: Record<string, RegExp> = {
  de: /E(?!‑Mail)\W?mail|\b(?:Account|Kennwort|einloggen|ausloggen)/i,
  ar: /[\u0600-\u06ff] ?[,;?]|كلمة السر|الولوج/,
};

for (const [tag, wrong] of Object.entries(WRONG_SPELLINGS)) {
  Deno.test(`the texts in ${tag} have the spelling and the words of docs/texts.md`, () => {
    const texts = [...allTexts(new URL(`${tag}/`, TEXTS))];
    deepStrictEqual(texts.filter(([, text]) => wrong.test(text.replaceAll(/`[^`]*`|\{\w+(?:, \w+)*/g, ""))), []);
  });
}

Deno.test("no text names the product but by its argument", () => {
  for (const tag of BUILT_IN_TAGS) {
    deepStrictEqual([...allTexts(new URL(`${tag}/`, TEXTS))].filter(([, text]) => /foyer/i.test(text)), []);
  }
});

Deno.test("each kind of email has a name in lists, which know only its kind", () => {
  for (const language of openLanguages().languages.byTag.values()) {
    for (const kind of MAIL_KINDS) doesNotMatch(mailName(language, kind), /undefined|^[^\p{L}]*\p{Ll}/u);
  }
});

Deno.test("the layouts in docs/texts.md are valid, and show an email", async () => {
  const docs = await Deno.readTextFile(new URL("../docs/texts.md", import.meta.url));
  const [html, text] = ["html", "text"].map((type) => blocksOf(docs).find((block) => block.type === type)!.content);
  const textsDir = await Deno.makeTempDir({ prefix: "foyer-texts-" });
  try {
    await Deno.mkdir(`${textsDir}/emails`);
    await Deno.writeTextFile(`${textsDir}/emails/layout.html`, html);
    await Deno.writeTextFile(`${textsDir}/emails/layout.txt`, text);
    const { languages, errors } = openLanguages({ textsDir });
    deepStrictEqual(errors, []);
    const mail = exampleMail("reset", { baseUrl: "https://foyer.test", frame: languages.mailFrame });
    // The elements inside have the language, because a layout does not know it.
    const problems = (await emailMarkupProblems(mail.html)).filter((problem) => !problem.includes('"lang"'));
    deepStrictEqual(problems, []);
    match(mail.html, /acme\.example[^]*Forgot your password\?[^]*Sent to tomas@example\.com/);
    match(mail.text, /^Acme\n\nWe received[^]*\n\n--\nSent to tomas@example\.com[^\n]*\n$/);
  } finally {
    await Deno.remove(textsDir, { recursive: true });
  }
});

/** Returns the examples in a document. */
function blocksOf(document: string): { type: string; content: string }[] {
  return [...document.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, type, content]) => ({ type, content }));
}

/** The texts of all files in a folder, by file and key. */
function allTexts(folder: URL): Map<string, string> {
  return new Map(textFiles(folder).flatMap((file) => textsBelow(readTexts(folder, file), file)));
}

function textsBelow(texts: TextTree, path: string): [string, string][] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === "string" ? [[`${path}: ${key}`, text]] : textsBelow(text, `${path}: ${key}`)
  );
}

/** The first words of a button such as "No, delete this account". */
function start(text: string): string {
  return text.split(/[,،]/)[0];
}
