import { deepStrictEqual } from "node:assert/strict";
import { createWebhook } from "../../lib/webhooks/webhook.ts";
import { DeliveryError } from "../../lib/queue/delivery_error.ts";
import { logIn, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openTestApp, type TestApp } from "../support/app/test_app.ts";
import { deliverDueMails } from "../support/mail/deliver_due_mails.ts";
import { signIn } from "../support/providers/idp.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { deliverDueWebhooks } from "../support/webhooks/deliver_due_webhooks.ts";
import { startReceiver } from "../support/webhooks/receiver.ts";

/** Runs `act` and returns what it has added to the counts of logins. */
async function signInsOf(app: TestApp, act: () => Promise<unknown>): Promise<Record<string, number>> {
  // The handler of the app has a reference to the metrics, so they cannot be replaced.
  const count = () => app.services.metrics.values().signIns ?? {};
  const before = count();
  await act();
  const added = Object.entries(count()).map(([labels, [value]]) =>
    [labels.replace("\n", " "), value - (before[labels]?.[0] ?? 0)] as const
  );
  return Object.fromEntries(added.filter(([, value]) => value > 0));
}

const login = (app: TestApp, email: string, password = PASSWORD) => logIn(app.client(), email, password);

Deno.test("logins are counted by method and outcome", async () => {
  await using provider = await startFalseProvider();
  await using app = await openTestApp({ SIGN_IN_CODES: "true", LOGIN_MAX_ATTEMPTS: "0", ...provider.env });
  const { client } = await registerVerifiedUser(app, "ann@example.com");
  await registerUser(app, "new@example.com");
  const is = async (expected: Record<string, number>, act: () => Promise<unknown>) =>
    deepStrictEqual(await signInsOf(app, act), expected);

  await is({}, () => registerUser(app, "other@example.com"));
  await client.send("POST", "/api/users", { email: "guest@example.com", name: "Guest" });
  const token = await mailedToken(app, "guest@example.com");
  await is({ "invitation success": 1 }, async () => {
    for (let i = 0; i < 2; i++) {
      await app.client().send("POST", "/auth/reset-password", {
        email: "guest@example.com",
        token,
        password: PASSWORD,
      });
    }
  });
  await is({ "password success": 2 }, () => Promise.all([1, 2].map(() => login(app, "ann@example.com"))));
  await is({ "password wrong": 1 }, () => login(app, "ann@example.com", "Wrong-horse-7"));
  await is({ "password wrong": 1 }, () => login(app, "nobody@example.com"));
  await is({ "password refused": 1 }, () => login(app, "new@example.com"));
  const body = new URLSearchParams({ email: "ann@example.com", password: "Wrong-horse-7" });
  await is({ "password wrong": 1 }, () => app.client().request("/login", { method: "POST", body }));
  const code = { email: "ann@example.com", code: "12345678" };
  await is({ "code wrong": 1 }, () => app.client().send("POST", "/auth/code/verify", code));

  const { authenticator } = await addPasskey(client);
  await is({ "passkey success": 1, "passkey wrong": 1 }, async () => {
    const guest = app.client();
    const credential = await authenticator.get(await requestOptions(guest));
    await sendCredential(guest, credential);
    await sendCredential(guest, credential);
  });

  await is(
    { "idp success": 1 },
    () => signIn(app, provider, { sub: "1", email: "idp@example.com", email_verified: true }),
  );
  await is({ "idp refused": 1 }, () => app.client().get("/auth/idp/callback?error=access_denied"));
  await is(
    { "idp refused": 1 },
    () => signIn(app, provider, { sub: "2", email: "idp@example.com", email_verified: true }),
  );

  const totp = await enableTotp(app, client);
  await is({ "password second_step": 1, "password wrong": 1, "password success": 1 }, async () => {
    const waiting = await startLogin(app, "ann@example.com");
    await waiting.send("POST", "/auth/second-factor", { code: "000000" });
    await waiting.send("POST", "/auth/second-factor", { code: totp.code() });
  });
});

Deno.test("logins over the limit of an address are counted as limited", async () => {
  await using app = await openTestApp({ LIMIT_ACCOUNT: "1/3600", LOGIN_MAX_ATTEMPTS: "0" });
  const counts = await signInsOf(app, async () => {
    for (let i = 0; i < 3; i++) await login(app, "ann@example.com");
  });
  deepStrictEqual(counts, { "password wrong": 1, "password limited": 2 });
});

Deno.test("emails and webhooks are counted by outcome", async () => {
  await using receiver = startReceiver();
  await using app = await openTestApp({ WEBHOOK_ALLOW_PRIVATE: "true" });
  const { services } = app;
  const counts = () => {
    const { emails = {}, webhooks = {} } = services.metrics.values();
    return [emails, webhooks].map((series) => ["sent", "retried", "failed"].map((outcome) => series[outcome][0]));
  };
  const by = { actorId: null, client: SOME_CLIENT };
  await createWebhook(services, { url: receiver.url, kinds: ["user.registered"], by });
  await registerUser(app, "ann@example.com");
  receiver.answer = () => new Response(null, { status: 500 });
  const refuse = (isFinal: boolean) => ({ send: () => Promise.reject(new DeliveryError("no", { isFinal })) });
  await deliverDueMails({ ...services, mail: refuse(false) });
  await deliverDueWebhooks(services);
  deepStrictEqual(counts(), [[0, 1, 0], [0, 1, 0]]);
  app.advance(600);
  await deliverDueMails({ ...services, mail: refuse(true) });
  receiver.answer = () => new Response();
  await deliverDueWebhooks(services);
  deepStrictEqual(counts(), [[0, 1, 1], [1, 1, 0]]);
  await registerUser(app, "ben@example.com");
  await app.deliverMails();
  deepStrictEqual(counts()[0], [1, 1, 1]);
});

Deno.test("each request is counted once, by the pattern of its route", async () => {
  await using app = await openTestApp();
  const { client, id } = await registerUser(app, "ann@example.com");
  const before = app.services.metrics.values().requests ?? {};
  for (const path of [`/api/users/${id}`, `/users/${id}`, "/styles.css", `/${id}`, "/api/health/live"]) {
    await (await client.get(path)).body?.cancel();
  }
  await client.request("/api/profile", { method: "DELETE" });
  await client.request(`/api/users/${id}`, { method: "HEAD" });
  const added = Object.entries(app.services.metrics.values().requests ?? {})
    .flatMap(([labels, [value]]) => value > (before[labels]?.[0] ?? 0) ? [labels.split("\n")] : []);
  deepStrictEqual(added.map((labels) => labels.join(" ")).sort(), [
    "/api/health/live GET 200",
    "/api/profile DELETE 405",
    "/api/users/:id GET 200",
    "/api/users/:id HEAD 200",
    "/users/:id GET 200",
    "other GET 200",
    "other GET 404",
  ]);
});
