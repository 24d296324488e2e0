import { useMemo } from "preact/hooks";
import { type Formatters, type Messages, textsOf } from "./messages.ts";
import type { Language, Section, Texts } from "./texts.ts";

/** The sections of the catalog that an island shows, in the form in which its properties carry them. */
export interface IslandTexts<Shown extends Section> {
  locale: string;
  sections: Record<Shown, Messages>;
}

/** Returns the sections of the catalog that an island shows. */
export function islandTexts<Shown extends Section>(
  { locale, sections }: Language,
  ...shown: Shown[]
): IslandTexts<Shown> {
  const entries = shown.map((section) => [section, sections[section]]);
  return { locale, sections: Object.fromEntries(entries) };
}

/** Browsers write few texts, and none with dates. */
const FORMATTERS = {
  formatters: {
    getNumberFormat: (...args: [string]) => new Intl.NumberFormat(...args),
    getPluralRules: (...args: [string]) => new Intl.PluralRules(...args),
  },
} as Formatters;

/** Reads the texts from the properties of an island. */
export function useTexts<Shown extends Section>({ locale, sections }: IslandTexts<Shown>): Pick<Texts, Shown> {
  return useMemo(() => textsOf(sections, locale, FORMATTERS) as Pick<Texts, Shown>, [sections]);
}
