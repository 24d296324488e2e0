import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { argumentsOf } from "./arguments.ts";
import { checkText, checkTexts } from "./check.ts";
import { compileText } from "./compile.ts";
import type { MailFrame } from "../texts.ts";
import { readMailFrame } from "./mail_frame.ts";
import { isTree, placeOf, readTexts, textFiles, type TextTree, visibleEntries } from "./text_files.ts";

/** The texts of an operator, and what is wrong with them. */
export interface OwnTexts {
  /** The files of each language, by their path below its folder. */
  byTag: Map<string, Map<string, TextTree>>;
  mailFrame: MailFrame;
  /** Each names file and key. */
  errors: string[];
  warnings: string[];
}

/** The texts that come with the service. */
interface Original {
  english: ReadonlyMap<string, TextTree>;
  /** The languages that lack nothing. */
  builtIn: string[];
}

/** What an operator may add to an email. */
const ADDED = ["paragraph", "footer"];
/** The folder with the frame of emails, which is no language. */
const FRAME = "emails";

/** Reads and checks the texts of an operator. */
export function readOwnTexts(folder: string, original: Original): OwnTexts {
  const own: OwnTexts = { byTag: new Map(), mailFrame: {}, errors: [], warnings: [] };
  try {
    for (const { name, isDirectory } of visibleEntries(urlOf(folder))) {
      const path = urlOf(join(folder, name));
      if (!isDirectory) own.errors.push(...problemsOfFile(name));
      else if (name === FRAME) readFrame(path, own);
      else if (isTag(name)) own.byTag.set(name, readLanguage(path, { tag: name, own, ...original }));
      else own.errors.push(`${name}: must be named by a language, such as de or pt-BR`);
    }
  } catch (error) {
    own.errors.push(`TEXTS_DIR cannot be read: ${(error as Error).message}`);
  }
  return own;
}

function urlOf(folder: string): URL {
  return pathToFileURL(join(folder, "/"));
}

/** Texts that are not in the folder of a language would have no effect. */
function problemsOfFile(name: string): string[] {
  return name.endsWith(".json") ? [`${name}: must be in the folder of a language, such as de/${name}`] : [];
}

function readFrame(folder: URL, own: OwnTexts): void {
  const { frame, errors } = readMailFrame(folder);
  own.mailFrame = frame;
  own.errors.push(...errors);
}

function readLanguage(
  folder: URL,
  { tag, own, english, builtIn }: Original & { tag: string; own: OwnTexts },
): Map<string, TextTree> {
  const texts = new Map<string, TextTree>();
  let missing = 0;
  for (const file of textFiles(folder)) {
    const name = `${tag}/${file}`;
    const original = english.get(file);
    if (original === undefined) own.errors.push(`${name}: there is no such file of texts`);
    else {
      try {
        const tree = readTexts(folder, file);
        const problems = checkOwnFile(tree, original, { file: name, tag });
        own.errors.push(...problems.errors);
        missing += problems.missing.length;
        texts.set(file, tree);
      } catch (error) {
        own.errors.push(`${name}: cannot be read: ${(error as Error).message}`);
      }
    }
  }
  const absent = [...english.keys()].filter((file) => !texts.has(file));
  if (!builtIn.includes(tag) && missing + absent.length > 0) {
    own.warnings.push(
      `Some texts in ${tag} are missing and are shown in English: ${missing} in its files, and all of ` +
        `${absent.length} files`,
    );
  }
  return texts;
}

function checkOwnFile(texts: TextTree, english: TextTree, { file, tag }: { file: string; tag: string }) {
  if (placeOf(file).section !== "mails") return checkTexts(texts, english, { file, tag });
  const [added, others] = [true, false].map((isAdded) =>
    Object.fromEntries(Object.entries(texts).filter(([key]) => ADDED.includes(key) === isAdded))
  );
  const found = checkTexts(others, english, { file, tag });
  const errors = Object.entries(added).flatMap(([key, text]) => checkAdded(text, english, { file, key, tag }));
  return { ...found, errors: [...found.errors, ...errors] };
}

/** An added text may use the arguments of its email, and needs none. */
function checkAdded(text: string | TextTree, english: TextTree, place: { file: string; key: string; tag: string }) {
  if (typeof text !== "string") return [`${place.file}: ${place.key}: must be a text`];
  try {
    const used = argumentsOf(compileText(text, { product: "", key: place.key }));
    const known = new Set(
      textsIn(english).flatMap((each) => [
        ...argumentsOf(compileText(each, { product: "", key: "" })).keys(),
      ]),
    );
    const unknown = [...used.keys()].filter((name) => !known.has(name));
    if (unknown.length === 0) return checkText(text, text, place);
    return unknown.map((name) => `${place.file}: ${place.key}: has an unknown argument, ${name}: ${text}`);
  } catch (error) {
    return [`${place.file}: ${(error as Error).message}`];
  }
}

function textsIn(tree: TextTree): string[] {
  return Object.values(tree).flatMap((text) => isTree(text) ? textsIn(text) : [text]);
}

function isTag(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name)[0] === name && Intl.PluralRules.supportedLocalesOf(name).length > 0;
  } catch {
    return false;
  }
}
