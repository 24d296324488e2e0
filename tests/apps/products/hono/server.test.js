import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, before, test } from "node:test";
import { startFoyer } from "foyer-client/test";

const PORT = "3456";
const product = `http://localhost:${PORT}`;
let foyer, server;

before(async () => {
  foyer = await startFoyer({ users: [{ name: "Ada" }], env: { RETURN_ORIGINS: product } });
  server = spawn("node", ["server.js"], { env: { ...process.env, PORT, FOYER_URL: foyer.url }, stdio: "inherit" });
  while (!(await fetch(product).catch(() => null))?.ok) await new Promise((resolve) => setTimeout(resolve, 50));
});
after(async () => {
  server.kill();
  await foyer.stop();
});

test("someone who is logged in sees their notes", async () => {
  const [ada] = foyer.users;
  const response = await fetch(`${product}/notes`, { headers: { cookie: ada.cookie } });
  assert.match(await response.text(), /Notes of Ada/);
});

test("a guest sees a link to the login, and no notes", async () => {
  const page = await (await fetch(product)).text();
  assert.ok(page.includes(`${foyer.url}/login?next=${encodeURIComponent(`${product}/`)}`), page);
  assert.equal((await fetch(`${product}/notes`)).status, 401);
});

test("the session ends", async () => {
  const [ada] = foyer.users;
  await foyer.forward(31 * 24 * 3600);
  assert.equal((await fetch(`${product}/notes`, { headers: { cookie: ada.cookie } })).status, 401);
});
