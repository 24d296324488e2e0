import type { CompiledMessage } from "icu-minify/format";
import { argumentsOf, type ArgumentUse, literalsOf, usesOf } from "./arguments.ts";
import { isTree, type TextTree } from "./text_files.ts";
import { compileText } from "./compile.ts";

/** Elements and entities of HTML. The tags of messages are not in what they show. */
const HTML = /<\/?[a-z!]|&(#\w+|[a-z]+);/i;
/** Numbers that stand for all: few texts count further, and larger numbers use the same forms. */
const SAMPLES = [...Array(201).keys(), 1000];

/** Where a text is. */
interface Place {
  file: string;
  key: string;
  /** The language whose plural forms it must have. */
  tag: string;
}

/** What is wrong with the texts of a file. */
export interface TextProblems {
  /** Each begins with the file and the key. */
  errors: string[];
  /** The keys that are missing. */
  missing: string[];
}

/**
 * Compares the texts of a file with the English ones: the same keys, the same arguments, no HTML, the right plurals.
 */
export function checkTexts(
  texts: TextTree,
  english: TextTree,
  { file, tag, path = "" }: { file: string; tag: string; path?: string },
): TextProblems {
  const errors: string[] = [];
  const missing = Object.keys(english).filter((key) => !Object.hasOwn(texts, key)).map((key) => path + key);
  for (const [name, text] of Object.entries(texts)) {
    const original = Object.hasOwn(english, name) ? english[name] : undefined;
    const place = { file, key: path + name, tag };
    if (original === undefined) errors.push(`${file}: ${place.key}: there is no such text`);
    else if (typeof text === "string" && typeof original === "string") errors.push(...checkText(text, original, place));
    else if (isTree(text) && isTree(original)) {
      const inner = checkTexts(text, original, { file, tag, path: `${place.key}.` });
      errors.push(...inner.errors);
      missing.push(...inner.missing);
    } else errors.push(`${file}: ${place.key}: must be ${typeof original === "string" ? "a text" : "texts by key"}`);
  }
  return { errors, missing };
}

/** Compares a text with the English one. */
export function checkText(text: string, original: string, { file, key, tag }: Place): string[] {
  try {
    // The name of the product may be in any text, and need not be.
    const [compiled, expected] = [text, original].map((each) => compileText(each, { product: "", key }));
    const problems = [
      ...literalsOf(compiled).some((literal) => HTML.test(literal)) ? ["contains HTML"] : [],
      ...argumentProblems(compiled, expected),
      ...usesOf(compiled).flatMap((use) => use.plural ? pluralProblems(use, tag) : choiceProblems(use, expected)),
    ];
    return problems.map((problem) => `${file}: ${key}: ${problem}: ${text}`);
  } catch (error) {
    return [`${file}: ${(error as Error).message}`];
  }
}

function argumentProblems(compiled: CompiledMessage, expected: CompiledMessage): string[] {
  const [found, original] = [argumentsOf(compiled), argumentsOf(expected)];
  return [
    ...[...original.keys()].filter((name) => !found.has(name)).map((name) => `lacks the argument ${name}`),
    ...[...found].flatMap(([name, kind]) => {
      const expectedKind = original.get(name);
      if (expectedKind === undefined) return [`has an unknown argument, ${name}`];
      return kind === expectedKind ? [] : [`uses ${name} as a ${kind}, not as a ${expectedKind}`];
    }),
  ];
}

/** A choice must have the same cases as the English one. */
function choiceProblems({ name, kind, cases = [] }: ArgumentUse, expected: CompiledMessage): string[] {
  if (kind !== "choice") return [];
  const original = usesOf(expected).find((use) => use.name === name && use.kind === "choice")?.cases ?? [];
  return original.toSorted().join() === cases.toSorted().join()
    ? []
    : [`${name} needs the cases ${original.join(", ")}`];
}

/** A plural needs the forms that numbers have in the language, unless each of their numbers has a case of its own. */
function pluralProblems({ name, plural, cases = [] }: ArgumentUse, tag: string): string[] {
  const rules = new Intl.PluralRules(tag, { type: plural });
  const needed = new Set(
    SAMPLES.filter((number) => !cases.includes(`=${number}`)).map((number) => rules.select(number)),
  );
  const known: string[] = rules.resolvedOptions().pluralCategories;
  return [
    ...[...needed].filter((form) => !cases.includes(form)).map((form) => `${name} lacks the plural form ${form}`),
    ...cases.filter((form) => !form.startsWith("=") && !known.includes(form)).map((form) =>
      `${name} has the plural form ${form}, which ${tag} does not use`
    ),
  ];
}
