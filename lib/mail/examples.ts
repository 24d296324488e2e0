import { createBrand, DEFAULT_NAME } from "../brand/brand.ts";
import type { Config } from "../config/config.ts";
import { DAY_SECONDS } from "../duration.ts";
import type { Mail } from "../services.ts";
import { englishFor } from "../texts/languages.ts";
import { type Language, type MailFrame, textsIn } from "../texts/texts.ts";
import {
  type AlertDetails,
  type AlertFacts,
  type AlertKind,
  mailDeclaration,
  type MailFacts,
  type MailKind,
  mailsWith,
} from "./kinds.ts";
import { composeMail } from "./messages.ts";

/** The recipient of the examples. */
export const EXAMPLE_RECIPIENT = "tomas@example.com";
/** The code in the examples that carry one. */
export const EXAMPLE_CODE = "68161952";
const TOKEN = "Ck0rV9mX2uYwQ7bTnLhZ4sEaPdJfGi8KoR1tUvWxYz0";
const DEVICE = { browser: "Firefox", system: "Windows" };

/** Returns what the emails say, apart from links and codes. */
function factsIn(language: Language): Partial<Record<MailKind, object>> {
  const device = textsIn(language).activity.browserOn(DEVICE);
  const act: AlertFacts = { happenedAt: new Date("2026-03-01T18:04:00Z"), device };
  return {
    ...Object.fromEntries(mailsWith({ tokens: "not_me_tokens" }).map((kind) => [kind, act])),
    new_device: { ...act, method: "password" },
    email_change_requested: { ...act, newEmail: "tomas.new@example.com" },
    email_changed: { ...act, newEmail: "tomas.new@example.com" },
    identity_linked: { ...act, provider: "Google" },
    app_authorized: { ...act, app: "Harbor Wiki" },
    grant_reused: { ...act, app: "Harbor Wiki" },
    account_closing: { ...act, dueAt: new Date("2026-03-15T18:04:00Z") },
    closed_by_operator: { dueAt: new Date("2026-03-15T18:04:00Z") },
    invitation: { name: "Tomás", inviter: "Grace Hopper" },
    webhook_disabled: { host: "hooks.example.com" },
    factor_reset_waiting: { dueAt: new Date("2026-03-08T18:04:00Z") },
    token_expiring: { name: "Nightly export", hint: "foyer_…8KoR", expiresAt: new Date("2026-03-08T18:04:00Z") },
  } satisfies Partial<MailFacts> & Omit<MailFacts, Exclude<AlertKind, keyof AlertDetails>>;
}

const OURS = createBrand({ name: DEFAULT_NAME });

/** Where a service is, its brand and, if it matters, how long its links work. */
type ExampleSettings =
  & Pick<Config, "baseUrl">
  & { language?: Language; frame?: MailFrame }
  & Partial<Pick<Config, "brand" | "verifyTokenTtlSeconds" | "resetTokenTtlSeconds" | "invitationTtlSeconds">>;

/** Writes an email of this kind with made-up facts, as the service with these settings would send it. */
export function exampleMail(
  kind: MailKind,
  { baseUrl, brand = OURS, language = englishFor(brand.name), frame, ...settings }: ExampleSettings,
): Mail {
  const { page, tokens, code, lifetime } = mailDeclaration(kind);
  return composeMail(kind, {
    to: EXAMPLE_RECIPIENT,
    link: page === undefined ? undefined : `${baseUrl}${page}${tokens === undefined ? "" : `?token=${TOKEN}`}`,
    code: code === undefined ? undefined : EXAMPLE_CODE,
    lifetimeSeconds: (typeof lifetime === "string" ? settings[lifetime] : lifetime) ?? DAY_SECONDS,
    language,
    frame,
    brand,
    baseUrl,
    facts: factsIn(language)[kind],
  });
}
