import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { getSigningKey, prepareSigningKeys, resealSigningKeys } from "../../lib/access/signing_keys.ts";
import { findPresentedGrant } from "../../lib/authorization_server/tokens/refresh.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { resealAll, revokeSecrets } from "../../lib/installation/secrets.ts";
import { createChallenge, openChallenge } from "../../lib/sign_in/passkeys/challenge.ts";
import { createWebhook } from "../../lib/webhooks/webhook.ts";
import { openSecrets } from "../../lib/webhooks/webhook_secret.ts";
import { logIn, mailedToken, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { connect, openAuthorizationApp, refresh, tokensIn } from "../support/app/authorization.ts";

const app = await openAuthorizationApp({ SIGN_IN_CODES: "true", TOKEN_AUDIENCES: "wiki", LOGIN_MAX_ATTEMPTS: "0" });
const { config, db } = app.services;
const FORMER = config.appSecret;

Deno.test.beforeEach(async () => {
  await app.database.empty();
  useSecrets(FORMER);
});

/** Goes on with these secrets, as after a restart. */
function useSecrets(appSecret: string, ...previousAppSecrets: string[]) {
  Object.assign(config, { appSecret, previousAppSecrets });
}

const addWebhook = () =>
  createWebhook(app.services, { url: "https://hooks.example.com/", kinds: ["login.failed"], by: COMMAND_LINE });

/** Ways to find out whether the secret still opens what it has protected. Each returns the check. */
const PROTECTED: Record<string, () => Promise<() => Promise<boolean>>> = {
  async "an authenticator app"() {
    const { client, email } = await registerVerifiedUser(app, "ada@example.com");
    const { code } = await enableTotp(app, client);
    return async () => {
      const waiting = await startLogin(app, email);
      return (await waiting.send("POST", "/auth/second-factor", { code: code() })).status === 200;
    };
  },
  async "an email that waits"() {
    const { email } = await registerUser(app, "ada@example.com");
    return async () => {
      await app.deliverMails();
      return app.mails.some(({ to }) => to === email);
    };
  },
  async "an emailed code"() {
    const { email } = await registerVerifiedUser(app, "ada@example.com");
    await app.client().send("POST", "/auth/code", { email });
    await app.deliverMails();
    const code = app.mails.findLast(({ subject }) => /code/.test(subject))!.text.match(/^\d{8}$/m)![0];
    return async () => (await app.client().send("POST", "/auth/code/verify", { email, code })).status === 200;
  },
  async "the key of access tokens"() {
    await getSigningKey(app.services, "ES256");
    // Asking for a key would make another one.
    return async () => (await resealSigningKeys(app.services)).unreadable.length === 0;
  },
  async "the challenge of a passkey"() {
    const text = await createChallenge(app.services, "prove");
    return async () => await openChallenge(app.services, { text, purpose: "prove" }) !== null;
  },
  async "the secret of a webhook"() {
    const { webhook } = await addWebhook();
    return async () => (await openSecrets(app.services, webhook.id)).length === 1;
  },
  async "a refresh token"() {
    const { client } = await registerVerifiedUser(app, "ada@example.com");
    await prepareSigningKeys(app.services);
    const { refresh_token } = await connect(app, client, "portal");
    // A refresh would need a key of its own to sign with.
    const registered = config.registrations!.clients.get("portal")!;
    return async () => await findPresentedGrant(app.services, { client: registered, text: refresh_token }) !== null;
  },
  async "the response to a key"() {
    const { client } = await registerVerifiedUser(app, "ada@example.com");
    const post = () =>
      client.request("/api/users", {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": "0123456789abcdef" },
        body: JSON.stringify({ name: "Grace", email: "grace@example.com" }),
      });
    strictEqual((await post()).status, 201);
    return async () => (await post()).headers.get("Idempotent-Replayed") === "true";
  },
};

for (const [what, protect] of Object.entries(PROTECTED)) {
  Deno.test(`${what} outlives a change of APP_SECRET with APP_SECRET_PREVIOUS, and not without`, async () => {
    app.mails.length = 0;
    const check = await protect();
    app.mails.length = 0;
    useSecrets("n".repeat(32));
    strictEqual(await check().catch(() => false), false);
    useSecrets("n".repeat(32), "x".repeat(32), FORMER);
    await db.updateTable("outbox").set({ next_attempt_at: app.services.now() }).execute();
    app.advance(1);
    strictEqual(await check(), true);
  });
}

Deno.test("after resealing, the former secret is no longer needed, and what no secret opens is named", async () => {
  const { client, email } = await registerVerifiedUser(app, "ada@example.com");
  const { code } = await enableTotp(app, client);
  const key = await getSigningKey(app.services, "ES256");
  const { email: waiting } = await registerUser(app, "grace@example.com");
  const { webhook, secret } = await addWebhook();
  await prepareSigningKeys(app.services);
  const { refresh_token } = await connect(app, client, "portal");

  useSecrets("n".repeat(32), FORMER);
  deepStrictEqual(await resealAll(app.services), { count: 6, unreadable: [] });
  deepStrictEqual(await resealAll(app.services), { count: 0, unreadable: [] });
  useSecrets("n".repeat(32));
  strictEqual((await getSigningKey(app.services, "ES256")).id, key.id);
  deepStrictEqual(await openSecrets(app.services, webhook.id), [secret]);
  await tokensIn(refresh(app, "portal", refresh_token));
  const login = await startLogin(app, email);
  strictEqual((await login.send("POST", "/auth/second-factor", { code: code() })).status, 200);
  await app.deliverMails();
  ok(app.mails.some(({ to }) => to === waiting));

  useSecrets("o".repeat(32));
  const { count, unreadable } = await resealAll(app.services);
  strictEqual(count, 0);
  match(
    unreadable.sort().join(),
    /^authenticator app of \S+,refresh token key of grant \S+,secret of webhook \S+,signing key \S+,signing key \S+$/,
  );
});

Deno.test("a revocation ends all sessions, API tokens, waiting sign-ins, keys, links and codes", async () => {
  const { id, client, email } = await registerVerifiedUser(app, "ada@example.com");
  const { token } = await createToken(client, { scopes: ["profile:read"] });
  const { code } = await enableTotp(app, client);
  const waiting = await startLogin(app, email);
  await client.send("POST", "/auth/forgot-password", { email });
  const reset = await mailedToken(app, email);
  const { email: unconfirmed } = await registerUser(app, "unconfirmed@example.com");
  const key = await getSigningKey(app.services, "ES256");

  const { signingKeys, tokens } = await revokeSecrets(app.services, COMMAND_LINE);
  deepStrictEqual([signingKeys, tokens], [1, 1]);
  notStrictEqual((await getSigningKey(app.services, "ES256")).id, key.id);
  strictEqual((await client.get("/api/profile")).status, 401);
  const bearer = { Authorization: `Bearer ${token}` };
  strictEqual((await app.client().request("/api/profile", { headers: bearer })).status, 401);
  strictEqual((await waiting.send("POST", "/auth/second-factor", { code: code() })).status, 401);
  const body = { email, token: reset, password: "Another-horse-8" };
  strictEqual((await app.client().send("POST", "/auth/reset-password", body)).status, 400);
  await app.deliverMails();
  ok(!app.mails.some(({ to }) => to === unconfirmed));
  strictEqual((await logIn(app.client(), email)).status, 403);
  const ends = await db.selectFrom("events").select(["kind", "details", "actor"]).where("user_id", "=", id)
    .where("kind", "in", ["session.ended", "token.ended"]).execute();
  deepStrictEqual(ends.map(({ kind }) => kind).sort(), ["session.ended", "token.ended"]);
  for (const { details, actor } of ends) {
    match(JSON.stringify(details), /"reason":"secrets_revoked"/);
    strictEqual(actor, "command line");
  }
});
