import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { type Behavior, GOOD_BEHAVIOR, startFalseProvider } from "../support/providers/false_provider.ts";
import { envOf, signInAt } from "../support/providers/idp.ts";
import { startFakeGithub } from "../support/providers/fake_github.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const contoso = await startFalseProvider();
const plain = await startFalseProvider();
const github = startFakeGithub();
Deno.test.afterAll(async () => {
  for (const provider of [contoso, plain, github]) await provider[Symbol.asyncDispose]();
});
const app = await openSharedTestApp({
  IDP_PROVIDERS: "contoso plain github",
  ...envOf("contoso", contoso.env),
  ...envOf("plain", plain.plainEnv),
  ...github.env,
});
const providers = { contoso, plain };
const host = ({ issuer }: { issuer: string }) => new URL(issuer).host;

/** Returns the fields of the only log line about a failed sign-in. */
function logged(): Record<string, unknown> {
  const lines = app.logLines.splice(0).filter((line) => line.includes('"sign-in failed"'));
  strictEqual(lines.length, 1, lines.join("\n"));
  const { time: _time, level: _level, message: _message, requestId: _id, ...fields } = JSON.parse(lines[0]);
  return fields;
}

async function fail(key: keyof typeof providers, how: Partial<Behavior>) {
  const provider = providers[key];
  app.advance(HOUR_SECONDS);
  app.logLines.length = 0;
  Object.assign(provider, GOOD_BEHAVIOR, how);
  provider.userinfo = { sub: "ada", email: "ada@example.com", email_verified: true };
  const client = app.client();
  const start = await client.get(`/auth/idp/${key}`);
  const consentScreen = start.headers.get("Location")!;
  if (consentScreen.startsWith("/login")) return logged();
  const { pathname, search } = provider.consent(consentScreen);
  strictEqual((await client.get(pathname + search)).headers.get("Location"), `/login?error=idp_failed&provider=${key}`);
  return logged();
}

interface Expected {
  step: string;
  status?: number;
  error?: string;
  errorDescription?: string;
  hint: RegExp;
}

const CASES: [key: keyof typeof providers, how: Partial<Behavior>, expected: Expected][] = [
  ["contoso", { failures: { discovery: [404, {}] } }, { step: "discovery", status: 404, hint: /IDP_CONTOSO_ISSUER/ }],
  ["contoso", { metadata: { issuer: "https://other.example" } }, {
    step: "discovery",
    status: 200,
    hint: /IDP_CONTOSO_ISSUER/,
  }],
  [
    "contoso",
    { failures: { token: [401, { error: "invalid_client", error_description: "The secret has expired" }] } },
    {
      step: "token",
      status: 401,
      error: "invalid_client",
      errorDescription: "The secret has expired",
      hint: /IDP_CONTOSO_CLIENT_ID and IDP_CONTOSO_CLIENT_SECRET/,
    },
  ],
  [
    "plain",
    { failures: { token: [400, { error: "invalid_grant" }] } },
    { step: "token", status: 400, error: "invalid_grant", hint: /\/auth\/idp\/plain\/callback/ },
  ],
  ["plain", { failures: { token: [404, {}] } }, { step: "token", status: 404, hint: /IDP_PLAIN_TOKEN_URL/ }],
  ["plain", { tokens: "secret" }, { step: "token", status: 200, hint: /IDP_PLAIN_TOKEN_URL/ }],
  [
    "contoso",
    { failures: { userinfo: [403, { error: "insufficient_scope" }] } },
    { step: "userinfo", status: 403, error: "insufficient_scope", hint: /IDP_CONTOSO_SCOPES/ },
  ],
  ["plain", { failures: { userinfo: [404, {}] } }, { step: "userinfo", status: 404, hint: /IDP_PLAIN_USERINFO_URL/ }],
  ["contoso", { claims: { aud: "other" } }, { step: "id_token", status: 200, hint: /IDP_CONTOSO_CLIENT_ID/ }],
  ["contoso", { claims: { exp: 1 } }, { step: "id_token", status: 200, hint: /clock/ }],
  ["contoso", { signature: "wrong" }, { step: "id_token", status: 200, hint: /IDP_CONTOSO_ISSUER/ }],
];

Deno.test("a provider's failure is logged with its step, its answer and the setting to look at", async () => {
  for (const [key, how, { hint: expectedHint, ...expected }] of CASES) {
    const { reason, hint, ...fields } = await fail(key, how);
    const what = JSON.stringify([key, how]);
    ok(reason, what);
    match(hint as string, expectedHint, what);
    deepStrictEqual(
      fields,
      { refusal: "idp_failed", provider: key, host: host(providers[key]), ...expected },
      what,
    );
  }
});

Deno.test("a provider that cannot be reached is logged without a status", async () => {
  await using gone = await startFalseProvider();
  await gone[Symbol.asyncDispose]();
  await using lonely = await openTestApp(gone.env);
  await lonely.client().get("/auth/idp");
  const line = lonely.logLines.find((line) => line.includes('"sign-in failed"'))!;
  const { provider, step, host: shown, status, hint, reason } = JSON.parse(line);
  match(reason, /Connection refused/);
  deepStrictEqual([provider, step, shown, status], ["default", "discovery", host(gone), undefined]);
  match(hint, /IDP_ISSUER.*reach/);
});

Deno.test("what a provider says about an error is shortened, and shows no code and no secret", async () => {
  const description = "x".repeat(500);
  const { errorDescription } = await fail("contoso", {
    failures: { token: [400, { error: "invalid_request", error_description: description }] },
  });
  strictEqual(errorDescription, "x".repeat(200));
  contoso.failures = {};
  const answer = (await fail("contoso", {
    failures: { token: [400, { error: "invalid_request", error_description: "Wrong s3cret: with % signs" }] },
  })).errorDescription;
  strictEqual(answer, "Wrong [redacted]");
});

Deno.test("an address that GitHub withholds is said to the operator and to the person", async () => {
  github.withholdsEmails = true;
  app.logLines.length = 0;
  const { headers } = await signInAt("github", { client: app.client(), consent: github.consent });
  strictEqual(headers.get("Location"), "/login?error=idp_email_withheld&provider=github");
  const { provider, step, status, hint } = logged();
  deepStrictEqual([provider, step, status], ["github", "userinfo", 404]);
  match(hint as string, /user:email.*Email addresses/);
  const page = await (await app.client().get("/login?error=idp_email_withheld&provider=github")).text();
  match(page, /GitHub didn’t tell us your email address/);
});
