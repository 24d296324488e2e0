import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { runDueFactorResets } from "../../lib/sign_in/second_factor/factor_reset.ts";
import { logIn, mailedToken, PASSWORD, subjectsTo } from "../support/app/accounts.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { registerWithTotp, startLogin, STEP_SECONDS } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const WAITING = "Your Foyer second factor will be removed";

/** Asks for a link on the page of the second step, and returns its token. */
async function requestLink(email: string): Promise<string> {
  const guest = await startLogin(app, email);
  const response = await guest.submit("/second-factor?next=%2Fuploads", { action: "lost" });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/second-factor?next=%2Fuploads"]);
  return await mailedToken(app, email);
}

/** Starts the wait, and returns the token that stops it. */
async function startWait(email: string): Promise<string> {
  const token = await requestLink(email);
  const response = await app.client().submit("/factor-reset", { token });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/login"]);
  return await mailedToken(app, email);
}

const isWaiting = async (userId: string) =>
  (await db.selectFrom("factor_resets").select("user_id").where("user_id", "=", userId).execute()).length > 0;

Deno.test("people who have lost every factor get back in after the wait, with daily emails", async () => {
  const { email, id } = await registerWithTotp(app, "lost@example.com");
  await startWait(email);
  const start = app.services.now();
  strictEqual(await runDueFactorResets(app.services), 0);
  const counts: number[] = [];
  for (let hours = 0; hours < 72; hours++) {
    app.advance(HOUR_SECONDS);
    if (hours === 71) app.advance(-1);
    await runDueFactorResets(app.services);
    if (hours % 24 === 23) {
      counts.push((await subjectsTo(app, email)).filter((subject) => subject === WAITING).length);
      strictEqual((await logIn(app.client(), email)).status, 403);
    }
  }
  deepStrictEqual(counts, [2, 3, 3]);
  app.advance(1);
  strictEqual(app.services.now().getTime() - start.getTime(), 72 * HOUR_SECONDS * 1000);
  strictEqual(await runDueFactorResets(app.services), 1);
  strictEqual(await runDueFactorResets(app.services), 0);
  strictEqual((await logIn(app.client(), email)).status, 200);
  for (const table of ["totp_secrets", "recovery_codes", "factor_resets"] as const) {
    deepStrictEqual(await db.selectFrom(table).select("user_id").where("user_id", "=", id).execute(), []);
  }
  const event = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", id)
    .where("kind", "=", "totp.disabled").executeTakeFirstOrThrow();
  deepStrictEqual(event.details, { reason: "factor_reset" });
  ok((await subjectsTo(app, email)).includes("The authenticator app of your Foyer account was removed"));
});

Deno.test("opening the links changes nothing, and their buttons work once", async () => {
  const { email, id } = await registerWithTotp(app, "scanned@example.com");
  const token = await requestLink(email);
  for (let count = 0; count < 3; count++) {
    match(await (await app.client().get(`/factor-reset?token=${token}`)).text(), /Start the waiting time/);
  }
  ok(!await isWaiting(id));
  strictEqual((await app.client().submit("/factor-reset", { token })).status, 303);
  ok(await isWaiting(id));
  strictEqual((await app.client().submit("/factor-reset", { token })).status, 400);
  const stop = await mailedToken(app, email);
  for (let count = 0; count < 3; count++) {
    match(
      await (await app.client().get(`/stop-factor-reset?token=${stop}`)).text(),
      /Stop it and keep the second factor/,
    );
  }
  ok(await isWaiting(id));
  strictEqual((await app.client().submit("/stop-factor-reset", { token: stop })).status, 303);
  ok(!await isWaiting(id));
  strictEqual((await app.client().submit("/stop-factor-reset", { token: stop })).status, 400);
  match(await (await app.client().get(`/stop-factor-reset?token=${stop}`)).text(), /has already been used/);
  app.advance(4 * DAY_SECONDS);
  await runDueFactorResets(app.services);
  strictEqual((await logIn(app.client(), email)).status, 403, "the factor stays");
});

Deno.test("a token of one purpose does not serve the other", async () => {
  const { email, id } = await registerWithTotp(app, "purposes@example.com");
  const start = await requestLink(email);
  strictEqual((await app.client().submit("/stop-factor-reset", { token: start })).status, 400);
  await app.client().submit("/factor-reset", { token: start });
  const stop = await mailedToken(app, email);
  await app.client().submit("/stop-factor-reset", { token: stop });
  strictEqual((await app.client().submit("/factor-reset", { token: stop })).status, 400);
  ok(!await isWaiting(id));
});

Deno.test("every daily email can stop the wait", async () => {
  const { email, id } = await registerWithTotp(app, "daily-stop@example.com");
  const first = await startWait(email);
  app.advance(DAY_SECONDS);
  await runDueFactorResets(app.services);
  const second = await mailedToken(app, email);
  ok(first !== second);
  strictEqual((await app.client().submit("/stop-factor-reset", { token: first })).status, 303);
  ok(!await isWaiting(id));
  strictEqual((await app.client().submit("/stop-factor-reset", { token: second })).status, 400);
});

Deno.test("logging in with a code stops the wait, and so do turning the app off and that was not me", async () => {
  const used = await registerWithTotp(app, "found-again@example.com");
  const reported = await startWait(used.email);
  app.advance(STEP_SECONDS);
  const guest = await startLogin(app, used.email);
  strictEqual((await guest.send("POST", "/auth/second-factor", { code: used.totp.code() })).status, 200);
  ok(!await isWaiting(used.id));
  strictEqual((await app.client().submit("/stop-factor-reset", { token: reported })).status, 400);

  const off = await registerWithTotp(app, "off-meanwhile@example.com");
  await startWait(off.email);
  await off.client.request("/api/totp", { method: "DELETE" });
  ok(!await isWaiting(off.id));

  const robbed = await registerWithTotp(app, "robbed@example.com");
  app.advance(1);
  await robbed.client.send("POST", "/api/account/email", { email: "thief@example.org" });
  const notMe = await mailedToken(app, robbed.email);
  await startWait(robbed.email);
  strictEqual((await app.client().send("POST", "/auth/not-me", { token: notMe })).status, 200);
  ok(!await isWaiting(robbed.id));
});

Deno.test("a new address, a new password, a reset, a login by passkey and a suspension stop the wait and void its links", async () => {
  const acts: Record<string, (user: Awaited<ReturnType<typeof registerWithTotp>>) => Promise<Response>> = {
    async address({ client, id }) {
      await client.send("POST", "/api/account/email", { email: `new-${id}@example.com` });
      return await client.send("POST", "/auth/confirm-email", {
        token: await mailedToken(app, `new-${id}@example.com`),
      });
    },
    password: ({ client }) =>
      client.send("PUT", "/api/account/password", { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` }),
    async reset({ email }) {
      await app.client().send("POST", "/auth/forgot-password", { email });
      const token = await mailedToken(app, email);
      return await app.client().send("POST", "/auth/reset-password", { token, email, password: `${PASSWORD}!` });
    },
    async passkey({ client }) {
      const { authenticator } = await addPasskey(client);
      const guest = app.client();
      return await sendCredential(guest, await authenticator.get(await requestOptions(guest)));
    },
    async suspension({ id }) {
      await suspendUser(app.services, { who: id, reason: "spam", by: COMMAND_LINE });
      return new Response();
    },
  };
  for (const [name, act] of Object.entries(acts)) {
    const user = await registerWithTotp(app, `stopped-by-${name}@example.com`);
    const stop = await startWait(user.email);
    const link = await requestLink(user.email);
    strictEqual(await isWaiting(user.id), true);
    const { status } = await act(user);
    ok(status < 300, `${name}: ${status}`);
    strictEqual(await isWaiting(user.id), false, name);
    for (const path of ["/factor-reset", "/stop-factor-reset"]) {
      const token = path === "/factor-reset" ? link : stop;
      strictEqual((await app.client().submit(path, { token })).status, 400, `${name}: ${path}`);
    }
    strictEqual((await subjectsTo(app, user.email)).filter((subject) => subject === WAITING).length, 1, name);
  }
});

Deno.test("a link about a lost app that was mailed before the address changed does not start a wait", async () => {
  const { client, email, id } = await registerWithTotp(app, "moved@example.com");
  const token = await requestLink(email);
  await client.send("POST", "/api/account/email", { email: "moved-on@example.com" });
  await client.send("POST", "/auth/confirm-email", { token: await mailedToken(app, "moved-on@example.com") });
  strictEqual((await app.client().submit("/factor-reset", { token })).status, 400);
  strictEqual(await isWaiting(id), false);
});

Deno.test("a second request does not shorten or lengthen the wait", async () => {
  const { email, id } = await registerWithTotp(app, "twice@example.com");
  const due = () => db.selectFrom("factor_resets").select("due_at").where("user_id", "=", id).executeTakeFirstOrThrow();
  await startWait(email);
  const { due_at: first } = await due();
  app.advance(HOUR_SECONDS);
  await app.client().submit("/factor-reset", { token: await requestLink(email) });
  deepStrictEqual((await due()).due_at, first);
  strictEqual(
    (await subjectsTo(app, email)).filter((subject) => subject === WAITING).length,
    1,
    "and sends no other email",
  );
});

Deno.test("the link works for an hour, for an account that has a factor, three times an hour", async () => {
  for (const [seconds, status] of [[HOUR_SECONDS - 1, 303], [HOUR_SECONDS, 400]]) {
    const { email } = await registerWithTotp(app, `expiring-${status}@example.com`);
    const token = await requestLink(email);
    app.advance(seconds);
    strictEqual((await app.client().submit("/factor-reset", { token })).status, status);
  }

  const { email, client, id } = await registerWithTotp(app, "turned-off@example.com");
  const void_ = await requestLink(email);
  await client.request("/api/totp", { method: "DELETE" });
  strictEqual((await app.client().submit("/factor-reset", { token: void_ })).status, 400);
  ok(!await isWaiting(id));

  const raced = await registerWithTotp(app, "raced@example.com");
  const link = await requestLink(raced.email);
  // A removal of the app may end between the look at the sign-in and the email.
  await db.deleteFrom("totp_secrets").where("user_id", "=", raced.id).execute();
  strictEqual((await app.client().submit("/factor-reset", { token: link })).status, 400);

  const other = await registerWithTotp(app, "three-an-hour@example.com");
  for (let count = 0; count < 4; count++) {
    const guest = await startLogin(app, other.email);
    await guest.submit("/second-factor", { action: "lost" });
  }
  const sent = (await subjectsTo(app, other.email)).filter((subject) => subject.startsWith("Lost your second factor"));
  strictEqual(sent.length, 3);
});

Deno.test("concurrent instances remove a factor once and send each email once", async () => {
  const { email, id } = await registerWithTotp(app, "instances@example.com");
  await startWait(email);
  app.advance(DAY_SECONDS);
  await Promise.all([1, 2, 3].map(() => runDueFactorResets(app.services)));
  strictEqual((await subjectsTo(app, email)).filter((subject) => subject === WAITING).length, 2);
  app.advance(2 * DAY_SECONDS);
  await Promise.all([1, 2, 3].map(() => runDueFactorResets(app.services)));
  const events = await db.selectFrom("events").select("id").where("user_id", "=", id)
    .where("kind", "=", "totp.disabled").execute();
  strictEqual(events.length, 1);
});

Deno.test("with FACTOR_RESET_HOURS=0 nothing is offered and nothing removed", async () => {
  await using never = await openTestApp({ LOGIN_MAX_ATTEMPTS: "0", FACTOR_RESET_HOURS: "0" });
  const { email, id } = await registerWithTotp(never, "never@example.com");
  const guest = await startLogin(never, email);
  ok(!(await (await guest.get("/second-factor")).text()).includes("Lost your app"));
  strictEqual((await guest.submit("/second-factor", { action: "lost" })).status, 404);
  const now = never.services.now();
  // The setting has changed since the wait began.
  await never.services.db.insertInto("factor_resets")
    .values({ user_id: id, due_at: now, next_act_at: now, client_address: "10.0.0.1", user_agent: null }).execute();
  strictEqual(await runDueFactorResets(never.services), 0);
});
