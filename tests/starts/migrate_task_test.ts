import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { testOnEachEngine } from "../support/database/engines.ts";
import { COMMAND_MAX_MS } from "../support/wait_for.ts";

testOnEachEngine("the task migrate ends when the database is up to date", async ({ env }, dataDir) => {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "migrate"],
    env: { DATA_DIR: dataDir, ...env },
    stdin: "null",
    signal: AbortSignal.timeout(COMMAND_MAX_MS),
  }).output();
  strictEqual(code, 0, new TextDecoder().decode(stderr));
  const folder = new URL("../../db/migrations", import.meta.url);
  const files = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name.replace(".ts", ""));
  const { db, close } = await openDatabase({
    databaseUrl: env.DATABASE_URL,
    directory: `${dataDir}/database`,
    log() {},
  });
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    .finally(close);
  deepStrictEqual(rows.map(({ name }) => name), files.sort());
});
