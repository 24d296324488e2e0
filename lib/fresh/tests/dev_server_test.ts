import { match, strictEqual } from "node:assert/strict";
import { freePort } from "../../../tests/support/processes/free_port.ts";
import { launch, openPage } from "./browser.ts";
import { app } from "./fixture/main.ts";
import { send } from "./request.ts";

/** Starts the development server and waits until it responds. */
async function startServer(port: number): Promise<Deno.ChildProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${import.meta.dirname}/fixture/dev.ts`, String(port)],
    stdout: "null",
    stderr: "null",
  }).spawn();
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(`http://127.0.0.1:${port}/api`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return child;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Could not reach the development server: port ${port}`);
}

async function stopServer(child: Deno.ChildProcess): Promise<void> {
  child.kill();
  await child.status;
}

Deno.test("the development server shows stack traces and reloads pages", async (t) => {
  const port = freePort();
  let server = await startServer(port);
  const browser = await launch();
  try {
    await t.step("a failed request for a page shows the escaped stack trace", async () => {
      const get = (accept: string) => fetch(`http://127.0.0.1:${port}/thrown`, { headers: { accept } });
      const page = await get("text/html");
      strictEqual(page.status, 500);
      const html = await page.text();
      match(html, /broken &lt;b>[\s\S]*fixture\/main\.ts/);
      strictEqual(await (await get("application/json")).text(), "Internal server error");
    });

    await t.step("a restart of the server reloads the page", async () => {
      const { page } = await openPage(browser);
      const connected = page.waitForResponse(/alive/);
      await page.goto(`http://127.0.0.1:${port}/`);
      await connected;
      await page.evaluate(() => document.title = "before");
      await stopServer(server);
      server = await startServer(port);
      await page.waitForFunction(() => document.title === "Fixture");
      await page.close();
    });
  } finally {
    await browser.close();
    await stopServer(server);
  }
});

Deno.test("production does not show stack traces", async () => {
  const { error: log } = console;
  console.error = () => {};
  const response = await send(app, "GET /thrown", { headers: { accept: "text/html" } });
  console.error = log;
  strictEqual(await response.text(), "Internal server error");
});
