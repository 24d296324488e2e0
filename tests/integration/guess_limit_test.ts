import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { mailedToken, registerUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LIMIT_GUESS: "2/900", LIMIT_REGISTER: "2/3600" });
const EMAIL = "nobody@example.com";
const WRONG = "W".repeat(43);

async function guess(client: TestClient, token = WRONG, email = EMAIL): Promise<number> {
  return (await client.send("POST", "/auth/verify-email", { email, token })).status;
}

Deno.test("wrong tokens of emailed links count per client address, right ones do not", async () => {
  const { client, email } = await registerUser(app, "verifier@example.com");
  const token = await mailedToken(app, email);
  strictEqual(await guess(client), 400);
  const right = await client.send("POST", "/auth/verify-email", { email, token });
  deepStrictEqual([right.status, right.headers.get("RateLimit")], [200, '"guess";r=1;t=900']);
  strictEqual(await guess(client), 400);
  deepStrictEqual([await guess(client), await guess(client)], [429, 429]);
  const page = await client.submit("/reset-password", { email, token: WRONG, password: "Correct-horse-8" });
  strictEqual(page.status, 429, "the forms and all links share the limit");
  strictEqual(await guess(app.client()), 400, "another address goes on");
  app.advance(15 * MINUTE_SECONDS);
  strictEqual(await guess(client), 400);
});

Deno.test("no more concurrent guesses than the limit are judged", async () => {
  const client = app.client();
  const statuses = await Promise.all(Array.from({ length: 8 }, () => guess(client)));
  deepStrictEqual(statuses.filter((status) => status === 400).length <= 2, true, `${statuses}`);
});

Deno.test("IPv6 addresses count by /64, and by /48 with ten times the quota", async () => {
  strictEqual(await guess(app.client("2001:db8:1:ffff::1")), 400);
  strictEqual(await guess(app.client("2001:db8:1:ffff::2")), 400);
  const refused = await app.client("2001:db8:1:ffff:1:2:3:4").send("POST", "/auth/not-me", { token: WRONG });
  deepStrictEqual([refused.status, refused.headers.get("RateLimit")], [429, '"guess";r=0;t=900']);

  for (let network = 1; network <= 18; network++) {
    strictEqual(await guess(app.client(`2001:db8:1:${network}::1`)), 400, `network ${network}`);
  }
  strictEqual(await guess(app.client("2001:db8:1:99::1")), 429);
  strictEqual(await guess(app.client("2001:db8:2:99::1")), 400, "another site goes on");
});

Deno.test("a policy that counts every request counts by /48 too", async () => {
  const register = async (network: number) => {
    const body = { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password: "Correct-horse-7" };
    return (await app.client(`2001:db8:3:${network}::1`).send("POST", "/auth/register", body)).status;
  };
  for (let network = 0; network < 20; network++) strictEqual(await register(network), 201);
  strictEqual(await register(20), 429);
});
