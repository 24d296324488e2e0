import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { findPendingEmailChange } from "../../lib/sign_in/email_change.ts";
import { mailedPath, mailedToken, PASSWORD, registerVerifiedUser, subjectsTo } from "../support/app/accounts.ts";
import { Page, readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const PATH = "/settings/email";
const { email: taken } = await registerVerifiedUser(app, "taken@example.com");

async function requestChange(client: TestClient, email: string) {
  app.advance(1);
  const response = await client.submit(PATH, { email });
  deepStrictEqual([response.status, response.headers.get("Location")], [303, PATH]);
}

const prove = (client: TestClient) => client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
const cancel = (client: TestClient) => client.submit(PATH, { action: "cancel" });
const pageOf = async (client: TestClient) => await (await client.get(PATH)).text();
const waitingFor = (id: string) => findPendingEmailChange(app.services, id);

async function confirm(token: string): Promise<number> {
  return (await app.client().send("POST", "/auth/confirm-email", { token })).status;
}

/** Returns the page of someone who has asked for the address, without the parts that differ between any two people. */
async function pageAfterRequest(name: string, newEmail: string): Promise<string> {
  const { client, email, id } = await registerVerifiedUser(app, `${name}@example.com`);
  match(await pageOf(client), /^(?![^]*Waiting for)/);
  await requestChange(client, newEmail);
  const html = (await pageOf(client)).replaceAll(email, "OLD").replaceAll(newEmail, "NEW").replaceAll(id, "ID");
  ok(new Page(html).textsAt("h2").includes("Waiting for NEW"));
  match(html, /Until you confirm it, log in with OLD\./);
  return html.replaceAll(/[\w-]{8}-[\w-]{4}-[\w-]{4}-[\w-]{4}-[\w-]{12}|nonce="[^"]*"/g, "");
}

Deno.test("the page and the stored request look the same for a free and for a taken address", async () => {
  strictEqual(await pageAfterRequest("asks-taken", taken), await pageAfterRequest("asks-free", "free@example.com"));
  const rows = app.services.db.selectFrom("email_change_tokens").select(["created_at", "expires_at", "used"])
    .where("email", "in", [taken, "free@example.com"]);
  for (const { created_at, expires_at, used } of await rows.execute()) {
    deepStrictEqual([expires_at.getTime() - created_at.getTime(), used], [DAY_SECONDS * 1000, false]);
  }
  deepStrictEqual((await subjectsTo(app, taken)).slice(1), ["You already have a Foyer account"]);
  deepStrictEqual((await subjectsTo(app, "asks-taken@example.com")).slice(1), [], "no alert");
  ok(app.mails.every(({ to, text }) => to !== taken || !text.includes("/confirm-email")));
});

/** What ends the wait, besides the confirmation. Gets the link of an alert that was sent before. */
const ENDS: Record<string, (client: TestClient, alert: string) => Promise<unknown>> = {
  "its expiry": () => Promise.resolve(app.advance(DAY_SECONDS)),
  "a press of Cancel": cancel,
  "another request": (client) => requestChange(client, "another@example.com"),
  "another request, for a taken address": (client) => requestChange(client, taken),
  "not me": (_, alert) => app.client().submit("/not-me", { token: alert.split("token=")[1] }),
};

for (const [end, act] of Object.entries(ENDS)) {
  for (const isTaken of [false, true]) {
    Deno.test(`a change to a ${isTaken ? "taken" : "free"} address waits until ${end}`, async () => {
      const name = `${end}-${isTaken}`.replaceAll(/\W+/g, "-").toLowerCase();
      const { client, email, id } = await registerVerifiedUser(app, `${name}@example.com`);
      const { email: held } = await registerVerifiedUser(app, `${name}-held@example.com`);
      await requestChange(client, `${name}-first@example.com`);
      const alert = await mailedPath(app, email);
      const newEmail = isTaken ? held : `${name}-new@example.com`;
      await requestChange(client, newEmail);
      app.advance(DAY_SECONDS - 1);
      strictEqual(await waitingFor(id), newEmail);
      app.advance(1 - DAY_SECONDS);
      await prove(client);
      await act(client, alert);
      notStrictEqual(await waitingFor(id), newEmail);
      strictEqual(
        await waitingFor(id),
        end.includes("taken") ? taken : end.includes("request") ? "another@example.com" : null,
      );
    });
  }
}

Deno.test("a change waits no longer once a link has confirmed it, or the one before a taken address", async () => {
  for (const later of [[], [taken]]) {
    const name = `confirms-${later.length}`;
    const { client, id } = await registerVerifiedUser(app, `${name}@example.com`);
    for (const email of [`${name}-new@example.com`, ...later]) await requestChange(client, email);
    strictEqual(await confirm(await mailedToken(app, `${name}-new@example.com`)), 200);
    strictEqual(await waitingFor(id), null);
    match(await pageOf(client), /^(?![^]*Waiting for)/);
  }
});

Deno.test("Cancel makes the emailed link useless, says so, and needs no proof", async () => {
  const { client, email } = await registerVerifiedUser(app, "cancels@example.com");
  const bystander = await registerVerifiedUser(app, "bystander@example.com");
  await requestChange(bystander.client, "bystander-new@example.com");
  await requestChange(client, "canceled@example.com");
  const token = await mailedToken(app, "canceled@example.com");
  app.advance(15 * MINUTE_SECONDS + 1);
  const canceled = await cancel(client);
  deepStrictEqual([canceled.status, canceled.headers.get("Location")], [303, PATH]);
  await prove(client);
  const page = await pageOf(client);
  match(page, /Change canceled\. Your email address stays the same\./);
  match(page, new RegExp(`Your email address is ${email}\\.`));
  ok(!page.includes("Waiting for"));
  strictEqual(await confirm(token), 400);
  strictEqual(await waitingFor(bystander.id), "bystander-new@example.com");
});

Deno.test("Cancel stops an email that is still in the queue", async () => {
  const { client } = await registerVerifiedUser(app, "quick@example.com");
  await requestChange(client, "never-sent@example.com");
  await cancel(client);
  deepStrictEqual(await subjectsTo(app, "never-sent@example.com"), []);
});

Deno.test("Cancel requires a session, and changes nothing when no change is waiting", async () => {
  strictEqual((await cancel(app.client())).status, 401);
  const { client, id } = await registerVerifiedUser(app, "idle@example.com");
  strictEqual((await cancel(client)).status, 303);
  strictEqual(await waitingFor(id), null);
});

Deno.test("Resend emails a new link, which replaces the first, and asks for a proof as the request does", async () => {
  const { client, id } = await registerVerifiedUser(app, "resends@example.com");
  await requestChange(client, "slow-mail@example.com");
  const first = await mailedToken(app, "slow-mail@example.com");
  const { email } = (await readPage(client.get(PATH))).formWith(["email"]).hidden;
  app.advance(15 * MINUTE_SECONDS + 1);
  const refused = await client.submit(PATH, { email });
  strictEqual(refused.status, 403);
  match(await refused.text(), /Waiting for slow-mail@example\.com/);
  await prove(client);
  await requestChange(client, email);
  const second = await mailedToken(app, "slow-mail@example.com");
  notStrictEqual(second, first);
  strictEqual(await waitingFor(id), "slow-mail@example.com");
  match(await pageOf(client), /Email sent\. .*Waiting for slow-mail@example\.com/s);
  deepStrictEqual([await confirm(first), await confirm(second)], [400, 200]);
});

Deno.test("Resend counts under the limit of emails, and Cancel does not", async () => {
  await using limited = await openTestApp({ LIMIT_MAIL: "2/3600" });
  const { client } = await registerVerifiedUser(limited, "counted@example.com");
  const resend = async () => (await client.submit(PATH, { email: "counted-new@example.com" })).status;
  deepStrictEqual([await resend(), await resend(), await resend()], [303, 303, 429]);
  strictEqual((await cancel(client)).status, 303);
  limited.advance(HOUR_SECONDS);
  await prove(client);
  strictEqual(await resend(), 303);
});
