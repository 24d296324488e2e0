import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { exampleMail } from "../examples.ts";
import { MAIL_KINDS, type MailKind, mailsWith } from "../kinds.ts";
import { layOutMail } from "./layout.ts";
import type { MailParts } from "./parts.ts";
import { createBrand } from "../../brand/brand.ts";
import { ENGLISH } from "../../texts/languages.ts";

const SITE = { brand: createBrand({ name: "Foyer" }), baseUrl: "https://foyer.test", language: ENGLISH } as const;
const LINK = 'https://foyer.test/verify-email?email=a%40b.example&token="T';
const PARTS: MailParts = {
  subject: "Tom & <Jerry>",
  heading: "Heading",
  summary: "Summary & more.",
  details: ["Detail."],
  facts: [["When", "Now"], ["Device", "<b>"]],
  action: { text: "Open", link: LINK },
  after: "After.",
  buttonNotWorking: "Button not working?",
  links: [],
  sentTo: "Sent to a@b.example.",
};
const EXAMPLES = MAIL_KINDS.map((kind) => ({ kind, ...exampleMail(kind, SITE) }));

Deno.test("the text of an email begins with the summary, and has each link on a separate line", () => {
  const { subject, text } = layOutMail(PARTS, SITE);
  strictEqual(subject, PARTS.subject);
  strictEqual(
    text,
    `Summary & more.\n\nHeading.\n\nDetail.\n\nWhen: Now\nDevice: <b>\n\nOpen:\n${LINK}\n\nAfter.\n\nSent to a@b.example.\n`,
  );
});

Deno.test("the HTML of an email escapes its texts and shows the link as a button and as text", () => {
  const { html } = layOutMail(PARTS, SITE);
  ok(html.includes("<title>Tom &amp; &lt;Jerry&gt;</title>"));
  const link = "https://foyer.test/verify-email?email=a%40b.example&amp;token=&quot;T";
  const shown = ["Summary &amp; more.", ">&lt;b&gt;<", `href="${link}" style="`, ">Open</a>", "Button not working?"];
  inOrder(html, [...shown, `>${link}<`]);
});

Deno.test("an email has the colors and the logo of the brand", () => {
  const { html } = layOutMail(PARTS, { ...SITE, brand: createBrand({ name: "Acme & <Co>", color: "#c62828" }) });
  match(html, /<td class="button" bgcolor="#c62828"/);
  match(html, /\.button \{ background-color: #feaba1/);
  match(html, />Acme &amp; &lt;Co&gt;<\/span>/);
  // Mail programs show no SVG, so a letter on the brand's color stands for the logo.
  match(html, /<td class="tile" bgcolor="#c62828"[^>]*>A<\/td>/);
  doesNotMatch(html, /<img/);
  const png = { name: "Acme", logo: "/logos/acme.png" };
  const withLogo = layOutMail(PARTS, { ...SITE, brand: createBrand(png, { logo: new Uint8Array(1) }) });
  match(withLogo.html, /<img src="https:\/\/foyer\.test\/brand\/logo\.png\?v=[0-9a-f]{12}" alt=""/);
});

Deno.test("an email has the arch of the door, unless the brand is plain", () => {
  match(layOutMail(PARTS, SITE).html, /\.card \{[^}]* border-radius: 120px 120px/);
  const plain = createBrand({ name: "Acme", style: "plain" });
  doesNotMatch(layOutMail(PARTS, { ...SITE, brand: plain }).html, /120px/);
});

Deno.test("an email ends with the operator's own pages, then with its recipient", () => {
  const { html, text } = layOutMail({ ...PARTS, links: [{ text: "Help", link: "https://acme.example/?a&b" }] }, SITE);
  ok(text.endsWith("\n\nHelp: https://acme.example/?a&b\nSent to a@b.example.\n"), text);
  inOrder(html, ['href="https://acme.example/?a&amp;b"', ">Help</a>", "Sent to"]);
});

Deno.test("an operator's frame is around the content and the footer, in the direction of the language", () => {
  const parts = {
    ...PARTS,
    summary: "Costs $& {footer} {x}.",
    links: [{ text: "Help", link: "https://acme.example/" }],
  };
  const frame = { html: "<body>{content}<hr>{footer}</body>", text: "ACME\n\n{content}\n--\n{footer}\nThe end\n" };
  const { html, text } = layOutMail(parts, { ...SITE, language: { ...ENGLISH, tag: "ar", direction: "rtl" }, frame });
  inOrder(html, [
    '<body><div lang="ar" dir="rtl">',
    ">Costs $&amp; {footer} {x}.<",
    ">Heading</h1>",
    ">Open</a>",
    "After.",
    '</div><hr><div lang="ar" dir="rtl">',
    "Button not working?",
    ">Help</a>",
    "Sent to a@b.example.",
    "</div></body>",
  ]);
  doesNotMatch(html, /<html|<style|icon-192/);
  strictEqual(
    text,
    "ACME\n\nCosts $& {footer} {x}.\n\nHeading.\n\nDetail.\n\nWhen: Now\nDevice: <b>\n\n" +
      `Open:\n${LINK}\n\nAfter.\n--\nHelp: https://acme.example/\nSent to a@b.example.\nThe end\n`,
  );
  const contentOnly = layOutMail(parts, { ...SITE, frame: { text: "{content}" } });
  doesNotMatch(contentOnly.text, /Sent to/);
  match(contentOnly.html, /<html lang="en"/);
});

Deno.test("lists of emails show a sentence beside the subject that the heading does not repeat", () => {
  for (const { kind, subject, text, html } of EXAMPLES) {
    const [, style, preheader] = html.match(/<body[^>]*>\n<div style="([^"]*)">([^<]*)<\/div>/)!;
    match(style, /^display: none;/, kind);
    strictEqual(preheader, text.split("\n")[0], kind);
    match(preheader, /[.?]$/, kind);
    const [, heading] = html.match(/<h1 [^>]*>([^<]*)<\/h1>/)!;
    strictEqual(html.split("<h1").length, 2, `${kind} has one heading`);
    const words = new Set([subject, heading, preheader].map((part) => part.toLowerCase().replaceAll(/[^\p{L}]/gu, "")));
    strictEqual(words.size, 3, `${kind}: ${subject}, ${heading}, ${preheader}`);
  }
});

Deno.test("emails are small, and need nothing that mail programs ignore or drop", () => {
  for (const { kind, html, text } of EXAMPLES) {
    const bytes = new TextEncoder().encode(html + text).length;
    ok(bytes < 20_000, `${kind} has ${bytes} bytes`);
    doesNotMatch(html, /opacity|var\(|light-dark|rgba|oklch|flex|grid|@import|undefined/, kind);
    // Gmail drops a style sheet with nested rules other than media queries.
    const [, styles] = html.match(/<style>([^]*?)<\/style>/)!;
    deepStrictEqual([...new Set(styles.match(/@[\w-]+/g))], ["@media"], kind);
    match(styles, /@media \(prefers-color-scheme: dark\)/, kind);
    const surfaces = html.match(/<\w+ [^>]*class="(page|card|button|danger|sunken)[ "][^>]*>/g)!;
    ok(surfaces.length >= 3, kind);
    for (const surface of surfaces) match(surface, /bgcolor="#[0-9a-f]{6}"/, kind);
    doesNotMatch(
      html,
      /<table(?! (role="presentation"|cellpadding="0" cellspacing="0" border="0" width="100%" style="width))/,
    );
  }
});

/** How alerts begin of which the reader was not the cause. */
const OTHER_STARTS: Partial<Record<MailKind, string>> = {
  client_changed: "All admins get this email.",
  grant_reused: "The access of Harbor Wiki was used from two places.",
  totp_removed_by_operator:
    "An admin has removed your authenticator app. Did you ask them to? Then there’s nothing to do.",
};

Deno.test("an alert reassures first, then states the facts, and its red button comes last", () => {
  for (const kind of mailsWith({ tokens: "not_me_tokens" }).filter((kind) => kind !== "account_closing")) {
    const { html, text } = exampleMail(kind, SITE);
    const parts = [
      OTHER_STARTS[kind] ?? "Was it you? Then there’s nothing to do.",
      "Account",
      "tomas@example.com",
      "When",
      "Device",
    ];
    const button = '<td class="danger" bgcolor="#ffffff"';
    inOrder(html.slice(html.indexOf("<main>")), [...parts, button, ">This wasn’t me</a>", "expires after 7 days"]);
    inOrder(text, [...parts, "\nThis wasn’t me:\nhttps://foyer.test/not-me?token=", "expires after 7 days"]);
    doesNotMatch(html, /<td class="button"/, kind);
  }
});

Deno.test("the email about a closing account offers to keep it, and has the alarm as a link", () => {
  const { html, text } = exampleMail("account_closing", SITE);
  const [keep, alarm] = ["https://foyer.test/login?next=%2Fkeep-account", "https://foyer.test/not-me?token="];
  inOrder(html.slice(html.indexOf("<main>")), [
    "We’ll delete your account on March 15, 2026",
    "Log in before March 15, 2026",
    '<td class="button"',
    `href="${keep}"`,
    ">Keep my account</a>",
    `<a class="danger-link" href="${alarm}`,
  ]);
  inOrder(text, ["Log in before March 15, 2026", `Keep my account:\n${keep}\n`, `This wasn’t me:\n${alarm}`]);
  doesNotMatch(html, /<td class="danger"/);
});

Deno.test("the code is in the subject and in large digits, in groups of four", () => {
  for (const kind of ["code", "sign_in_code"] as const) {
    const { subject, html } = exampleMail(kind, SITE);
    match(subject, /^6816 1952 is your Foyer (login )?code$/);
    match(html, /<td class="sunken text" dir="ltr"[^>]*font-size: 28px[^>]*>6816 1952<\/td>/);
  }
});

Deno.test("the labels of facts begin, and have their space, on the sides that the language requires", () => {
  const label = (direction: "ltr" | "rtl") => {
    const { html } = layOutMail(PARTS, { ...SITE, language: { ...ENGLISH, direction } });
    return /<th [^>]*>When<\/th>/.exec(html)![0];
  };
  match(label("ltr"), /padding: 9px 12px 9px 0; text-align: left/);
  match(label("rtl"), /padding: 9px 0 9px 12px; text-align: right/);
});

Deno.test("a heading in plain text ends with a period, unless it is a question in any script", () => {
  for (const [heading, line] of [["Done", "Done."], ["Yours?", "Yours?"], ["هل هذا عنوانك؟", "هل هذا عنوانك؟"]]) {
    strictEqual(layOutMail({ ...PARTS, heading }, SITE).text.split("\n\n")[1], line);
  }
});

Deno.test("an email says whom it is for and where it comes from, and its logo is an image of the service", () => {
  for (const { kind, html, text } of EXAMPLES) {
    const footer = "Sent to tomas@example.com by Foyer (foyer.test).";
    ok(text.endsWith(`\n\n${footer}\n`), kind);
    match(html, new RegExp(`>${RegExp.escape(footer)}</p>`), kind);
    match(html, /<img src="https:\/\/foyer\.test\/icon-192\.png" alt=""[^>]*>\s*<span[^>]*>Foyer<\/span>/, kind);
    notStrictEqual(text.indexOf("Foyer"), -1);
  }
});

function inOrder(text: string, parts: string[]): void {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    ok(at !== -1, `${part} is missing, or in the wrong place:\n${text}`);
    from = at + part.length;
  }
}
