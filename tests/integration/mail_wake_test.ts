import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { inEqualTime } from "../../lib/accounts/equal_time.ts";
import { sendEmail } from "../../lib/mail/links/send_email.ts";
import { logIn, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
let wakes = 0;
app.services.outboxSignal.wake = () => void wakes++;

/** Calls the API as a user with a verified address. Returns how often the mail worker was woken. */
async function wakesOf(path: string, body: unknown, status: number): Promise<number> {
  const { client } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  wakes = 0;
  const response = await client.send("POST", path, body);
  strictEqual(response.status, status, await response.text());
  return wakes;
}

Deno.test("registrations and invitations wake the mail worker, so that their emails are sent at once", async () => {
  strictEqual(await wakesOf("/auth/register", { name: "Ada", email: "ada@example.com", password: PASSWORD }, 201), 1);
  strictEqual(await wakesOf("/api/users", { name: "Guest", email: "guest@example.com" }, 201), 1);
});

Deno.test("requests that must not reveal whether an account exists do not wake the mail worker", async () => {
  const { email: verified } = await registerVerifiedUser(app, "verified@example.com");
  const { email: unverified } = await registerUser(app, "unverified@example.com");
  strictEqual(await wakesOf("/auth/forgot-password", { email: verified }, 200), 0);
  strictEqual(await wakesOf("/auth/resend-verification", { email: unverified }, 200), 0);
  await app.deliverMails();
  for (const email of [verified, unverified]) strictEqual(app.mails.filter(({ to }) => to === email).length, 2, email);
});

Deno.test("every email wakes the mail worker once, after its transaction is committed", async () => {
  const { services } = app;
  const { id, email } = await registerVerifiedUser(app, "order@example.com");
  const user = { id, email };
  const order: string[] = [];
  services.outboxSignal.wake = () => void order.push("woken");
  try {
    await services.db.transaction().execute(async (trx) => {
      await sendEmail(trx, services, { kind: "recovery", user });
      await sendEmail(trx, services, { kind: "code", user });
      order.push("sent");
    });
    deepStrictEqual(order, ["sent", "woken"]);
  } finally {
    services.outboxSignal.wake = () => void wakes++;
  }
});

Deno.test("an email whose transaction is rolled back wakes no one, and neither does one in equal time", async () => {
  const { services } = app;
  const { id, email } = await registerVerifiedUser(app, "rolled-back@example.com");
  const user = { id, email };
  wakes = 0;
  const failed = services.db.transaction().execute(async (trx) => {
    await sendEmail(trx, services, { kind: "recovery", user });
    throw new Error("the work failed");
  });
  await rejects(failed, /the work failed/);
  await inEqualTime(services, email, (trx) => sendEmail(trx, services, { kind: "recovery", user }));
  strictEqual(wakes, 0);
});

Deno.test("a login on a new device wakes the mail worker, and so does a new password", async () => {
  const { client, email } = await registerVerifiedUser(app, "alerted@example.com");
  wakes = 0;
  strictEqual((await logIn(app.client(), email)).status, 200);
  strictEqual(wakes, 1);
  const change = { currentPassword: PASSWORD, newPassword: "Another-horse-8", keepOthers: true };
  strictEqual((await client.send("PUT", "/api/account/password", change)).status, 200);
  strictEqual(wakes, 2);
});
