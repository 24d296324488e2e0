import { strictEqual } from "node:assert/strict";
import { registerUser, registerVerifiedUser } from "../support/accounts.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp();
let queries = 0;
app.services.db = app.services.db.withPlugin({
  transformQuery({ node }) {
    queries++;
    return node;
  },
  transformResult: ({ result }) => Promise.resolve(result),
});

const token = "wrong";
const verified = await registerVerifiedUser(app, "verified@example.com");
const unverified = await registerUser(app, "unverified@example.com");

/**
 * Requests wait for one another's queries, above all on the embedded database: another request, sent at the same time,
 * could measure them. These routes are not limited, so it could do so often.
 */
for (const [path, fields] of [["reset-password", { password: "Another-horse-8" }], ["verify-email", {}]] as const) {
  Deno.test(`/auth/${path} takes the same queries for known and unknown addresses`, async () => {
    const count = async (email: string) => {
      queries = 0;
      const response = await app.client().send("POST", `/auth/${path}`, { email, token, ...fields });
      strictEqual(response.status, 400);
      return queries;
    };
    const expected = await count("nobody@example.com");
    for (const { email } of [verified, unverified]) strictEqual(await count(email), expected, email);
  });
}
