import { deepStrictEqual } from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

/** British spellings, in any word, name or path. */
const BRITISH = new RegExp(
  [
    "colour|favour|flavour|honour|humour|behaviour|neighbour|labour|rigour|vapour|harbour",
    "catalogue|analogue|licence|defence|offence|pretence|artefact|judgement|acknowledgement",
    "(?:cancel|model|travel|signal|level|total|tunnel|channel|label|fuel)l(?:ed(?!by)|ing)",
    "grey(?!list)|centre|fibre|litre|(?<![a-z])metres?(?![a-z])|theatre|ageing|whilst|amongst|afterwards|(?<![a-z])towards",
    "misspelt|(?<![a-z])(?:spelt|burnt|learnt)|skilful|instalment|practise|sceptic|programmes?(?![a-z])|per cent(?![a-z])",
    "(?:apolog|author|capital|categor|character|custom|final|general|initial|local|maxim|minim|normal|optim)is(?:e|ing|at)",
    "(?:organ|priorit|random|recogn|sanit|serial|special|stabil|standard|summar|synchron|util|visual)is(?:e|ing|at)",
    "emphasise|(?:ana|para)lys(?:e[ds]?|ing)(?![a-z])",
  ].join("|"),
  "gi",
);

/** More, which other contexts than texts allow. */
const BRITISH_IN_TEXTS = /\b(?:any more\b|round in circles)/gi;

/** Words that are not ours to spell, by file. */
const EXCEPTIONS: [file: RegExp, words: RegExp][] = [
  [/./, /error=cancelled/g], // a URL of the specification
  [/./, /user_cancelled_authorize/g], // an error of Apple
  [/^lib\/texts\/\w+\/.*\.json$/, /"cancelled":/g], // the text for it
  [
    /^(?:lib\/(?:errors\/errors|texts\/catalog|sign_in\/providers\/attempt_end)\.ts|tests\/integration\/idp_)/,
    /\bcancelled\b/g,
  ],
  [/^lib\/ui\/idp_refusal_text\.ts$/, /cancelled: ways\.cancelled/g],
  [/^lib\/images\/webp_converter_test\.ts$/, /"grey16"/g], // a color space of libvips
  [/^lib\/passwords\/common_stems\.ts$/, /\bgrey\b/g], // what people type
];

/** Other languages, packages, and this file. */
const SKIPPED = /^(?:lib\/texts\/(?!en\/)[a-z]{2}\/|deno\.lock$|tests\/spelling_test\.ts$)/;
const READ = /\.(?:tsx?|js|css|json|md|sql|sh|svg|ya?ml)$/;

/** Yields the path of each file of ours, relative to the root. */
async function* pathsBelow(folder = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory && !/^[._]|^node_modules$|^coverage$|^screenshots$/.test(name)) {
      yield* pathsBelow(`${folder}${name}/`);
    } else if (isFile && READ.test(name) && !SKIPPED.test(folder + name)) yield folder + name;
  }
}

/** Returns "file: word" for each match of a pattern in the names and texts of our files below a folder. */
async function findings(pattern: RegExp, below = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const path of pathsBelow(below)) {
    let text = `${path}\n${await Deno.readTextFile(new URL(path, ROOT))}`;
    for (const [file, words] of EXCEPTIONS) if (file.test(path)) text = text.replaceAll(words, "");
    for (const [word] of text.matchAll(pattern)) found.push(`${path}: ${word}`);
  }
  return found;
}

Deno.test("code, documents and texts are in American English", async () => {
  deepStrictEqual(await findings(BRITISH), []);
});

Deno.test("texts for people avoid more British words", async () => {
  deepStrictEqual(await findings(BRITISH_IN_TEXTS, "lib/texts/en/"), []);
});

Deno.test("dates and lists are written the American way", async () => {
  deepStrictEqual(await findings(/en-GB/g, "lib/"), []);
});
