import { ok } from "node:assert/strict";
import { peakMemoryOf } from "../support/database/backup_commands.ts";
import { writeAccounts } from "../support/database/backups.ts";
import { testOnEachEngine } from "../support/database/engines.ts";

const MEBIBYTE = 1024 * 1024;
/** Enough for the garbage that the runtime lets pile up: with more accounts, there is hardly more of it. */
const FEW = 9_000;
const MANY = 24_000;
/** Makes the rows of many accounts as large as those of tens of thousands. */
const BIO_CHARACTERS = 12_000;
/** Holding the rows of the other accounts once would take more, on top of the garbage. */
const GROWTH_MAX_BYTES = 140 * MEBIBYTE;

testOnEachEngine("the memory of an import and an export does not grow with the accounts", async (engine, folder) => {
  const peaks: number[][] = [];
  for (const count of [FEW, MANY]) {
    const file = `${folder}/${count}.tar`;
    await writeAccounts(file, { count, bio: "b".repeat(BIO_CHARACTERS) });
    const env: Record<string, string> = { DATA_DIR: `${folder}/${count}`, ...engine.env };
    if (engine.env.DATABASE_URL) env.DATABASE_URL = await createDatabase(engine.env.DATABASE_URL, `accounts_${count}`);
    peaks.push([
      await peakMemoryOf(["import", file, "--unsigned"], env),
      await peakMemoryOf(["export", `${folder}/again.tar`], env),
    ]);
    await Deno.remove(`${folder}/again.tar`);
  }
  for (const [i, name] of ["import", "export"].entries()) {
    const growth = peaks[1][i] - peaks[0][i];
    ok(growth < GROWTH_MAX_BYTES, `${name}: ${Math.round(growth / MEBIBYTE)} MiB more`);
  }
});

async function createDatabase(url: string, name: string): Promise<string> {
  await new Deno.Command("psql", { args: [url, "-c", `create database ${name}`] }).output();
  return Object.assign(new URL(url), { pathname: name }).href;
}
