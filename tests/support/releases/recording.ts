import { ok, strictEqual } from "node:assert/strict";
import { COMMANDS } from "../../../lib/command_line/commands.ts";
import { runCommand } from "../../../lib/command_line/run.ts";
import { mailedCode, mailedToken, type Registered } from "../app/accounts.ts";
import { startLogin } from "../app/second_factor.ts";
import type { TestApp } from "../app/test_app.ts";
import type { TestClient } from "../app/test_client.ts";
import { quarters } from "../images/pictures.ts";
import { WIDE } from "../uploads/upload_world.ts";
import type { ProviderDoubles } from "./provider_doubles.ts";
import type { Possession } from "./release.ts";

/** An installation that is being filled. */
export interface World {
  app: TestApp;
  providers: ProviderDoubles;
  admin: Registered;
}

/** Creates someone and returns what they have. */
export type Recorder = (world: World, email: string) => Promise<{ id: string; had: Possession[] }>;

/** Returns the address of someone, by what is special about them. */
export function emailOf(name: string): string {
  return `${name.toLowerCase().replaceAll(/[^\w]+/g, "-")}@example.com`;
}

/** Returns the session token of a browser. */
export function sessionOf(client: TestClient): string {
  return client.cookies.get("auth_session")!;
}

/** Sends a request that must succeed, and returns its answer. */
export async function act({ client }: Registered, method: "POST" | "PUT", path: string, body: unknown) {
  const response = await client.send(method, path, body);
  ok(response.ok, `${path}: ${response.status} ${await response.clone().text()}`);
  return await response.json();
}

/** Runs a command of the command line, and returns what it reports to programs. */
export async function command({ services }: TestApp, name: string, input: Record<string, unknown>) {
  const outcome = await runCommand(services, { name, input }, { commands: COMMANDS });
  ok("report" in outcome && !outcome.report.hasFailed, JSON.stringify(outcome));
  return outcome.report.value as Record<string, unknown>;
}

/** Imports a user of another system, and returns their id. */
export async function importUser(
  { app }: World,
  { email, passwordHash = null }: { email: string; passwordHash?: unknown },
): Promise<string> {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, JSON.stringify({ email, name: "Ada", emailVerified: true, passwordHash }));
  await command(app, "users import", { file, dryRun: false });
  await Deno.remove(file);
  const { id } = await app.services.db.selectFrom("users").select("id").where("email", "=", email)
    .executeTakeFirstOrThrow();
  return id;
}

/** Logs in with an emailed code. */
export async function logInWithCode(app: TestApp, email: string): Promise<TestClient> {
  const client = app.client();
  strictEqual((await client.send("POST", "/auth/code", { email })).status, 200);
  const response = await client.send("POST", "/auth/code/verify", { email, code: await mailedCode(app, email) });
  strictEqual(response.status, 200, await response.text());
  return client;
}

/** Logs in with the password and a second step. */
export async function useSecondFactor(app: TestApp, email: string, code: string): Promise<void> {
  const client = await startLogin(app, email);
  strictEqual((await client.send("POST", "/auth/second-factor", { code })).status, 200);
}

/** Creates an account with an identity provider. */
export async function arrive({ app, providers }: World, provider: string, person: Record<string, unknown>) {
  const client = app.client();
  const response = await providers.signIn(app, { provider, person, client });
  strictEqual(response.headers.get("Location"), "/dashboard", await response.text());
  const { user } = await (await client.get("/api/profile")).json();
  const had: Possession[] = [{ kind: "provider", provider, person }];
  return { id: user.id as string, client, had };
}

/** The same, where the browser does not matter. */
export async function comeFrom(world: World, provider: string, person: Record<string, unknown>) {
  const { id, had } = await arrive(world, provider, person);
  return { id, had };
}

/** Asks for the link that starts the removal of a lost factor, and returns its token. */
export async function askForFactorReset(app: TestApp, email: string): Promise<string> {
  const guest = await startLogin(app, email);
  strictEqual((await guest.submit("/second-factor", { action: "lost" })).status, 303);
  return await mailedToken(app, email);
}

/** Starts the wait for this removal, and returns the token that stops it. */
export async function startWait(app: TestApp, email: string): Promise<string> {
  const token = await askForFactorReset(app, email);
  strictEqual((await app.client().submit("/factor-reset", { token })).status, 303);
  return await mailedToken(app, email);
}

/** Reads a file: its path and its SHA-256. */
export async function read(client: TestClient, url: string): Promise<{ path: string; hash: string }> {
  const { pathname, search } = new URL(url);
  const response = await client.get(pathname + search);
  return { path: pathname + search, hash: await hashOf(response) };
}

/** Returns the SHA-256 of the content of a good response, as hexadecimal digits. */
export async function hashOf(response: Response): Promise<string> {
  strictEqual(response.status, 200);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer())).toHex();
}

/** Uploads an image that has smaller copies. */
export async function uploadImage(client: TestClient): Promise<{ url: string; variants: { url: string }[] }> {
  const form = new FormData();
  form.set("type", "avatar");
  const picture = await quarters(undefined, ...WIDE).png().toBuffer();
  form.set("file", new Blob([new Uint8Array(picture)], { type: "image/png" }), "me.png");
  const response = await client.request("/api/upload/image", { method: "POST", body: form });
  strictEqual(response.status, 200, await response.clone().text());
  return await response.json();
}
