import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { dirname } from "node:path";
import { openLanguages } from "../languages.ts";

/** Opens the languages with these files of an operator, whose contents are JSON or plain text. */
async function openWith(files: Record<string, unknown>, defaultLanguage?: string) {
  const textsDir = await Deno.makeTempDir({ prefix: "foyer-texts-" });
  try {
    for (const [path, content] of Object.entries(files)) {
      await Deno.mkdir(dirname(`${textsDir}/${path}`), { recursive: true });
      await Deno.writeTextFile(`${textsDir}/${path}`, typeof content === "string" ? content : JSON.stringify(content));
    }
    const opened = openLanguages({ textsDir, defaultLanguage });
    // Sections are read when they are first used.
    for (const { texts } of opened.languages.byTag.values()) JSON.stringify(texts);
    return opened;
  } finally {
    await Deno.remove(textsDir, { recursive: true });
  }
}

Deno.test("an operator replaces single texts and adds a language, whose other texts are English", async () => {
  const { languages, errors, warnings } = await openWith({
    "en/home.json": { lead: "Come in." },
    "nl/sign_in.json": { login: { submit: "Inloggen" } },
    "nl/emails/reset.json": {
      subject: "Nieuw wachtwoord",
      paragraph: "Vragen? {product} helpt.",
      footer: "{lifetime}",
    },
    "emails/layout.txt": "\uFEFF-- Acme --\r\n{content}\r\n",
    "emails/layout.html": "<style>a{color:red}p { margin: 0 }</style>{content}<hr>{footer}",
    ".git/home.json": "{",
    "nl/..data/home.json": "{",
    "README.md": "Our texts",
  }, "nl");
  deepStrictEqual(errors, []);
  const [en, nl] = ["en", "nl"].map((tag) => languages.byTag.get(tag)!);
  deepStrictEqual([en.texts.home.lead, en.texts.home.logIn], ["Come in.", "Log in"]);
  deepStrictEqual([nl.texts.signIn.login.submit, nl.texts.signIn.login.forgot], ["Inloggen", "Forgot your password?"]);
  deepStrictEqual(nl.texts.mails.reset.subject, "Nieuw wachtwoord");
  deepStrictEqual(Object.keys(nl.texts.mails.reset).slice(-2), ["paragraph", "footer"]);
  strictEqual(languages.default, nl);
  strictEqual(nl.name, "Nederlands");
  deepStrictEqual(languages.mailFrame, {
    text: "-- Acme --\n{content}\n",
    html: "<style>a{color:red}p { margin: 0 }</style>{content}<hr>{footer}",
  });
  strictEqual(warnings.length, 1);
  match(warnings[0], /texts in nl are missing/);
});

Deno.test("a mistake in an operator's texts names the file and the key", async () => {
  const cases: [files: Record<string, unknown>, error: RegExp][] = [
    [{ "nl/nothing.json": {} }, /^nl\/nothing\.json: there is no such file of texts$/],
    [{ "nl/home.json": "{" }, /^nl\/home\.json: cannot be read: /],
    [{ "nl/home.json": { nothing: "" } }, /^nl\/home\.json: nothing: there is no such text$/],
    [
      { "nl/sign_in.json": { login: { idpFailed: "Nee" } } },
      /^nl\/sign_in\.json: login\.idpFailed: lacks the argument provider/,
    ],
    [{ "en/home.json": { lead: "{x}" } }, /^en\/home\.json: lead: has an unknown argument, x/],
    [{ "en/home.json": { lead: "<b>x</b>" } }, /^en\/home\.json: lead: has an unknown argument, b/],
    [
      { "nl/library.json": { deleted: "{files, plural, other {#}}" } },
      /library\.json: deleted: files lacks the plural form one/,
    ],
    [
      { "nl/emails/reset.json": { paragraph: "{x}" } },
      /^nl\/emails\/reset\.json: paragraph: has an unknown argument, x/,
    ],
    [{ "nl/emails/reset.json": { paragraph: {} } }, /^nl\/emails\/reset\.json: paragraph: must be a text$/],
    [{ "nl/home.json": { paragraph: "x" } }, /^nl\/home\.json: paragraph: there is no such text$/],
    [{ "not a tag/home.json": {} }, /^not a tag: must be named by a language/],
    [{ "home.json": {} }, /^home\.json: must be in the folder of a language, such as de\/home\.json$/],
    [{ "nl/home.json": [] }, /^nl\/home\.json: cannot be read: must be a JSON object$/],
    [{ "nl/home.json": "null" }, /^nl\/home\.json: cannot be read: must be a JSON object$/],
    [{ "emails/layout.html": "<p>{footer}</p>" }, /^emails\/layout\.html: lacks \{content\}$/],
    [{ "emails/layout.txt": "" }, /^emails\/layout\.txt: lacks \{content\}$/],
    [{ "emails/layout.txt": "{content} {content}" }, /^emails\/layout\.txt: has \{content\} more than once$/],
    [{ "emails/layout.html": "{content}{ name }{name}" }, /layout\.html: has an unknown placeholder, \{name\}$/],
    [{ "emails/layout.htm": "{content}" }, /^emails\/layout\.htm: must be named layout\.html or layout\.txt$/],
    [{ "emails/layout.html/x": "" }, /^emails\/layout\.html: cannot be read: /],
  ];
  for (const [files, error] of cases) {
    const { errors } = await openWith(files);
    strictEqual(errors.length, 1, JSON.stringify(errors));
    match(errors[0], error);
  }
  match(openLanguages({ textsDir: "/nowhere/texts" }).errors.join(), /^TEXTS_DIR cannot be read: .*\/nowhere\/texts/);
  match(
    openLanguages({ defaultLanguage: "xx" }).errors.join(),
    /^DEFAULT_LANGUAGE: there are no texts in this language: xx$/,
  );
});

Deno.test("all mistakes in an operator's files are named at once", async () => {
  const { errors } = await openWith({
    "emails/layout.html": "{footer}",
    "de/home.json": { lead: "{x}", nothing: "" },
    "nl/nothing.json": {},
  });
  deepStrictEqual(errors.map((error) => error.split(": ").slice(0, 2).join(": ")), [
    "de/home.json: lead",
    "de/home.json: nothing",
    "emails/layout.html: lacks {content}",
    "nl/nothing.json: there is no such file of texts",
  ]);
});
