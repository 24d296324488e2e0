import { useMemo } from "preact/hooks";
import { type Formatters, type Messages, textsOf, type Writing } from "./messages.ts";
import type { Language, Section, Texts } from "./texts.ts";

/** The sections of the catalog that an island shows, in the form in which its properties carry them. */
export interface IslandTexts<Shown extends Section> extends Writing {
  sections: Record<Shown, Messages>;
}

/** Returns the sections of the catalog that an island shows. */
export function islandTexts<Shown extends Section>(
  { locale, direction, sections }: Language,
  ...shown: Shown[]
): IslandTexts<Shown> {
  const entries = shown.map((section) => [section, sections[section]]);
  return { locale, direction, sections: Object.fromEntries(entries) };
}

/** Browsers write few texts, and none with dates. */
const FORMATTERS = {
  formatters: {
    getNumberFormat: (...args: [string]) => new Intl.NumberFormat(...args),
    getPluralRules: (...args: [string]) => new Intl.PluralRules(...args),
  },
} as Formatters;

/** Reads the texts from the properties of an island. */
export function useTexts<Shown extends Section>(
  { locale, direction, sections }: IslandTexts<Shown>,
): Pick<Texts, Shown> {
  return useMemo(() => textsOf(sections, { locale, direction }, FORMATTERS) as Pick<Texts, Shown>, [sections]);
}
