import type { MailKind } from "../../db/schema.ts";
import type { Mail } from "../services.ts";
import { PRODUCT } from "../words/product.ts";
import { type Language, wordsIn } from "../words/words.ts";
import { layOutLinkMail } from "./layout.ts";

/** The parts of an email that depend on its recipient and the configuration. */
export interface LinkMailOptions {
  to: string;
  link: string;
  /** How long the link works. */
  lifetimeSeconds: number;
  language: Language;
}

/**
 * Composes an email that carries a link. It never contains the user's name: until the address is verified, someone else
 * may have chosen the name, and could use it to put words into our emails.
 */
export function linkMail(kind: MailKind, { to, link, lifetimeSeconds, language }: LinkMailOptions): Mail {
  const { [kind]: words, lifetime, buttonNotWorking } = wordsIn(language).emails;
  const parts = {
    subject: words.subject(PRODUCT),
    before: words.before(PRODUCT),
    action: words.action,
    link,
    after: words.after(lifetime(lifetimeSeconds)),
    buttonNotWorking,
  };
  return { to, ...layOutLinkMail(parts, language) };
}
