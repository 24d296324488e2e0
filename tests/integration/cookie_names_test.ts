import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const provider = {
  IDP_AUTH_URL: "https://id.example/authorize",
  IDP_TOKEN_URL: "https://id.example/token",
  IDP_USERINFO_URL: "https://id.example/me",
  IDP_CLIENT_ID: "foyer",
};
const app = await openSharedTestApp({ BASE_URL: "https://foyer.example", LOGIN_MAX_ATTEMPTS: "0", ...provider });

/** Cookies whose names are prescribed. Source: docs/rules.md, Session cookie; docs/api.md. */
const PRESCRIBED = ["auth_session", "idp_oauth_state", "idp_code_verifier", "idp_nonce", "second_factor"];
const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };

function login(client: TestClient, email: string): Promise<Response> {
  return logIn(client, email);
}

/** Whether the last sign-in of the user sent an alert about a new device. */
async function wasNewDevice(userId: string): Promise<unknown> {
  const { details } = await app.services.db.selectFrom("events").select("details").where("user_id", "=", userId)
    .where("kind", "=", "session.started").orderBy("id", "desc").executeTakeFirstOrThrow();
  return details.newDevice;
}

Deno.test("on an https site, no sibling site can plant a cookie whose name nothing prescribes", async () => {
  const { client, email } = await registerVerifiedUser(app, "names@example.com");
  const token = { tokenName: "Nightly backup", "profile:read": "on", "uploads:read": "on", expiresInDays: "30" };
  const responses = [
    await login(client, email),
    await client.submit("/settings/tokens/new", token),
    await client.submit("/settings/profile", { name: "Ada" }),
    await app.client().submit("/forgot-password", { email }),
    await app.client().get("/auth/idp"),
    await app.client().get("/dashboard", CROSS_SITE),
  ];
  const lines = responses.flatMap(({ headers }) => headers.getSetCookie());
  const set = lines.filter((line) => !line.includes("Max-Age=0;"));
  for (const line of set) {
    if (PRESCRIBED.some((name) => line.startsWith(`${name}=`))) continue;
    match(line, /^__Host-\w+[\w-]*=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=(Lax|Strict)$/);
  }
  for (const name of ["device", "last_used", "shown_once", "notice", "idp_attempt_", "same_site_hop"]) {
    ok(set.some((line) => line.startsWith(`__Host-${name}`)), `${name} is set by one of these requests`);
  }
});

Deno.test("on an https site, a cookie without the prefix is ignored", async () => {
  const client = app.client();
  for (const [name, expected] of [["notice", false], ["__Host-notice", true]] as const) {
    const page = await readPage(client.get("/login", { Cookie: `${name}=password_saved` }));
    strictEqual(page.notice !== null, expected, name);
    client.cookies.clear();
  }
  const hop = await client.get("/dashboard", CROSS_SITE);
  const value = client.cookies.get("__Host-same_site_hop")!;
  client.cookies.clear();
  client.cookies.set("same_site_hop", value);
  deepStrictEqual([hop.status, (await client.get("/dashboard", CROSS_SITE)).status], [200, 200], "it hops again");
});

Deno.test("a browser that was known by a device cookie without the prefix stays known, and gets the new name", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "renamed@example.com");
  const device = client.cookies.get("__Host-device")!;
  client.cookies.delete("__Host-device");
  client.cookies.set("device", device);
  await login(client, email);
  strictEqual(await wasNewDevice(id), false);
  deepStrictEqual([client.cookies.get("device"), client.cookies.get("__Host-device")], [undefined, device]);
  client.cookies.set("device", "x".repeat(43));
  await login(client, email);
  strictEqual(await wasNewDevice(id), false, "a planted cookie does not shadow the right one");
});
