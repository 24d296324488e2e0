import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ENTRIES } from "../support/api/entries.ts";
import type { Entry } from "../../lib/api/entry.ts";
import { logIn, registerVerifiedUser } from "../support/app/accounts.ts";
import { DEMANDED, makeOverdue } from "../support/app/second_factor.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", ...DEMANDED });
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

/** What a session may do that waits until its person has set up a second factor. */
const ALLOWED_WHILE_WAITING = [
  "/api/account/restore",
  "/api/passkeys",
  "/api/passkeys/options",
  "/api/totp",
  "/api/totp/confirm",
  "/auth/logout",
  "/auth/reauthenticate",
  "/auth/reauthenticate/code",
  // An account may be closing too.
  "/keep-account",
  "/language",
  "/logout",
  "/oauth/logout",
  "/reauthenticate",
  "/settings/sign-in-methods/authenticator",
  "/settings/sign-in-methods/authenticator/confirm",
  "/settings/sign-in-methods/passkeys/add",
  "/settings/sign-in-methods/required",
];

/** Routes that do not act for the session, or that check the account themselves. */
const WITHOUT_SESSION = [
  "/.well-known/jwks.json",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-protected-resource",
  "/.well-known/openid-configuration",
  "/api/health",
  "/api/health/live",
  "/api/health/ready",
  "/api/openapi.json",
  "/api/users",
  "/api/users/:id",
  "/app-logos/:client",
  "/auth/check",
  "/auth/code",
  "/auth/code/link",
  "/auth/code/verify",
  "/auth/confirm-email",
  "/auth/forgot-password",
  "/auth/idp",
  "/auth/idp/:key",
  "/auth/idp/:key/callback",
  "/auth/idp/apple/callback",
  "/auth/idp/callback",
  "/auth/link",
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
  // It does not exist without apps. Its own tests have a closing account.
  "/device",
  "/docs",
  "/docs/:path",
  "/factor-reset",
  "/files/:key",
  "/forgot-password",
  "/llms.txt",
  "/login-link",
  "/login-once",
  "/not-me",
  "/oauth/authorize",
  "/oauth/device_authorization",
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

/**
 * Sends every method to every route, and returns the paths that do not refuse it.
 *
 * @param isRefused whether a response refuses, or leads to the page that helps.
 * @param restore brings the account and the session back into their state: some routes change it.
 */
async function openPaths(
  client: TestClient,
  { isRefused, restore, check = () => {} }: {
    isRefused: (response: Response) => Promise<boolean>;
    restore: () => Promise<void>;
    check?: (method: string, path: string, isRefused: boolean) => void;
  },
): Promise<string[]> {
  await restore();
  const open = new Set<string>();
  for (const path of (await routePaths()).map(urlOf).sort()) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const response = await client.request(path, { method, headers: { Origin: app.services.config.baseUrl } });
      const { status } = response;
      const refused = await isRefused(response);
      if (!refused) open.add(path);
      check(method, path, refused);
      if (!refused && status < 400) await restore();
    }
  }
  return [...open].sort();
}

function refusedWith(code: string, page: string): (response: Response) => Promise<boolean> {
  return async (response) =>
    response.status === 403 && (await response.text()).includes(code) ||
    response.headers.get("Location")?.startsWith(page) === true;
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
  const open = await openPaths(client, {
    isRefused: refusedWith("ACCOUNT_CLOSING", "/keep-account"),
    restore: reset,
    check(method, path, isRefused) {
      const entry = entryOf(method, path);
      if (entry !== undefined) strictEqual(isRefused, entry.whileClosing === "refused", `${method} ${path}`);
    },
  });
  deepStrictEqual(open, [...ALLOWED, ...WITHOUT_SESSION].sort());
  strictEqual((await client.request("/api/account", { method: "DELETE" })).status, 403, "only GET");
  strictEqual((await client.send("POST", "/api/users", { name: "Guest", email: "guest@example.com" })).status, 403);
});

Deno.test("a session that waits for a second factor can only set one up, prove who it is and log out", async () => {
  const { client, id, email } = await registerVerifiedUser(app, "waiting@example.com");
  await makeOverdue(app, id);
  const isWaiting = refusedWith("SECOND_FACTOR_SETUP_REQUIRED", "/settings/sign-in-methods/required");
  const open = await openPaths(client, {
    // A method that a route does not have acts for no one.
    isRefused: async (response) => response.status === 405 || await isWaiting(response),
    restore: async () => strictEqual((await logIn(client, email)).status, 200),
  });
  deepStrictEqual(open, [...ALLOWED_WHILE_WAITING, ...WITHOUT_SESSION].sort());
});
