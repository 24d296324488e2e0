import { ok, strictEqual } from "node:assert/strict";
import { processesOf, spawnFoyer } from "../support/database/backup_commands.ts";
import { writeAccounts } from "../support/database/backups.ts";
import { testOnEachEngine } from "../support/database/engines.ts";
import { delay } from "../support/delay.ts";
import { memoryOf } from "../support/processes/process_probe.ts";

const MEBIBYTE = 1024 * 1024;
/** Enough for the garbage that the runtime lets pile up before it collects some. */
const FEW = 3_000;
const MANY = 15_000;
/** Makes the rows of many accounts as large as those of tens of thousands. */
const BIO_CHARACTERS = 12_000;
/** Holding the rows of the other accounts once would take more, on top of the garbage. */
const GROWTH_MAX_BYTES = 140 * MEBIBYTE;

/** Runs a command, and returns the peak memory of the process that does the work. */
async function peakOf(args: string[], env: Record<string, string>): Promise<number> {
  const child = spawnFoyer(args, env);
  const ended = child.output();
  let [isOver, peak] = [false, 0];
  const over = ended.finally(() => isOver = true);
  while (!isOver) {
    for (const pid of await processesOf(child)) {
      peak = Math.max(peak, await memoryOf({ pid }, "VmHWM").catch(() => 0)); // it may have ended
    }
    await delay(20);
  }
  const { code, stderr } = await over;
  strictEqual(code, 0, new TextDecoder().decode(stderr));
  return peak;
}

testOnEachEngine("the memory of an import and an export does not grow with the accounts", async (engine, folder) => {
  const peaks: number[][] = [];
  for (const count of [FEW, MANY]) {
    const file = `${folder}/${count}.tar`;
    await writeAccounts(file, { count, bio: "b".repeat(BIO_CHARACTERS) });
    const env: Record<string, string> = { DATA_DIR: `${folder}/${count}`, ...engine.env };
    if (engine.env.DATABASE_URL) env.DATABASE_URL = await createDatabase(engine.env.DATABASE_URL, `accounts_${count}`);
    peaks.push([await peakOf(["import", file], env), await peakOf(["export", `${folder}/again.tar`], env)]);
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
