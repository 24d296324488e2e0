import { createBrand } from "../brand/brand.ts";
import { deepStrictEqual, match, ok } from "node:assert/strict";
import { EXAMPLE_CODE, EXAMPLE_RECIPIENT, exampleMail } from "./examples.ts";
import { MAIL_KINDS, mailDeclaration } from "./kinds.ts";
import { composeMail } from "./messages.ts";
import { ENGLISH, openLanguages } from "../texts/languages.ts";

const OPTIONS = {
  to: "ada@example.com",
  link: "https://foyer.test/link?token=T",
  language: ENGLISH,
  baseUrl: "https://foyer.test",
  brand: createBrand({ name: "Foyer" }),
} as const;

const AR_FACTS = { from: "2026.17@example.com", newEmail: "2027.18@example.com", name: "Sammy Davis Jr." };

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
      ["factor_reset", 3_600, "Lost your second factor for Foyer?", /expires after 1 hour\./],
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

Deno.test("in Arabic emails, addresses, names and codes are isolated", () => {
  const language = openLanguages().languages.byTag.get("ar")!;
  const facts = { ...AR_FACTS, happenedAt: new Date(0), device: "Firefox (Windows)" };
  for (const kind of ["verification", "reset", "invitation", "email_changed", "new_device"] as const) {
    const { text, html } = composeMail(kind, { ...OPTIONS, language, facts, to: AR_FACTS.from, lifetimeSeconds: 60 });
    for (const part of [text, html.replace(/<head>.*<\/head>/s, "")]) {
      const rest = part.replaceAll(/\u2068[^\u2069]*\u2069/g, "");
      for (const value of [...Object.values(AR_FACTS), "foyer.test."]) {
        ok(!rest.includes(value), `${kind}: ${value}: ${part}`);
      }
    }
  }
});
