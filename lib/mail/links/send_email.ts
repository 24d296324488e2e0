import type { Transaction } from "kysely";
import { wakeAfterCommit } from "../../../db/after_commit.ts";
import type { Database } from "../../../db/schema.ts";
import type { Config } from "../../config/config.ts";
import { createToken } from "../../crypto/token.ts";
import { SECOND_MS, secondsAfter } from "../../duration.ts";
import { mailDeclaration, type MailFacts, type MailKind } from "../kinds.ts";
import { countMail } from "../mail_limits.ts";
import { composeMail } from "../messages.ts";
import { queueMail } from "../outbox.ts";
import type { Services } from "../../services/services.ts";
import type { Language } from "../../texts/texts.ts";
import { issueAddressToken } from "./address_token.ts";
import { issueCode } from "./emailed_code.ts";
import { issueToken, type LinkTarget } from "./emailed_token.ts";

/** What sending an email depends on. */
export type MailServices = Pick<Services, "config" | "languages" | "requestLanguage" | "now" | "outboxSignal">;

/** An email to send. */
export type Email<Kind extends MailKind> = LinkTarget & {
  kind: Kind;
  /** The recipient. Without an id, the user is deleted. */
  user: { id?: string; email: string };
  /** The secret of the browser that asks for a code to log in with. A link beside the code works there. */
  requestToken?: string;
  /** When the link stops working, for emails that do not declare it. */
  expiresAt?: Date;
  /** By default, the one of `mailLanguage`. */
  language?: Language;
  /** By default, the current time. */
  now?: Date;
} & (Kind extends keyof MailFacts ? { facts: MailFacts[Kind] } : { facts?: undefined });

/**
 * Sends an email: counts it, issues the token or the code that it carries, composes it, and queues it for the mail
 * worker, which wakes after the commit. Call it in the transaction of the change that causes the email, so that both
 * happen or neither. The caller holds a lock that makes concurrent emails to the address wait. lib/mail/kinds.ts
 * declares all emails.
 *
 * Earlier links stay valid unless the declaration says otherwise. `next` is stored with the token, not in the link:
 * otherwise anyone could choose some of the email's text.
 *
 * @returns false if the address gets no more emails of this kind now. Then nothing else happens.
 */
export async function sendEmail<Kind extends MailKind>(
  trx: Transaction<Database>,
  services: MailServices,
  { kind, user, facts, next, requestToken, now = services.now(), ...given }: Email<Kind>,
): Promise<boolean> {
  const { config, languages, outboxSignal } = services;
  const { id: userId = null, email: to } = user;
  const expiresAt = given.expiresAt ?? secondsAfter(now, lifetimeOf(kind, config));

  const { isAllowed, silentUntil } = await countMail(trx, { kind, to, now, config });
  if (!isAllowed) return false;

  const issued = { kind, userId: userId ?? "", email: to, requestToken, expiresAt, next, now };
  const carried = await issue(trx, services, issued);

  const mail = composeMail(kind, {
    to,
    ...carried,
    lifetimeSeconds: (expiresAt.getTime() - now.getTime()) / SECOND_MS,
    language: given.language ?? await mailLanguage(trx, services, userId),
    frame: languages.mailFrame,
    brand: config.brand,
    baseUrl: config.baseUrl,
    facts,
    silentUntil,
  });

  await queueMail(trx, { kind, mail, userId, expiresAt, now, config });
  wakeAfterCommit(trx, outboxSignal);
  return true;
}

/**
 * The language that the recipient has chosen, else the one of the request that causes the email, else the one in which
 * they registered. Pages before a login do not follow it: their language would reveal whether an address has an
 * account.
 */
export async function mailLanguage(
  trx: Transaction<Database>,
  { requestLanguage, languages: { byTag, default: other } }: Pick<MailServices, "requestLanguage" | "languages">,
  userId: string | null,
): Promise<Language> {
  // One language needs no question.
  if (userId === null || byTag.size === 1) return requestLanguage ?? other;
  const user = await trx.selectFrom("users").select(["language", "registration_language"]).where("id", "=", userId)
    .executeTakeFirst();
  return byTag.get(user?.language ?? "") ?? requestLanguage ?? byTag.get(user?.registration_language ?? "") ?? other;
}

/**
 * Issues a link as an email of this kind carries it, for someone who hands it over. The caller locks the user's row.
 *
 * @returns the link, and when it stops working.
 */
export async function issueLink(
  trx: Transaction<Database>,
  services: MailServices,
  { kind, user: { id: userId, email }, next }: LinkTarget & {
    kind: "invitation" | "invitation_link" | "invitation_provider";
    user: { id: string; email: string };
  },
): Promise<{ link: string; expiresAt: Date }> {
  const now = services.now();
  const expiresAt = secondsAfter(now, lifetimeOf(kind, services.config));
  const { link } = await issue(trx, services, { kind, userId, email, expiresAt, next, now });
  return { link: link!, expiresAt };
}

/** Returns how long the link or the code in an email works, in seconds. */
export function lifetimeOf(kind: MailKind, config: Config): number {
  const { lifetime } = mailDeclaration(kind);
  if (lifetime === undefined) throw new Error(`Cannot send an email without an end: ${kind}`);
  return typeof lifetime === "number" ? lifetime : config[lifetime];
}

interface Issued extends LinkTarget {
  kind: MailKind;
  userId: string;
  email: string;
  requestToken?: string;
  expiresAt: Date;
  now: Date;
}

/** Issues what the email carries: a link, a code, both or nothing. */
async function issue(
  trx: Transaction<Database>,
  services: MailServices,
  { kind, userId, email, requestToken, ...token }: Issued,
): Promise<{ link?: string; code?: string }> {
  const { page, parameters, tokens, code, replacesEarlier } = mailDeclaration(kind);
  if (code !== undefined) {
    // A code that logs in must not work for another address of the account.
    const place = { userId, purpose: code, ...code === "sign_in" && { email } };
    if (page === undefined || requestToken === undefined) return { code: await issueCode(trx, place, services) };
    const link = { token: createToken(), requestToken, next: token.next };
    const query = new URLSearchParams({ token: link.token });
    return {
      code: await issueCode(trx, place, services, link),
      link: `${services.config.baseUrl}${page}?${query}`,
    };
  }
  if (page === undefined) return {};
  const link = `${services.config.baseUrl}${page}`;
  if (tokens === undefined) return { link };
  const query: Record<string, string> = tokens === "email_verification_tokens" ||
      tokens === "password_reset_tokens" || tokens === "login_link_tokens"
    // These tokens belong to an account, so the link names the address.
    ? { email, token: await issueToken(trx, tokens, { userId, replacesEarlier, ...token }) }
    : { token: await issueAddressToken(trx, tokens, { userId, email, replacesEarlier, ...token }) };
  return { link: `${link}?${new URLSearchParams({ ...query, ...parameters })}` };
}
