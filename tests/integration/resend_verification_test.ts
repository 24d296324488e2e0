import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { html, submit } from "../support/app/page_forms.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();

async function resend(email: string): Promise<string> {
  const response = await app.client().send("POST", "/auth/resend-verification", { email });
  strictEqual(response.status, 200);
  const body = await response.text();
  await app.deliverMails();
  return body;
}

const mailsTo = (email: string) => app.mails.filter(({ to }) => to === email).length;

Deno.test("an unverified account gets another link, and both work", async () => {
  for (const used of [0, 1]) {
    const { email } = await registerUser(app, `again-${used}@example.com`);
    const tokens = [await mailedToken(app, email)];
    await resend(` ${email.toUpperCase()}`);
    strictEqual(mailsTo(email), 2);
    tokens.push(await mailedToken(app, email));
    const verified = await app.client().send("POST", "/auth/verify-email", { email, token: tokens[used] });
    strictEqual(verified.status, 200);
  }
});

Deno.test("the response does not reveal which accounts exist or are verified", async () => {
  const verified = await registerVerifiedUser(app, "verified@example.com");
  const unverified = await registerUser(app, "unverified@example.com");
  const answers = [await resend(verified.email), await resend(unverified.email), await resend("nobody@example.com")];
  deepStrictEqual(new Set(answers).size, 1);
  deepStrictEqual([mailsTo(verified.email), mailsTo("nobody@example.com")], [1, 0]);
});

Deno.test("at most three emails an hour are sent, including that of the registration", async () => {
  const { email } = await registerUser(app, "eager@example.com");
  await Promise.all(Array.from({ length: 10 }, () => resend(email)));
  strictEqual(mailsTo(email), 3);
  const last = await mailedToken(app, email);
  app.advance(HOUR_SECONDS - 1);
  await resend(email);
  strictEqual(mailsTo(email), 3);
  app.advance(1);
  await resend(email);
  strictEqual(mailsTo(email), 4);
  strictEqual((await app.client().send("POST", "/auth/verify-email", { email, token: last })).status, 200);
});

Deno.test("pages send a confirmation only when their button is pressed, and claim to have done so only then", async () => {
  const { client, email } = await registerUser(app, "pressing@example.com");
  const sent = async () => {
    await app.deliverMails();
    return app.mails.filter(({ to }) => to === email).length;
  };
  const arrive = async (visitor: TestClient, path: string) => {
    const page = await html(visitor, path);
    match(page, /<h1>Confirm your email address<\/h1>/);
    match(page, /We emailed a link to pressing@example\.com when you signed up\. Links work for 24 hours\./);
    doesNotMatch(page, /We’ve|Check your email/);
    return page;
  };
  const dashboard = await html(client, "/dashboard");
  doesNotMatch(dashboard, /href="\/verify-email/);
  match(dashboard, /it works for 24 hours/);
  strictEqual(await sent(), 1);
  const resend = { email, action: "resend" };
  const path = `/verify-email?${new URLSearchParams({ email })}`;
  strictEqual(await submit(client, dashboard, resend), path);
  strictEqual(await sent(), 2);
  match(await html(client, path), /<h1>Check your email<\/h1>[^]*sent it a new link\./);

  const visitor = app.client();
  const login = await visitor.submit("/login", { email, password: PASSWORD });
  strictEqual(login.headers.get("Location"), path);
  const page = await arrive(visitor, path);
  strictEqual(await sent(), 2, "to arrive there sends nothing");
  strictEqual(await submit(visitor, page, resend), path);
  match(await html(visitor, path), /<h1>Check your email<\/h1>[^]*sent it a new link\./);
  strictEqual(await sent(), 3);

  strictEqual(await submit(visitor, page, resend), path);
  const exhausted = await arrive(app.client(), path);
  match(exhausted, /Email me a new link/);
  match(await html(visitor, path), /We send only a few of these emails an hour\./);
  strictEqual(await sent(), 3);
});
