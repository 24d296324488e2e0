import { createBrand } from "../brand/brand.ts";
import { deepStrictEqual, match, ok } from "node:assert/strict";
import { EXAMPLE_CODE, EXAMPLE_RECIPIENT, exampleMail } from "./examples.ts";
import { MAIL_KINDS, mailDeclaration } from "./kinds.ts";
import { composeMail } from "./messages.ts";
import { ENGLISH } from "../texts/languages.ts";

const OPTIONS = {
  to: "ada@example.com",
  link: "https://foyer.test/link?token=T",
  language: ENGLISH,
  baseUrl: "https://foyer.test",
  brand: createBrand({ name: "Foyer" }),
} as const;

Deno.test("composeMail states the subject, the link and its lifetime", () => {
  const cases: [kind: Parameters<typeof composeMail>[0], lifetimeSeconds: number, subject: string, lifetime: RegExp][] =
    [
      ["verification", 86_400, "Confirm your email address for Foyer", /works for 24 hours\./],
      ["verification", 5_400, "Confirm your email address for Foyer", /works for 90 minutes\./],
      ["reset", 3_600, "Reset your Foyer password", /expires after 1 hour\./],
      ["reset", 61, "Reset your Foyer password", /expires after 2 minutes\./],
      ["recovery", 3_600, "Choose a new Foyer password", /expires after 1 hour\./],
      ["invitation", 604_800, "You’re invited to Foyer", /expires after 7 days\./],
      ["invitation", 172_800, "You’re invited to Foyer", /expires after 2 days\./],
      ["email_change", 86_400, "Confirm your new email address for Foyer", /expires after 24 hours\./],
      ["factor_reset", 3_600, "Lost your authenticator app for Foyer?", /expires after 1 hour\./],
    ];
  for (const [kind, lifetimeSeconds, subject, lifetime] of cases) {
    const mail = composeMail(kind, { ...OPTIONS, lifetimeSeconds });
    deepStrictEqual([mail.to, mail.subject], [OPTIONS.to, subject]);
    match(mail.text, lifetime);
    match(mail.html, lifetime);
    ok(mail.text.includes(`\n${OPTIONS.link}\n`));
  }
});

Deno.test("every kind of email has an example, complete and with the link or the code that it carries", () => {
  for (const kind of MAIL_KINDS) {
    const { page, code } = mailDeclaration(kind);
    const { to, subject, text, html } = exampleMail(kind, { baseUrl: "https://foyer.test" });
    deepStrictEqual(to, EXAMPLE_RECIPIENT);
    for (const part of [subject, text, html]) ok(!/undefined|null|Invalid|NaN/.test(part), `${kind}: ${part}`);
    if (code !== undefined) ok(text.includes(EXAMPLE_CODE), kind);
    if (page !== undefined) ok(text.includes(`\nhttps://foyer.test${page}`), kind);
  }
});
