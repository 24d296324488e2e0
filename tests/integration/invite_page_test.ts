import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readPage } from "../support/app/page_reader.ts";
import { mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const { client } = await registerVerifiedUser(app, "host@example.com", "Hedy Host");

Deno.test("members invite someone from the list of people", async () => {
  strictEqual((await readPage(client.get("/users"))).link("Invite someone").href, "/invite");
  ok(!(await readPage(app.client().get("/users"))).leadsTo("/invite"));
  match(await (await client.get("/invite")).text(), /a link to choose a password\. It works for 7 days\./);

  const sent = await client.submit("/invite", { name: "Gus Guest", email: "gus@example.com" });
  deepStrictEqual([sent.status, sent.headers.get("Location")], [303, "/invite"]);
  match((await readPage(client.get("/invite"))).notice!, /^Invitation sent\./);
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
    const page = await readPage(response);
    strictEqual(response.status, status);
    strictEqual(page.field("name").value, "Ada");
    const { error, value } = page.field("email");
    deepStrictEqual([error, value], [text, fields.email]);
  }
});

Deno.test("no one is invited before the address is confirmed, or where accounts cannot be created", async () => {
  const fields = { name: "Ada", email: "never@example.com" };
  const { client: newcomer } = await registerUser(app, "newcomer@example.com");
  const expectRefusal = async (visitor: typeof client, text: RegExp) => {
    const page = await readPage(visitor.get("/invite"));
    match(page.text, text);
    deepStrictEqual(page.fieldNames.includes("name"), false);
    strictEqual((await visitor.submit("/invite", fields)).status, 403);
    return page;
  };
  const refused = await expectRefusal(newcomer, /Confirm your email address before you invite anyone\./);
  ok(refused.button("Email me a new link"));
  strictEqual(refused.form("/verify-email?next=%2Finvite").hidden.email, "newcomer@example.com");
  app.services.config.registration = "closed";
  try {
    await expectRefusal(client, /New accounts can’t be created here\./);
    ok(!(await readPage(client.get("/users"))).leadsTo("/invite"));
  } finally {
    app.services.config.registration = "open";
  }
  await app.deliverMails();
  deepStrictEqual(app.mails.filter(({ to }) => to === fields.email), []);
});

Deno.test("guests log in before they invite someone", async () => {
  const response = await app.client().get("/invite", { Accept: "text/html", "Sec-Fetch-Site": "none" });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login?next=%2Finvite"]);
});
