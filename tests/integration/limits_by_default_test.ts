import { deepStrictEqual } from "node:assert/strict";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { policyOf } from "../../lib/limits/policy.ts";
import { exampleBody } from "../support/api/entries.ts";
import { imageForm, LIMITED_FORMS } from "../support/api/limited_forms.ts";
import { handlersUnder, type RouteHandler } from "../support/api/route_handlers.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { CLIENTS, RESOURCES } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { NO_LIMITS } from "../support/app/no_limits.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const ONE_REQUEST = Object.fromEntries(
  Object.keys(NO_LIMITS).filter((name) => name.startsWith("LIMIT_")).map((name) => [name, "1/3600"]),
);
const app = await openSharedTestApp({
  ...ONE_REQUEST,
  LIMIT_LOGIN: "1/3600",
  LIMIT_TOKEN: "off",
  SIGN_IN_CODES: "true",
  TOKEN_AUDIENCES: "https://wiki.example.com",
  CLIENTS_FILE: await writeClientsFile(CLIENTS, RESOURCES),
});
const handlers = await handlersUnder("routes");

Deno.test("every route and form that is not a read counts under a policy, or says why it does not", () => {
  const writes = handlers.filter(({ key }) => !key.startsWith("GET "));
  deepStrictEqual(writes.filter(({ limit }) => limit === undefined).map(({ key }) => key), []);
  deepStrictEqual(writes.length > 50, true, "the walk has found the routes and the forms");
});

const counted = handlers.filter(({ limit }) => policyOf(limit) !== undefined);

for (const { key } of counted.filter(isForm)) {
  Deno.test(`the form ${key} counts under the limit that it declares`, async () => {
    const client = await verifiedClient(key);
    const { fields: constant, path, userField } = LIMITED_FORMS[key] ?? { fields: {} };
    const fields = userField === undefined ? constant : { ...constant, [userField]: await idOf(client) };
    const targets: string[] = [];
    for (let i = 0; i < 2; i++) {
      targets.push(await path?.(client) ?? key.slice("POST ".length));
      await forgetRequests();
    }
    const statuses: number[] = [];
    for (const target of targets) statuses.push((await client.submit(target, fields)).status);
    deepStrictEqual(statuses.map((status) => status === 429), [false, true], `${statuses}`);
  });
}

for (const { key } of counted.filter((handler) => !isForm(handler))) {
  Deno.test(`the endpoint ${key} counts under the limit that it declares`, async () => {
    const client = await verifiedClient(key);
    await forgetRequests();
    // Without a proof, the first request does not close the account.
    if (key === "DELETE /api/account") app.advance(HOUR_SECONDS / 2);
    const statuses = [await sendExample(client, key), await sendExample(client, key)];
    deepStrictEqual(statuses.map((status) => status === 429), [false, true], `${statuses}`);
  });
}

Deno.test("right proofs, which do not count as proofs, count as writes", async () => {
  const { client } = await registerVerifiedUser(app, "right@example.com");
  await forgetRequests();
  const prove = () => client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  deepStrictEqual([(await prove()).status, (await prove()).status], [200, 429]);
});

function isForm({ key, entry }: RouteHandler): boolean {
  return entry === undefined && key.startsWith("POST ");
}

/** A client at an address of its own, with the session of a user of its own, or what the form requires instead. */
async function verifiedClient(key: string): Promise<TestClient> {
  const { client, email } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
  if (/ (\/api)?\/admin\//.test(key)) await makeAdmin(email);
  if (key === "POST /second-factor") {
    await enableTotp(app, client);
    return await startLogin(app, email);
  }
  return /^POST \/(login|register)/.test(key) ? app.client() : client;
}

async function idOf(client: TestClient): Promise<string> {
  return (await (await client.get("/api/profile")).json()).user.id;
}

async function makeAdmin(email: string): Promise<void> {
  await app.services.db.updateTable("users").set({ role: "admin" }).where("email", "=", email).execute();
}

async function forgetRequests(): Promise<void> {
  await app.services.db.deleteFrom("rate_limits").execute();
}

async function sendExample(client: TestClient, key: string): Promise<number> {
  const [method, path] = key.split(" ");
  const body = key === "POST /api/upload/image" ? await imageForm() : bodyOf(key);
  // Only wrong client authentications count.
  if (key.startsWith("POST /oauth/")) {
    return (await client.request(path, { method, body: new URLSearchParams({ client_id: "nobody" }) })).status;
  }
  const target = path.replaceAll(/\{\w+\}/g, crypto.randomUUID());
  const headers: HeadersInit = typeof body === "string" ? { "Content-Type": "application/json" } : {};
  return (await client.request(target, { method, body, headers })).status;
}

function bodyOf(key: string): string | undefined {
  const body = exampleBody(key);
  return body === undefined ? undefined : JSON.stringify(body);
}
