import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { register } from "../support/processes/process_session.ts";
import { waitFor } from "../support/wait_for.ts";

await buildApp();

Deno.test("AUDIT_LOG gets each event, and a file that cannot be written stops the start", async () => {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/audit.jsonl`;
  const start = (path: string, awaitReady: boolean): Promise<AppProcess> =>
    startApp({ dataDir: `${folder}/data`, env: { AUDIT_LOG: path } }, { awaitReady });
  const lines = async () => (await Deno.readTextFile(file)).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  {
    await using app = await start(file, true);
    await register(app, "ada@example.com");
    await waitFor("the events", async () => (await lines()).length >= 2);
    deepStrictEqual((await lines()).map(({ kind }) => kind), ["user.registered", "session.started"]);
    strictEqual((await Deno.stat(file)).mode! & 0o777, 0o600);
  }
  await using app = await start(`${folder}/missing/audit.jsonl`, false);
  strictEqual(await app.ended, 1);
  match(app.output(), /AUDIT_LOG: cannot write .*Example: AUDIT_LOG=stdout/);
  await Deno.remove(folder, { recursive: true });
});
