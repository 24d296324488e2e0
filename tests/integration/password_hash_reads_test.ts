import { ok, strictEqual } from "node:assert/strict";
import { signInWithIdp } from "../../lib/sign_in/providers/idp_login.ts";
import { mailedToken, PASSWORD, registerUser } from "../support/app/accounts.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const email = "ada@example.com";
/** The requests whose queries returned a password hash. */
const readers = new Set<string>();
let running = "";

app.services.db = app.services.db.withPlugin({
  transformQuery: ({ node }) => node,
  transformResult({ result }) {
    const hasHash = result.rows.some((row) => Object.values(row).some(isPasswordHash));
    if (hasHash) readers.add(running);
    return Promise.resolve(result);
  },
});

function isPasswordHash(value: unknown): boolean {
  return typeof value === "string" && /^\d+:[A-Za-z0-9+/=]+:[A-Za-z0-9+/=]+$/.test(value);
}

async function run(name: string, work: () => Promise<unknown>): Promise<void> {
  running = name;
  await work();
}

Deno.test("a password hash leaves the database only where a password is checked", async () => {
  let person!: Awaited<ReturnType<typeof registerUser>>;
  await run("registration", async () => person = await registerUser(app, email));
  const { client, id } = person;
  const request = async (name: string, send: () => Promise<Response>) => {
    await run(name, async () => {
      const response = await send();
      ok(response.status < 400, `${name}: ${response.status} ${await response.text()}`);
    });
  };
  const get = (path: string) => request(`GET ${path}`, () => client.get(path));
  const send = (method: "POST" | "PUT", path: string, body: Record<string, unknown>) =>
    request(`${method} ${path}`, () => client.send(method, path, body));
  await send("POST", "/auth/resend-verification", { email });
  await send("POST", "/auth/verify-email", { email, token: await mailedToken(app, email) });
  for (const path of ["/", "/dashboard", "/profile", "/uploads", "/users", `/users/${id}`]) await get(path);
  for (const path of ["/api/profile", "/api/users", `/api/users/${id}`]) await get(path);
  await send("PUT", "/api/profile", { bio: "Countess" });
  await send("POST", "/auth/forgot-password", { email });
  // Read now: the alerts that follow carry tokens too.
  const resetToken = await mailedToken(app, email);
  const identity = {
    provider: "default",
    subject: "https://idp.example ada",
    email,
    emailVerified: true,
    name: "Ada",
    picture: null,
    groups: null,
  };
  for (const turn of ["links the account", "finds the account"]) {
    await run(`identity provider ${turn}`, () => signInWithIdp(app.services, identity, SOME_CLIENT));
  }
  strictEqual([...readers].join(", "), "");

  await send("POST", "/auth/login", { email, password: PASSWORD });
  await send("POST", "/auth/reset-password", { email, token: resetToken, password: "Another-horse-8" });
  strictEqual([...readers].join(", "), "POST /auth/login");
});
