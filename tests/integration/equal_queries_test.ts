import { strictEqual } from "node:assert/strict";
import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { waitFor } from "../support/wait_for.ts";

const app = await openSharedTestApp({ LIMIT_TOKEN: "600/60" });
let queries = 0;
app.services.db = app.services.db.withPlugin({
  transformQuery: ({ node }) => node,
  transformResult({ result }) {
    queries++; // here, because prepared queries are not transformed
    return Promise.resolve(result);
  },
});

const token = "wrong";
const verified = await registerVerifiedUser(app, "verified@example.com");
const unverified = await registerUser(app, "unverified@example.com");

/** Counts the queries of a request. */
async function queriesOf(request: Promise<Response>, status: number): Promise<number> {
  queries = 0;
  strictEqual((await request).status, status);
  return queries;
}

/**
 * Requests wait for one another's queries, above all on the embedded database: another request, sent at the same time,
 * could measure them. These routes are not limited, so it could do so often.
 */
for (const [path, fields] of [["reset-password", { password: "Another-horse-8" }], ["verify-email", {}]] as const) {
  Deno.test(`/auth/${path} takes the same queries for known and unknown addresses`, async () => {
    const count = (email: string) =>
      queriesOf(app.client().send("POST", `/auth/${path}`, { email, token, ...fields }), 400);
    const expected = await count("nobody@example.com");
    for (const { email } of [verified, unverified]) strictEqual(await count(email), expected, email);
  });

  Deno.test(`/${path} takes the same queries for known and unknown addresses`, async () => {
    const count = (email: string) =>
      queriesOf(app.client().get(`/${path}?${new URLSearchParams({ email, token })}`), 200);
    const expected = await count("nobody@example.com");
    strictEqual(expected, 1);
    for (const { email } of [verified, unverified]) strictEqual(await count(email), expected, email);
  });
}

Deno.test("GET /api/profile takes one query, with a cookie and with an API token", async () => {
  const { headers } = await createToken(verified.client);
  await app.client().get("/api/profile", headers);
  await waitFor("the first use", async () => {
    const { data } = await (await verified.client.get("/api/tokens")).json();
    return data[0].lastUsedAt;
  });
  strictEqual(await queriesOf(verified.client.get("/api/profile"), 200), 1);
  strictEqual(await queriesOf(app.client().get("/api/profile", headers), 200), 1);
  const mistyped = { Authorization: headers.Authorization.replace(/.$/, (last) => last === "0" ? "1" : "0") };
  strictEqual(await queriesOf(app.client().get("/api/profile", mistyped), 401), 0, "the checksum is wrong");
});
