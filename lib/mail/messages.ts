import type { AlertKind, CodeMailKind, LinkMailKind } from "../../db/schema.ts";
import type { Mail } from "../services.ts";
import { PRODUCT } from "../texts/product.ts";
import { type Language, textsIn } from "../texts/texts.ts";
import { layOutCodeMail, layOutLinkMail, layOutNoticeMail } from "./layout.ts";

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
export function linkMail(
  kind: LinkMailKind | "email_change" | "email_in_use" | "factor_reset",
  { to, link, lifetimeSeconds, language }: LinkMailOptions,
): Mail {
  const { [kind]: texts, lifetime, buttonNotWorking } = textsIn(language).emails;
  const parts = {
    subject: texts.subject(PRODUCT),
    before: texts.before(PRODUCT),
    action: texts.action,
    link,
    after: texts.after(lifetime(lifetimeSeconds)),
    buttonNotWorking,
  };
  return { to, ...layOutLinkMail(parts, language) };
}

/** The parts of an alert that depend on what happened. */
export interface AlertMailOptions extends LinkMailOptions {
  happenedAt: Date;
  /** The name of the device that did it. */
  device: string;
}

/** Composes an email that reports an action, with the link “not me”, which secures the account. */
export function alertMail(
  kind: AlertKind,
  { to, link, lifetimeSeconds, language, ...circumstances }: AlertMailOptions,
): Mail {
  const { alerts, lifetime, buttonNotWorking } = textsIn(language).emails;
  const { subject, happened } = alerts[kind];
  const parts = {
    subject: subject(PRODUCT),
    before: `${happened(PRODUCT)} ${alerts.circumstances(circumstances)}`,
    action: alerts.action,
    link,
    after: alerts.after(lifetime(lifetimeSeconds)),
    buttonNotWorking,
  };
  return { to, ...layOutLinkMail(parts, language) };
}

/** Composes the daily email to a person whose second factor will be removed, with a link that stops it. */
export function factorResetMail(
  { to, link, dueAt, language }: Omit<LinkMailOptions, "lifetimeSeconds"> & { dueAt: Date },
): Mail {
  const { factor_reset_waiting: texts, buttonNotWorking } = textsIn(language).emails;
  const parts = {
    subject: texts.subject(PRODUCT),
    before: texts.before(PRODUCT, dueAt),
    action: texts.action,
    link,
    after: texts.after,
    buttonNotWorking,
  };
  return { to, ...layOutLinkMail(parts, language) };
}

/** Composes an email that carries a code to type in. */
export function codeMail(
  kind: CodeMailKind,
  { to, code, lifetimeSeconds, language }: Omit<LinkMailOptions, "link"> & { code: string },
): Mail {
  const { [kind]: texts, lifetime } = textsIn(language).emails;
  const parts = {
    subject: texts.subject(PRODUCT),
    before: texts.before(PRODUCT),
    code,
    after: texts.after(lifetime(lifetimeSeconds)),
  };
  return { to, ...layOutCodeMail(parts, language) };
}

/** The parts of an email about a token that ends soon. */
export interface TokenExpiringMailOptions extends Omit<LinkMailOptions, "lifetimeSeconds"> {
  /** The name that the owner gave the token. */
  name: string;
  hint: string;
  expiresAt: Date;
}

/** Composes an email that announces the end of an API token. Its link leads to the page of tokens. */
export function tokenExpiringMail({ to, link, language, ...token }: TokenExpiringMailOptions): Mail {
  const { tokenExpiring: texts, buttonNotWorking } = textsIn(language).emails;
  const { subject, before, action, after } = texts;
  const parts = { subject: subject(PRODUCT), before: before(PRODUCT, token), action, link, after, buttonNotWorking };
  return { to, ...layOutLinkMail(parts, language) };
}

/** Composes the last email to a person: their account has been deleted. */
export function deletionMail({ to, language }: Pick<LinkMailOptions, "to" | "language">): Mail {
  const { deletion: texts } = textsIn(language).emails;
  const parts = { subject: texts.subject(PRODUCT), before: texts.before(PRODUCT), after: texts.after(PRODUCT) };
  return { to, ...layOutNoticeMail(parts, language) };
}
