import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { hashPassword } from "../../lib/crypto/password.ts";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { logIn, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signedIn } from "../support/providers/idp.ts";
import { readValidPage } from "../support/browser/markup.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { statusAndCode, type TestClient } from "../support/app/test_client.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({ ...provider.env, IDP_NAME: "Contoso" });
const { db } = app.services;
const PATH = "/api/account/identities";
const PAGE = "/settings/sign-in-methods";
const NO_ID = "019bd000-0000-7000-8000-000000000000";

const person = (sub: string) => ({ sub, email: `${sub}@example.com`, email_verified: true, name: "Ada" });
const passwordHash = await hashPassword(PASSWORD, { iterations: 100_000, owner: "test" });

/** Signs in with the provider, to an account that also has a password. */
async function signedInWithPassword(sub: string) {
  const { client, user } = await signedIn(app, provider, person(sub));
  await db.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", user.id).execute();
  return { client, id: user.id as string, email: user.email as string };
}

/** Removes the identity with an id, by default the only one. */
async function unlink(client: TestClient, id?: string): Promise<Response> {
  const [identity] = await identities(client);
  return await client.request(`${PATH}/${id ?? identity?.id ?? NO_ID}`, { method: "DELETE" });
}

async function identities(client: TestClient): Promise<{ id: string }[]> {
  return (await (await client.get(PATH)).json()).data ?? [];
}

Deno.test("the linked identity is listed", async () => {
  const { client } = await signedIn(app, provider, person("listed"));
  const [{ id, ...rest }, ...others] = await identities(client);
  deepStrictEqual([rest, others], [{ provider: "default", name: "Contoso", email: "listed@example.com" }, []]);
  match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const { data } = await (await client.get("/api/account")).json();
  deepStrictEqual(data.identities, [{ id, ...rest }]);
  const other = await registerVerifiedUser(app, "unlinked@example.com");
  deepStrictEqual(await identities(other.client), []);
  strictEqual((await app.client().get(PATH)).status, 401);
});

Deno.test("unlinking removes the identity, once, and records it", async () => {
  const { client, id, email } = await signedInWithPassword("leaving");
  strictEqual((await unlink(client)).status, 204);
  deepStrictEqual(await identities(client), []);
  deepStrictEqual(await statusAndCode(await unlink(client)), [404, "NOT_FOUND"]);
  const events = await db.selectFrom("events").select("details")
    .where("user_id", "=", id).where("kind", "=", "identity.unlinked").execute();
  deepStrictEqual(events.map(({ details }) => details), [{ provider: "default" }]);
  const { user } = await (await logIn(app.client(), email)).json();
  strictEqual(user.provider, "email");
});

Deno.test("a person who signs in with the provider again gets the same account", async () => {
  const { client, id } = await signedInWithPassword("returning");
  strictEqual((await unlink(client)).status, 204);
  const { user } = await signedIn(app, provider, person("returning"));
  strictEqual(user.id, id);
});

Deno.test("the only way to log in stays", async () => {
  const { client } = await signedIn(app, provider, person("only"));
  deepStrictEqual(await statusAndCode(await unlink(client)), [409, "LAST_SIGN_IN_METHOD"]);
  strictEqual((await identities(client)).length, 1);
});

Deno.test("unlinking needs a session, an identity of one's own and a recent proof", async () => {
  const { client } = await signedInWithPassword("proving");
  strictEqual((await unlink(app.client())).status, 401);
  deepStrictEqual(await statusAndCode(await unlink(client, NO_ID)), [404, "NOT_FOUND"]);
  app.advance(15 * MINUTE_SECONDS + 1);
  deepStrictEqual(await statusAndCode(await unlink(client)), [403, "REAUTHENTICATION_REQUIRED"]);
  strictEqual((await identities(client)).length, 1);
});

Deno.test("of fifty concurrent requests to unlink, exactly one succeeds", async () => {
  const { client } = await signedInWithPassword("raced");
  const [{ id }] = await identities(client);
  const statuses = (await Promise.all(Array.from({ length: 50 }, () => unlink(client, id)))).map(({ status }) =>
    status
  );
  deepStrictEqual(statuses.toSorted(), [204, ...Array(49).fill(404)]);
});

Deno.test("the page lists how to log in, and offers to remove only what is not the last way", async () => {
  const page = (client: TestClient) => readValidPage(client.get(PAGE));
  const only = await page((await signedIn(app, provider, person("page-only"))).client);
  match(only.text, /You have no password yet.*Add password.*your only way to log in/);
  ok(!only.html.includes("Disconnect Contoso"));
  const both = await page((await signedInWithPassword("page-both")).client);
  for (const offered of ["Change password", "Disconnect Contoso"]) ok(both.link(offered));
  const { client } = await registerVerifiedUser(app, "page-none@example.com");
  const none = await page(client);
  match(none.text, /Not connected\./);
  ok(none.link("Connect Contoso"));
  strictEqual((await client.get(`${PAGE}/remove`)).headers.get("Location"), PAGE);
});

Deno.test("the page removes the identity after a proof, and says so", async () => {
  const { client } = await signedInWithPassword("page-leaving");
  const remove = `${PAGE}/remove`;
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await client.get(remove)).headers.get("Location"), `/reauthenticate?next=${encodeURIComponent(remove)}`);
  const expired = await client.submit(remove, {});
  strictEqual(expired.status, 403);
  const page = await readValidPage(expired);
  ok(page.fieldNames.includes("proof_password"));
  const done = await client.submit(remove, { proof_password: PASSWORD });
  deepStrictEqual([done.status, done.headers.get("Location")], [303, PAGE]);
  match(await (await client.get(PAGE)).text(), /Account disconnected/);
  deepStrictEqual(await identities(client), []);
});

Deno.test("an account without a password that submits the page keeps its identity", async () => {
  const { client } = await signedIn(app, provider, person("page-stubborn"));
  const response = await client.submit(`${PAGE}/remove`, {});
  strictEqual(response.status, 409);
  match(await response.text(), /This is your only way to log in\. Add another one first/);
  strictEqual((await identities(client)).length, 1);
});
