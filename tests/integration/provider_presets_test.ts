import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { type GithubPerson, noreply, startFakeGithub } from "../support/providers/fake_github.ts";
import { type MicrosoftPerson, startFakeMicrosoft } from "../support/providers/fake_microsoft.ts";
import { consentScreen, signInAt } from "../support/providers/idp.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const github = startFakeGithub();
const microsoft = await startFakeMicrosoft();
Deno.test.afterAll(async () => {
  for (const provider of [github, microsoft]) await provider[Symbol.asyncDispose]();
});
const ENV = { IDP_PROVIDERS: "github microsoft", ...github.env, ...microsoft.env, LOGIN_MAX_ATTEMPTS: "0" };
const app = await openSharedTestApp(ENV);

const GITHUB_REFUSED = "/login?error=idp_email&provider=github";
const GITHUB_FAILED = "/login?error=idp_failed&provider=github";
const MICROSOFT_REFUSED = "/login?error=idp_email&provider=microsoft";
const MICROSOFT_FAILED = "/login?error=idp_failed&provider=microsoft";

/** A person whose only address is private, as most are. */
function octo(id: number, more: Partial<GithubPerson> = {}): GithubPerson {
  const login = `octo-${id}`;
  const primary = { email: `${login}@example.com`, primary: true, verified: true, visibility: "private" as const };
  return { id, login, name: `Octo ${id}`, emails: [primary, noreply({ id, login })], ...more };
}

async function withGithub(person: GithubPerson, client = app.client()): Promise<string | null> {
  github.person = person;
  return (await signInAt("github", { client, consent: github.consent })).headers.get("Location");
}

function employee(sub: string, more: Partial<MicrosoftPerson> = {}): MicrosoftPerson {
  return { tid: microsoft.tenant, sub, name: `Employee ${sub}`, email: `${sub}@contoso.example`, ...more };
}

async function withMicrosoft(person: MicrosoftPerson, client = app.client()): Promise<string | null> {
  microsoft.person = person;
  return (await signInAt("microsoft", { client, consent: microsoft.consent })).headers.get("Location");
}

async function profileOf(client: TestClient) {
  return (await (await client.get("/api/profile")).json()).user;
}

async function usersWith(email: string): Promise<number> {
  return (await app.services.db.selectFrom("users").select("id").where("email", "=", email).execute()).length;
}

Deno.test("GitHub signs people in with their private primary address", async () => {
  const client = app.client();
  github.requests.length = 0;
  strictEqual(await withGithub(octo(1), client), "/dashboard");
  deepStrictEqual(github.requests, ["/login/oauth/access_token", "/user", "/user/emails"]);
  const { email, name, avatar, emailVerified } = await profileOf(client);
  deepStrictEqual([email, name, avatar, emailVerified], [
    "octo-1@example.com",
    "Octo 1",
    "https://avatars.example/u/1",
    true,
  ]);
  const again = app.client();
  strictEqual(await withGithub(octo(1, { login: "renamed" }), again), "/dashboard");
  strictEqual((await profileOf(again)).email, email);
  const url = new URL(await consentScreen(app.client(), "/auth/idp/github"));
  deepStrictEqual([url.searchParams.get("scope"), url.searchParams.get("nonce")], ["read:user user:email", null]);
});

Deno.test("GitHub links the account with the verified primary address, and with no other", async () => {
  const owner = await registerVerifiedUser(app, "owner@example.com");
  const entry = { email: owner.email, primary: false, verified: true, visibility: "public" as const };
  const own = { email: "attacker@example.com", primary: true, verified: true, visibility: null };
  const cases: [emails: GithubPerson["emails"], end: string][] = [
    [[{ ...entry, primary: true, verified: false }], GITHUB_REFUSED],
    [[{ ...entry, verified: false }, { ...own, verified: false }], GITHUB_REFUSED],
    [[entry], GITHUB_REFUSED],
    [[], GITHUB_REFUSED],
    [[entry, own], "/dashboard"],
  ];
  for (const [emails, end] of cases) {
    const client = app.client();
    strictEqual(await withGithub(octo(2, { emails }), client), end, JSON.stringify(emails));
    if (end === "/dashboard") strictEqual((await profileOf(client)).email, own.email);
    else ok(!client.cookies.has("auth_session"));
  }
  const client = app.client();
  strictEqual(
    await withGithub(octo(3, { emails: [own, { ...entry, primary: true }].toReversed() }), client),
    "/dashboard",
  );
  strictEqual((await profileOf(client)).id, owner.id);
});

Deno.test("GitHub's failures are failures", async () => {
  for (const path of ["/user", "/user/emails", "/login/oauth/access_token"]) {
    github.failures = { [path]: 502 };
    strictEqual(await withGithub(octo(4)), GITHUB_FAILED, path);
  }
  github.failures = {};
  const client = app.client();
  const callback = github.consent(await consentScreen(client, "/auth/idp/github"));
  callback.searchParams.set("code", "wrong");
  const { headers } = await client.get(callback.pathname + callback.search);
  strictEqual(headers.get("Location"), GITHUB_FAILED, "an error with the status 200");
  strictEqual(await usersWith("octo-4@example.com"), 0);
  ok(!app.logLines.join("\n").includes("gho_"));
});

Deno.test("IDP_GITHUB_TRUST_EMAIL does not overrule what GitHub denies", async () => {
  await using trusting = await openTestApp({ ...ENV, IDP_GITHUB_TRUST_EMAIL: "true" });
  const [primary] = octo(5).emails;
  strictEqual(
    await withGithub(octo(5, { emails: [{ ...primary, verified: false }] }), trusting.client()),
    GITHUB_REFUSED,
  );
  strictEqual(await withGithub(octo(5), trusting.client()), "/dashboard");
});

Deno.test("Microsoft vouches for an address by xms_edov, and by nothing else", async () => {
  const owner = await registerVerifiedUser(app, "owned@contoso.example");
  const cases: [more: Partial<MicrosoftPerson>, end: string][] = [
    [{}, MICROSOFT_REFUSED],
    [{ xms_edov: false }, MICROSOFT_REFUSED],
    [{ xms_edov: "0" }, MICROSOFT_REFUSED],
    [{ xms_edov: true, email: undefined }, MICROSOFT_REFUSED],
    [{ xms_edov: true }, "/dashboard"],
  ];
  for (const [more, end] of cases) {
    const client = app.client();
    strictEqual(await withMicrosoft(employee("owned", more), client), end, JSON.stringify(more));
    if (end === "/dashboard") strictEqual((await profileOf(client)).id, owner.id);
    else ok(!client.cookies.has("auth_session"));
  }
  const client = app.client();
  strictEqual(await withMicrosoft(employee("new", { xms_edov: "1" }), client), "/dashboard");
  deepStrictEqual((await profileOf(client)).email, "new@contoso.example");
});

Deno.test("IDP_MICROSOFT_TRUST_EMAIL vouches for the addresses of the tenant, except those that it denies", async () => {
  await using trusting = await openTestApp({ ...ENV, IDP_MICROSOFT_TRUST_EMAIL: "true" });
  const cases: [more: Partial<MicrosoftPerson>, end: string][] = [
    [{ xms_edov: false }, MICROSOFT_REFUSED],
    [{ email: undefined }, MICROSOFT_REFUSED],
    [{}, "/dashboard"],
  ];
  for (const [more, end] of cases) strictEqual(await withMicrosoft(employee("t", more), trusting.client()), end);
});

Deno.test("people of another Microsoft tenant are refused, whatever their tokens claim", async () => {
  const owner = await registerVerifiedUser(app, "crossing@contoso.example");
  const foreign = employee("crossing", { tid: crypto.randomUUID(), xms_edov: true });
  const client = app.client();
  strictEqual(await withMicrosoft(foreign, client), MICROSOFT_FAILED);
  ok(!client.cookies.has("auth_session"));
  match(app.logLines.at(-2)!, /"sign-in failed".*"refusal":"idp_failed"/);
  strictEqual(await withMicrosoft({ ...foreign, tid: microsoft.tenant }, client), "/dashboard");
  strictEqual((await profileOf(client)).id, owner.id);
});

Deno.test("one person with two providers has one account, and each provider knows its own subject", async () => {
  const client = app.client();
  strictEqual(await withMicrosoft(employee("both", { xms_edov: true }), client), "/dashboard");
  const email = "both@contoso.example";
  const person = octo(6, { emails: [{ email, primary: true, verified: true, visibility: null }] });
  const other = app.client();
  strictEqual(await withGithub(person, other), "/dashboard");
  strictEqual((await profileOf(other)).id, (await profileOf(client)).id);
  const { data } = await (await client.get("/api/account/identities")).json();
  deepStrictEqual(data.map(({ provider, name }: Record<string, string>) => [provider, name]), [
    ["microsoft", "Microsoft"],
    ["github", "GitHub"],
  ]);
  strictEqual(await withGithub({ ...person, id: 7 }), GITHUB_REFUSED, "another person with the address");
});
