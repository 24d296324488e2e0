import type { Mail } from "../services.ts";
import { PRODUCT } from "../texts/product.ts";
import { type Language, type Texts, textsIn } from "../texts/texts.ts";
import type { AlertFacts, AlertKind, MailKind } from "./kinds.ts";
import { layOutCodeMail, layOutLinkMail, layOutNoticeMail } from "./layout.ts";

/** The parts of an email that depend on its recipient and the configuration. */
export interface MailOptions {
  to: string;
  /** The link or the code that it carries. */
  link?: string;
  /** Where the button leads, if not to `link`. Then `link` comes below it. */
  buttonLink?: string;
  code?: string;
  /** How long the link or the code works. */
  lifetimeSeconds: number;
  language: Language;
  /** Those that its texts state. */
  facts?: object;
}

/** The texts of an email. */
interface MailTexts {
  subject(product: string): string;
  before(product: string, facts: object): string;
  action?: string;
  /** The text of the button, if it is not for the link of the email. */
  buttonAction?: string;
  after(lifetime: string, product: string): string;
}

/**
 * Composes an email. It never contains the user's name: until the address is verified, someone else may have chosen the
 * name, and could use it to put words into our emails.
 */
export function composeMail(
  kind: MailKind,
  { to, link, buttonLink, code, lifetimeSeconds, language, facts = {} }: MailOptions,
): Mail {
  const { emails } = textsIn(language);
  const { subject, before, action, buttonAction, after } = textsOf(emails, kind);
  const parts = {
    subject: subject(PRODUCT),
    before: before(PRODUCT, facts),
    after: after(emails.lifetime(lifetimeSeconds), PRODUCT),
  };
  if (code !== undefined) return { to, ...layOutCodeMail({ ...parts, code }, language) };
  if (link === undefined || action === undefined) return { to, ...layOutNoticeMail(parts, language) };
  const { buttonNotWorking } = emails;
  const button = buttonLink === undefined || buttonAction === undefined
    ? { action, link }
    : { action: buttonAction, link: buttonLink, other: { action, link } };
  return { to, ...layOutLinkMail({ ...parts, ...button, buttonNotWorking }, language) };
}

function textsOf({ alerts, ...emails }: Texts["emails"], kind: MailKind): MailTexts {
  if (!isAlert(alerts, kind)) return (emails satisfies Record<Exclude<MailKind, AlertKind>, MailTexts>)[kind];
  const { subject, happened, ...button }: AlertTexts = alerts[kind];
  const before = (product: string, facts: AlertFacts) => `${happened(product, facts)} ${alerts.circumstances(facts)}`;
  return { subject, before, action: alerts.action, after: alerts.after, ...button } as MailTexts;
}

interface AlertTexts extends Pick<MailTexts, "subject" | "buttonAction"> {
  // deno-lint-ignore no-explicit-any -- each alert states its own facts
  happened(product: string, facts: any): string;
}

function isAlert(alerts: Record<AlertKind, unknown>, kind: MailKind): kind is AlertKind {
  return kind in alerts;
}
