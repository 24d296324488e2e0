import { strictEqual } from "node:assert/strict";
import { appCommands } from "../support/app_process.ts";
import { testOnEachEngine } from "../support/engines.ts";

testOnEachEngine("the task migrate ends when the database is up to date", async ({ env }, dataDir) => {
  const { prepare, run } = await appCommands("migrate");
  const { code, stderr } = await new Deno.Command("sh", {
    args: ["-c", `${prepare} && exec timeout 30 ${run}`],
    env: { DENO: Deno.execPath(), DATA_DIR: dataDir, ...env },
    stdin: "null",
  }).output();
  strictEqual(code, 0, new TextDecoder().decode(stderr));
});
