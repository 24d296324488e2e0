import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

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
