import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ENTRIES } from "../support/api/entries.ts";
import type { Entry } from "../../lib/api/entry.ts";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { db } = app.services;
const ROUTES = new URL("../../routes/", import.meta.url);

/** What the session of a closing account may do. */
const ALLOWED = [
  "/api/account",
  "/api/account/export",
  "/api/account/restore",
  "/auth/logout",
  "/auth/reauthenticate",
  "/auth/reauthenticate/code",
  "/keep-account",
  // It decides in which language the page says how to keep the account.
  "/language",
  "/logout",
  "/oauth/logout",
  "/reauthenticate",
  "/settings/data/export",
];

/** Routes that do not act for the session, or that check the account themselves. */
const WITHOUT_SESSION = [
  "/.well-known/jwks.json",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/api/health",
  "/api/health/live",
  "/api/health/ready",
  "/api/openapi.json",
  "/api/users",
  "/api/users/:id",
  "/auth/check",
  "/auth/code",
  "/auth/code/verify",
  "/auth/confirm-email",
  "/auth/forgot-password",
  "/auth/idp",
  "/auth/idp/:key",
  "/auth/idp/:key/callback",
  "/auth/idp/callback",
  "/auth/login",
  "/auth/not-me",
  "/auth/passkey",
  "/auth/passkey/options",
  "/auth/register",
  "/auth/resend-verification",
  "/auth/reset-password",
  "/auth/second-factor",
  "/auth/verify-email",
  "/brand/:file",
  "/confirm-email",
  "/dev/clock",
  "/dev/mails",
  "/docs",
  "/docs/:path",
  "/factor-reset",
  "/files/:key",
  "/forgot-password",
  "/llms.txt",
  "/not-me",
  "/oauth/authorize",
  "/oauth/introspect",
  "/oauth/revoke",
  "/oauth/token",
  "/oauth/userinfo",
  "/reset-password",
  "/second-factor",
  "/site.webmanifest",
  "/stop-factor-reset",
  "/verify-email",
];

/** The paths of all route files, with `:name` for a parameter. */
async function routePaths(folder = ROUTES): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (name.startsWith("_") || name === "(_components)") continue;
    if (isDirectory) paths.push(...await routePaths(new URL(`${name}/`, folder)));
    else paths.push(decodeURIComponent(new URL(name, folder).pathname.slice(ROUTES.pathname.length)));
  }
  return paths;
}

function urlOf(path: string): string {
  const url = `/${path}`.replace(/\.tsx?$/, "").replaceAll(/\/\([^)]*\)/g, "").replace(/\/index$/, "");
  return url.replaceAll(/\[(?:\.\.\.)?(\w+)\]/g, ":$1") || "/";
}

function entryOf(method: string, path: string): Entry | undefined {
  const parameter = path.startsWith("/files/") ? "{$1*}" : "{$1}";
  return ENTRIES[`${method} ${path.replaceAll(/:(\w+)/g, parameter)}`];
}

Deno.test("the session of a closing account can only keep or export it, reauthenticate and log out", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "closing@example.com");
  await client.request("/api/account", { method: "DELETE" });
  const { deletion_due_at: dueAt } = await db.selectFrom("users").select("deletion_due_at").where("id", "=", id)
    .executeTakeFirstOrThrow();
  // Some routes end the session or keep the account.
  const reset = async () => {
    await db.updateTable("users").set({ deletion_due_at: dueAt }).where("id", "=", id).execute();
    strictEqual((await logIn(client, email)).status, 200);
  };
  await reset();
  const open = new Set<string>();
  for (const path of (await routePaths()).map(urlOf).sort()) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const response = await client.request(path, { method, headers: { Origin: app.services.config.baseUrl } });
      const isRefused = response.status === 403 && (await response.text()).includes("ACCOUNT_CLOSING");
      const isLed = response.headers.get("Location")?.startsWith("/keep-account") === true;
      if (!isRefused && !isLed) open.add(path);
      const entry = entryOf(method, path);
      if (entry !== undefined) strictEqual(isRefused, entry.whileClosing === "refused", `${method} ${path}`);
      if (!isRefused && !isLed && response.status < 400) await reset();
    }
  }
  deepStrictEqual([...open].sort(), [...ALLOWED, ...WITHOUT_SESSION].sort());
  strictEqual((await client.request("/api/account", { method: "DELETE" })).status, 403, "only GET");
  strictEqual((await client.send("POST", "/api/users", { name: "Guest", email: "guest@example.com" })).status, 403);
});
