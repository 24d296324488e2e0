import { strictEqual } from "node:assert/strict";
import { cp } from "node:fs/promises";
import { publishedDocument } from "../../lib/api/document.ts";
import { CLIENT_PACKAGE, writeClientPackage } from "../../lib/release/client_package.ts";
import { PASSWORD } from "../support/app/accounts.ts";
import { openAppsWorld } from "../support/apps/apps_world.ts";
import { type RunningProgram, startProgram } from "../support/apps/programs.ts";
import { withPage } from "../support/browser/browser.ts";
import { freePort } from "../support/processes/free_port.ts";

/** The examples of docs/client.md: each is made as its README says, and signs people in with the session of Foyer. */

const ROOT = new URL("../../", import.meta.url);
const PRODUCTS = new URL("products/", import.meta.url);
const ports: Record<string, number> = { express: freePort(), fresh: freePort(), hono: freePort(), next: freePort() };
/** What the READMEs start, without what starts it: a program that is killed leaves its children. */
const PROGRAMS: Record<string, string[]> = {
  express: ["node", "server.js"],
  fresh: [Deno.execPath(), "run", "--allow-net", "--allow-env", "main.ts"],
  hono: ["node", "server.js"],
  next: ["node", "node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1"],
};
const origins = Object.values(ports).map((port) => `http://localhost:${port}`);
const { app, issuer, browser, person } = await openAppsWorld([], { RETURN_ORIGINS: origins.join(" ") });

const folder = await Deno.makeTempDir({ prefix: "foyer-products-" });
const library = `${folder}/${CLIENT_PACKAGE}`;
await writeClientPackage(library, (await publishedDocument(app.services)).text);
/** The longest first: the others are tested meanwhile. */
const made = Object.fromEntries(["next", "hono", "express", "fresh"].map((name) => [name, make(name)]));
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

for (const [name, port] of Object.entries(ports)) {
  Deno.test(`${name}: a guest logs in and comes back, sees their own page, and logs out`, () =>
    withPage(browser, async (page) => {
      const product = `http://localhost:${port}`;
      await using _program = await start(name, port);
      await page.goto(product);
      await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
      await page.goto(`${product}/notes`);
      strictEqual(page.url(), `${issuer}/login?next=${encodeURIComponent(`${product}/notes`)}`);
      await page.getByLabel("Email address").fill(person.email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Log in" }).click();
      await page.getByRole("heading", { name: "Notes of Ada & <Lovelace>" }).waitFor();
      strictEqual(page.url(), `${product}/notes`);
      await page.goto(product);
      await page.getByRole("heading", { name: "Hello, Ada & <Lovelace>" }).waitFor();
      await page.getByRole("link", { name: "Log out" }).click();
      await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
      await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
      strictEqual(new URL(page.url()).origin, product);
    }));
}

/** Makes the folder of a product. Returns its path. */
async function make(name: string): Promise<string> {
  const cwd = `${folder}/${name}`;
  await cp(new URL(name, PRODUCTS), cwd, { recursive: true });
  if (name === "fresh") {
    await useOwnFresh(cwd);
    return cwd;
  }
  await run("npm", ["install", "--no-audit", "--no-fund", "--install-links", library], cwd);
  if (name === "next") await run("npx", ["next", "build"], cwd);
  return cwd;
}

/** The registry of Fresh cannot be reached everywhere, so the product runs on the framework of Foyer. */
async function useOwnFresh(cwd: string): Promise<void> {
  await Deno.symlink(library, `${cwd}/${CLIENT_PACKAGE}`);
  const foyer = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const product = JSON.parse(await Deno.readTextFile(`${cwd}/deno.json`));
  const imports = { ...product.imports };
  for (const [specifier, target] of Object.entries<string>(foyer.imports)) {
    const isOfFresh = /^(fresh|preact|@preact|esbuild)\b/.test(specifier);
    if (isOfFresh) imports[specifier] = target.startsWith("./") ? new URL(target, ROOT).href : target;
  }
  const { compilerOptions } = foyer;
  await Deno.writeTextFile(`${cwd}/deno.json`, JSON.stringify({ ...product, compilerOptions, imports, lock: false }));
}

async function start(name: string, port: number): Promise<RunningProgram> {
  const cwd = await made[name];
  const env = { PORT: String(port), FOYER_URL: issuer };
  const [path, ...args] = PROGRAMS[name];
  return await startProgram({ path, args, cwd, env, port });
}

async function run(command: string, args: string[], cwd: string): Promise<void> {
  const env = { NEXT_TELEMETRY_DISABLED: "1" };
  const { success, stdout, stderr } = await new Deno.Command(command, { args, cwd, env }).output();
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  strictEqual(success, true, `${command} ${args.join(" ")}:\n${output}`);
}
