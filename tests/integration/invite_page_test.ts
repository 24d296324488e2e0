import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { client } = await registerVerifiedUser(app, "host@example.com", "Hedy Host");
const FORM = /<form method="post" action="\/invite"/;

Deno.test("members invite someone from the list of people", async () => {
  match(await (await client.get("/users")).text(), /<a class="button secondary" href="\/invite">Invite someone<\/a>/);
  doesNotMatch(await (await app.client().get("/users")).text(), /href="\/invite"/);
  match(await (await client.get("/invite")).text(), /a link to choose a password\. It works for 7 days\./);

  const sent = await client.submit("/invite", { name: "Gus Guest", email: "gus@example.com" });
  deepStrictEqual([sent.status, sent.headers.get("Location")], [303, "/invite"]);
  match(await (await client.get("/invite")).text(), /role="status"[^>]*><p>Invitation sent\./);
  strictEqual((await mailedToken(app, "gus@example.com")).length, 43);
  match(app.mails.at(-1)!.text, /Hedy Host/);
});

Deno.test("an invitation that is refused keeps what was entered, and says why", async () => {
  const { email } = await registerUser(app, "here@example.com");
  const cases: [fields: { name: string; email: string }, status: number, text: string][] = [
    [{ name: "Ada", email }, 409, "An account already uses this email address."],
    [{ name: "Ada", email: "nowhere" }, 400, "Enter an email address like name@example.com"],
  ];
  for (const [fields, status, text] of cases) {
    const response = await client.submit("/invite", fields);
    const html = await response.text();
    strictEqual(response.status, status);
    match(html, new RegExp(`<p class="field-error" id="email-error">${RegExp.escape(text)}</p>`));
    match(html, /name="name"[^>]* value="Ada"/);
    match(html, new RegExp(`name="email"[^>]* value="${RegExp.escape(fields.email)}"`));
  }
});

Deno.test("no one is invited before the address is confirmed, or where accounts cannot be created", async () => {
  const fields = { name: "Ada", email: "never@example.com" };
  const { client: newcomer } = await registerUser(app, "newcomer@example.com");
  const expectRefusal = async (visitor: typeof client, text: RegExp) => {
    const html = await (await visitor.get("/invite")).text();
    match(html, text);
    doesNotMatch(html, FORM);
    strictEqual((await visitor.submit("/invite", fields)).status, 403);
  };
  await expectRefusal(newcomer, /Confirm your email address before you invite anyone\./);
  app.services.config.registration = "closed";
  try {
    await expectRefusal(client, /New accounts can’t be created here\./);
    doesNotMatch(await (await client.get("/users")).text(), /href="\/invite"/);
  } finally {
    app.services.config.registration = "open";
  }
  while (await app.deliverMails() > 0);
  deepStrictEqual(app.mails.filter(({ to }) => to === fields.email), []);
});

Deno.test("guests log in before they invite someone", async () => {
  const response = await app.client().get("/invite", { Accept: "text/html" });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login?next=%2Finvite"]);
});
