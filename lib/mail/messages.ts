import type { Mail } from "../services.ts";
import { PRODUCT } from "../texts/product.ts";
import { type Language, type Texts, textsIn } from "../texts/texts.ts";
import { type AlertFacts, type AlertKind, mailDeclaration, type MailKind } from "./kinds.ts";
import { groupedCode, layOutMail } from "./layout/layout.ts";
import type { MailLink } from "./layout/parts.ts";
import { quotableName } from "./quotable_name.ts";

/** The parts of an email that depend on its recipient and the configuration. */
export interface MailOptions {
  to: string;
  /** The link or the code that it carries. */
  link?: string;
  code?: string;
  /** How long the link or the code works. */
  lifetimeSeconds: number;
  language: Language;
  /** The public origin of the service. */
  baseUrl: string;
  /** The facts that its texts state. */
  facts?: object;
}

/** The texts of an email. */
interface MailTexts {
  subject(product: string, facts: object): string;
  heading(product: string, facts: object): string;
  summary(product: string, facts: object): string;
  details?(product: string, facts: object): string[];
  facts?(facts: object): [label: string, value: string | undefined][];
  action?: string;
  buttonAction?: string;
  after(lifetime: string, product: string): string;
}

/**
 * Composes an email. It contains no name of a user, except in invitations: until the address is verified, someone else may
 * have chosen the name, and could use it to put words into our emails. An invitation quotes only names that nobody could
 * take for a link or a number to call.
 */
export function composeMail(kind: MailKind, { to, link, code, facts: given = {}, ...options }: MailOptions): Mail {
  const { lifetimeSeconds, language, baseUrl } = options;
  const { emails } = textsIn(language);
  const texts = textsOf(emails, kind);
  const facts = kind === "invitation" ? quotableNames(given) : { ...given, code: code && groupedCode(code) };
  const rows = texts.facts?.(facts).filter((row): row is [string, string] => row[1] !== undefined) ?? [];
  const parts = {
    subject: texts.subject(PRODUCT, facts),
    heading: texts.heading(PRODUCT, facts),
    summary: texts.summary(PRODUCT, facts),
    details: texts.details?.(PRODUCT, facts) ?? [],
    facts: rows.length === 0 ? [] : [[emails.account, to] as [string, string], ...rows],
    code,
    ...linksOf(kind, texts, { link, baseUrl }),
    after: texts.after(emails.lifetime(lifetimeSeconds), PRODUCT),
    buttonNotWorking: emails.buttonNotWorking,
    sentTo: emails.sentTo(to, PRODUCT, new URL(baseUrl).host),
  };
  return { to, ...layOutMail(parts, { product: PRODUCT, baseUrl, language }) };
}

/** The link of an alert accuses someone, so it is not the button that most readers press. */
function linksOf(
  kind: MailKind,
  { action, buttonAction }: MailTexts,
  { link, baseUrl }: { link?: string; baseUrl: string },
): { action?: MailLink; alarm?: MailLink } {
  const { tokens, buttonPage } = mailDeclaration(kind);
  const own = link === undefined || action === undefined ? undefined : { text: action, link };
  if (tokens !== "not_me_tokens") return { action: own };
  const first = buttonPage === undefined ? undefined : { text: buttonAction!, link: `${baseUrl}${buttonPage}` };
  return { action: first, alarm: own };
}

function quotableNames(names: { name?: string; inviter?: string }): object {
  return { name: quotableName(names.name), inviter: quotableName(names.inviter) };
}

function textsOf({ alerts, ...emails }: Texts["emails"], kind: MailKind): MailTexts {
  if (!isAlert(alerts, kind)) return (emails satisfies Record<Exclude<MailKind, AlertKind>, MailTexts>)[kind];
  const { details, ...own }: Partial<MailTexts> = alerts[kind];
  const { summary, facts, action, after } = alerts;
  return {
    summary,
    facts,
    action,
    after,
    ...own,
    details: (product: string, facts: AlertFacts) => [
      ...details?.(product, facts) ?? [],
      ...facts.silentUntil === undefined ? [] : [alerts.lastOfItsKind(facts.silentUntil)],
    ],
  } as MailTexts;
}

function isAlert(alerts: Record<AlertKind, unknown>, kind: MailKind): kind is AlertKind {
  return kind in alerts;
}
