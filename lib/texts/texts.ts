import { validationFailed } from "../errors/errors.ts";
import type { Catalog } from "./catalog.ts";
import { DAY, MOMENT } from "./date_format.ts";
import { dateFormat, numberFormat, pluralRules } from "./formats.ts";
import { type Formatters, type Messages, textsOf, type Writing } from "./messages.ts";

/** The texts of pages and emails in one language. A text with arguments is a function of them. */
export type Texts = Catalog;
/** The name of a part of the catalog. */
export type Section = keyof Texts;
/** The name of a notice: a closed list, so that a forged URL or cookie cannot put its own text on a page. */
export type NoticeCode = keyof Texts["notices"];
/** The compiled messages of each section. A property is read when it is first used. */
export type Sections = Record<Section, Messages>;

/** A language of pages and emails. */
export interface Language extends Writing {
  /** Identifies what has been rendered with these texts. */
  id: string;
  /** Its name for browsers. Source: BCP 47. */
  tag: string;
  /** Its name for people who speak it. */
  name: string;
  sections: Sections;
  texts: Texts;
}

const FORMATTERS: Formatters = {
  /** A message names one of them: `{dueAt, date, day}`. */
  formats: { dateTime: { day: DAY, moment: MOMENT } },
  formatters: { getDateTimeFormat: dateFormat, getNumberFormat: numberFormat, getPluralRules: pluralRules },
};

/** What an operator puts around the content of every email, with the placeholders {content} and {footer}. */
export interface MailFrame {
  html?: string;
  text?: string;
}

/** The languages of pages and emails. */
export interface Languages {
  byTag: ReadonlyMap<string, Language>;
  /** The operator's frame of emails. It is the same in all languages. */
  mailFrame: MailFrame;
  /** For people of whom no other language is known. */
  default: Language;
}

/**
 * Returns the language with this tag.
 *
 * @throws {AppError} VALIDATION_FAILED if there is none.
 */
export function getLanguage({ byTag }: Languages, tag: string): Language {
  const language = byTag.get(tag);
  if (language === undefined) throw validationFailed({ language: [{ rule: "oneOf", values: [...byTag.keys()] }] });
  return language;
}

/** Creates a language from its compiled messages. */
export function createLanguage(tag: string, locale: string, sections: Sections): Language {
  const writing = { locale, direction: directionOf(tag) };
  return {
    id: crypto.randomUUID(),
    tag,
    ...writing,
    name: nameOf(tag),
    sections,
    texts: lazyRecord(
      Object.keys(sections),
      (section) => textsOf(sections[section as Section], writing, FORMATTERS),
    ) as object as Texts,
  };
}

/** Returns in which direction people write the language. */
export function directionOf(tag: string): Writing["direction"] {
  return new Intl.Locale(tag).getTextInfo().direction ?? "ltr";
}

function nameOf(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag;
  return name[0].toLocaleUpperCase(tag) + name.slice(1);
}

/** The texts of a language. */
export function textsIn({ texts }: Language): Texts {
  return texts;
}

/** Returns an object that computes each property when it is first used. */
export function lazyRecord<Value>(keys: string[], valueOf: (key: string) => Value): Record<string, Value> {
  const record = {} as Record<string, Value>;
  for (const key of keys) {
    const define = (descriptor: PropertyDescriptor) =>
      Object.defineProperty(record, key, { configurable: true, enumerable: true, ...descriptor });
    define({
      get() {
        const value = valueOf(key);
        define({ value });
        return value;
      },
    });
  }
  return record;
}
