import { checkTexts, type TextProblems } from "./compiler/check.ts";
import { type OwnTexts, readOwnTexts } from "./compiler/own_texts.ts";
import { compileTexts } from "./compiler/compile.ts";
import { placeOf, readTexts, textFiles, type TextTree } from "./compiler/text_files.ts";
import { isolated } from "./isolation.ts";
import { isGroup, type Messages } from "./messages.ts";
import { createLanguage, directionOf, type Language, type Languages, lazyRecord, type Sections } from "./texts.ts";
import { DEFAULT_NAME } from "../brand/brand.ts";

/** The languages that come with the service, and the variants whose dates and numbers they use. */
const LOCALES: Record<string, string> = { en: "en-US", de: "de-DE", ar: "ar-u-nu-latn" };
/** The original, in which each text exists. */
const ORIGINAL = "en";

/** The folder with their folders. */
const ROOT = new URL(".", import.meta.url);

/** The tags of the languages that come with the service. */
export const BUILT_IN_TAGS = Object.keys(LOCALES);

/** The language of operators. */
export const ENGLISH: Language = openLanguage(ORIGINAL, { product: DEFAULT_NAME });

/** Returns English texts that name this product, for examples. */
export function englishFor(product: string): Language {
  return product === DEFAULT_NAME ? ENGLISH : openLanguage(ORIGINAL, { product });
}

/** What opening the languages found: `errors` name file and key. */
export interface OpenedLanguages {
  languages: Languages;
  errors: string[];
  warnings: string[];
}

/** The settings that languages depend on. */
interface LanguageSettings {
  /** The folder with the texts of the operator (TEXTS_DIR): they replace single texts, or add languages. */
  textsDir?: string;
  defaultLanguage?: string;
  brand?: { name: string };
}

/** Opens the languages that come with the service, and those of an operator, which it checks. */
export function openLanguages(
  { textsDir, defaultLanguage: defaultTag = ORIGINAL, brand: { name: product } = { name: DEFAULT_NAME } }:
    LanguageSettings = {},
): OpenedLanguages {
  const own: OwnTexts = textsDir === undefined
    ? { byTag: new Map(), mailFrame: {}, errors: [], warnings: [] }
    : readOwnTexts(textsDir, { english: textsOf(folderOf(ORIGINAL)), builtIn: BUILT_IN_TAGS });
  const byTag = new Map<string, Language>();
  for (const tag of new Set([...BUILT_IN_TAGS, ...own.byTag.keys()])) {
    const texts = own.byTag.get(tag);
    const isOurs = tag === ORIGINAL && texts === undefined && product === DEFAULT_NAME;
    byTag.set(tag, isOurs ? ENGLISH : openLanguage(tag, { product, own: texts }));
  }
  const language = byTag.get(defaultTag);
  const errors = language === undefined ? [`DEFAULT_LANGUAGE: there are no texts in this language: ${defaultTag}`] : [];
  const languages = { byTag, mailFrame: own.mailFrame, default: language ?? byTag.get(ORIGINAL)! };
  return { languages, errors: [...errors, ...own.errors], warnings: own.warnings };
}

/**
 * Checks the languages that come with the service against English. The build does it, because the texts cannot change
 * after it, and it takes a third of the time of a start. What is missing is shown in English; a release needs all.
 *
 * @param root the folder with one folder for each language.
 */
export function checkBuiltIn(root = ROOT): TextProblems {
  const [original, ...others] = BUILT_IN_TAGS.map((tag) => ({ tag, texts: textsOf(folderOf(tag, root)) }));
  const found = [original, ...others].flatMap(({ tag, texts }) =>
    [...new Set([...original.texts.keys(), ...texts.keys()])].map((file): TextProblems => {
      const english = original.texts.get(file);
      const name = `${tag}/${file}`;
      if (english === undefined) return { errors: [`${name}: there is no such file of texts`], missing: [] };
      const { errors, missing } = checkTexts(texts.get(file) ?? {}, english, { file: name, tag });
      return { errors, missing: missing.map((key) => `${name}: ${key}`) };
    })
  );
  return { errors: found.flatMap(({ errors }) => errors), missing: found.flatMap(({ missing }) => missing) };
}

function textsOf(folder: URL): Map<string, TextTree> {
  return new Map(textFiles(folder).map((file) => [file, readTexts(folder, file)]));
}

/** Says what is wrong with the texts, with all mistakes. */
export function textProblems(errors: string[]): string {
  return `The texts are invalid:\n${errors.map((line) => `- ${line}`).join("\n")}`;
}

function folderOf(tag: string, root = ROOT): URL {
  return new URL(`${tag}/`, root);
}

/** Opens a language. What it lacks is shown in English. */
export function openLanguage(
  tag: string,
  { product, own = new Map(), root = ROOT }: { product: string; own?: ReadonlyMap<string, TextTree>; root?: URL },
): Language {
  const layers = new Set([ORIGINAL, ...BUILT_IN_TAGS.includes(tag) ? [tag] : []]);
  const files = Object.groupBy(textFiles(folderOf(ORIGINAL)), (file) => placeOf(file).section);
  const name = isolated(product, directionOf(tag));
  const compile = (file: string) => {
    const texts = [...layers].map((layer) => readIfThere(folderOf(layer, root), file));
    return [...texts, own.get(file) ?? {}].map((tree) => compileTexts(tree, name)).reduce(merged);
  };
  const sections = lazyRecord(Object.keys(files), (section) => {
    const [first, ...others] = files[section]!;
    if (placeOf(first).kind === undefined) return compile(first);
    return Object.fromEntries([first, ...others].map((file) => [placeOf(file).kind, compile(file)]));
  });
  return createLanguage(tag, LOCALES[tag] ?? tag, sections as Sections);
}

/** Reads the texts of a file, which nobody may have translated yet. */
function readIfThere(folder: URL, file: string): TextTree {
  try {
    return readTexts(folder, file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

/** Replaces single messages. */
function merged(messages: Messages, others: Messages): Messages {
  const entries = Object.entries(others).map(([key, other]) => {
    const known = messages[key];
    return [key, known !== undefined && isGroup(known) && isGroup(other) ? merged(known, other) : other];
  });
  return { ...messages, ...Object.fromEntries(entries) };
}
