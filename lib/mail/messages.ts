import type { SignInMethod } from "../access/tables.ts";
import { brandLinks } from "../brand/links.ts";
import type { Brand } from "../brand/brand.ts";
import type { Mail } from "../services/services.ts";
import { durationText, formatMoment } from "../texts/date_format.ts";
import { isolated } from "../texts/isolation.ts";
import { say, type Text } from "../texts/messages.ts";
import { type Language, type MailFrame, type Texts, textsIn } from "../texts/texts.ts";
import { isAlert, mailDeclaration, type MailKind } from "./kinds.ts";
import { groupedCode, layOutMail } from "./layout/layout.ts";
import type { MailFact, MailLink } from "./layout/parts.ts";

/** The parts of an email that depend on its recipient and the configuration. */
export interface MailOptions {
  to: string;
  /** The link or the code that it carries. */
  link?: string;
  code?: string;
  /** How long the link or the code works. */
  lifetimeSeconds: number;
  language: Language;
  /** The operator's frame, if there is one. */
  frame?: MailFrame;
  brand: Brand;
  /** The public origin of the service. */
  baseUrl: string;
  /** The facts that its texts state. */
  facts?: object;
  /** Set if this is the last email of its kind until then. It says so. */
  silentUntil?: Date;
}

/** The texts of an email. Their arguments are its facts, its code, and the lifetime of the link or the code. */
interface MailTexts {
  subject: Text;
  heading: Text;
  summary: Text;
  details?: Text;
  /** The labels of the facts that it lists. */
  facts?: Partial<Record<string, string>>;
  action?: string;
  buttonAction?: string;
  after: Text;
  /** What the operator adds: a paragraph, and a line at the end. */
  paragraph?: Text;
  footer?: Text;
}

/** The facts of an email, by name. */
type Facts = Record<string, unknown>;

/**
 * Composes an email. It contains no name of a user, except in invitations: until the address is verified, someone else
 * may have chosen the name, and could use it to put words into our emails. An invitation quotes only names that nobody
 * could take for a link or a number to call.
 */
export function composeMail(kind: MailKind, { to, link, code, facts: given = {}, ...options }: MailOptions): Mail {
  const { lifetimeSeconds, language, frame, baseUrl, brand, silentUntil } = options;
  const { mail, frame: names } = textsIn(language);
  const texts = textsOf(language.texts, kind);
  const facts: Facts = kind.startsWith("invitation")
    ? { ...given, ...quotableNames(given) }
    : { ...given, code: code && groupedCode(code) };
  const values = { ...facts, silentUntil, lifetime: durationText(lifetimeSeconds, language.locale) };
  const rows = factRows(texts, facts, language);
  const account: MailFact = [mail.account, isolated(to, language.direction)];
  const parts = {
    subject: say(texts.subject, values),
    heading: say(texts.heading, values),
    summary: say(texts.summary, values),
    details: detailsOf(texts, { values, mail }),
    facts: rows.length === 0 ? [] : [account, ...rows],
    code,
    ...linksOf(kind, texts, { link, baseUrl }),
    after: say(texts.after, values),
    links: brandLinks(brand.settings).map(({ name, href }) => ({ text: names[name], link: href })),
    buttonNotWorking: mail.buttonNotWorking,
    sentTo: mail.sentTo({ email: to, host: new URL(baseUrl).host }),
    footer: texts.footer && say(texts.footer, values),
  };
  return { to, ...layOutMail(parts, { brand, baseUrl, language, frame }) };
}

/** The facts that the email lists, in the order of their labels. */
function factRows({ facts: labels = {} }: MailTexts, facts: Facts, language: Language): MailFact[] {
  return Object.entries(labels).flatMap(([name, label]) =>
    facts[name] === undefined
      ? []
      : [[label, isolated(valueText(name, facts[name], language), language.direction)] as MailFact]
  );
}

function valueText(name: string, value: unknown, { locale, texts }: Language): string {
  if (value instanceof Date) return `${formatMoment(value, locale)} UTC`;
  const methods: Record<string, string> = texts.mail.methods satisfies Record<SignInMethod, string>;
  return name === "method" ? methods[String(value)] ?? String(value) : String(value);
}

function detailsOf(
  { details, paragraph }: MailTexts,
  { values, mail }: { values: Facts; mail: Texts["mail"] },
): string[] {
  const isLast = values.silentUntil !== undefined;
  return [details, paragraph, isLast ? mail.alert.lastOfItsKind : undefined].flatMap((text) =>
    text === undefined ? [] : [say(text, values)]
  );
}

/** The link of an alert accuses someone, so it is not the button that most readers press. */
function linksOf(
  kind: MailKind,
  { action, buttonAction }: MailTexts,
  { link, baseUrl }: { link?: string; baseUrl: string },
): { action?: MailLink; alarm?: MailLink } {
  const { buttonPage } = mailDeclaration(kind);
  const own = link === undefined || action === undefined ? undefined : { text: action, link };
  if (!isAlert(kind)) return { action: own };
  const first = buttonPage === undefined ? undefined : { text: buttonAction!, link: `${baseUrl}${buttonPage}` };
  return { action: first, alarm: own };
}

function quotableNames(names: { name?: string; inviter?: string }): Facts {
  const { name = "", inviter = "" } = { name: quotableName(names.name), inviter: quotableName(names.inviter) };
  return { name, inviter, hasName: name === "" ? "no" : "yes", hasInviter: inviter === "" ? "no" : "yes" };
}

/** The texts of this kind. Alerts share what they do not say in their own words. */
function textsOf({ mail: { alert }, mails }: Texts, kind: MailKind): MailTexts {
  const own: Partial<MailTexts> = (mails satisfies Record<MailKind, Partial<MailTexts>>)[kind];
  const shared = isAlert(kind) ? alert : undefined;
  return { ...shared, ...own, facts: { ...shared?.facts, ...own.facts } } as MailTexts;
}

const QUOTABLE_MAX_LENGTH = 60;
/** What mail programs and people take for a web address, an email address or a number to call. */
const LURE = /[/\\@:]|[.。．｡]\p{L}{2}|\bwww\b|\d[\d\s()+-]{4,}\d/iu;

/**
 * Returns a name that someone has entered if an email to others may quote it: short, and nothing to open or to call.
 * Otherwise anyone could send such texts in our name.
 */
export function quotableName(name: string | undefined): string | undefined {
  if (name === undefined || name.length > QUOTABLE_MAX_LENGTH || LURE.test(name.normalize("NFKC"))) return undefined;
  return name;
}
