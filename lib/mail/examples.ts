import { createBrand, DEFAULT_NAME } from "../brand/brand.ts";
import type { Config } from "../config/config.ts";
import { DAY_SECONDS } from "../duration.ts";
import type { Mail } from "../services/services.ts";
import { englishFor } from "../texts/languages.ts";
import { type Language, type MailFrame, textsIn } from "../texts/texts.ts";
import { isAlert, mailDeclaration, type MailKind } from "./kinds.ts";
import { composeMail } from "./messages.ts";

/** The recipient of the examples. */
export const EXAMPLE_RECIPIENT = "tomas@example.com";
/** The code in the examples that carry one. */
export const EXAMPLE_CODE = "68161952";
const TOKEN = "Ck0rV9mX2uYwQ7bTnLhZ4sEaPdJfGi8KoR1tUvWxYz0";

/** Returns what the texts of an email state, apart from links and codes. */
function exampleFacts(kind: MailKind, language: Language): object | undefined {
  const { example } = mailDeclaration(kind);
  if (!isAlert(kind)) return example;
  const device = textsIn(language).activity.browserOn({ browser: "Firefox", system: "Windows" });
  return { happenedAt: new Date("2026-03-01T18:04:00Z"), device, ...example };
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
    link: page === undefined
      ? undefined
      : `${baseUrl}${page}${tokens === undefined && code === undefined ? "" : `?token=${TOKEN}`}`,
    code: code === undefined ? undefined : EXAMPLE_CODE,
    lifetimeSeconds: (typeof lifetime === "string" ? settings[lifetime] : lifetime) ?? DAY_SECONDS,
    language,
    frame,
    brand,
    baseUrl,
    facts: exampleFacts(kind, language),
  });
}
