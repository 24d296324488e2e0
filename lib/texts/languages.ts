import { compileTexts } from "./compiler/compile.ts";
import { placeOf, readTexts, textFiles } from "./compiler/text_files.ts";
import { createLanguage, type Language, lazyRecord, type Sections } from "./texts.ts";
import { DEFAULT_NAME } from "../brand/brand.ts";

/** The languages that come with the service, and the variants whose dates and numbers they use. */
const LOCALES: Record<string, string> = { en: "en-US", de: "de-DE", ar: "ar-u-nu-latn" };

/** The tags of the languages that come with the service. */
export const BUILT_IN_TAGS = Object.keys(LOCALES);

/** The language of operators, and of people who have chosen no other. */
export const ENGLISH: Language = openLanguage("en", DEFAULT_NAME);

const opened = new Map([[DEFAULT_NAME, ENGLISH]]);

/** Returns English texts that name this product. */
export function languageFor(product: string): Language {
  return opened.getOrInsertComputed(product, () => openLanguage("en", product));
}

/** Opens a language that comes with the service. */
function openLanguage(tag: string, product: string): Language {
  const folder = new URL(`${tag}/`, import.meta.url);
  const files = Object.groupBy(textFiles(folder), (file) => placeOf(file).section);
  const sections = lazyRecord(Object.keys(files), (section) => compileFiles(folder, files[section]!, product));
  return createLanguage(tag, LOCALES[tag], sections as Sections);
}

function compileFiles(folder: URL, files: string[], product: string) {
  const texts = files.map((file) => [placeOf(file).kind, compileTexts(readTexts(folder, file), product)] as const);
  return texts[0][0] === undefined ? texts[0][1] : Object.fromEntries(texts);
}
