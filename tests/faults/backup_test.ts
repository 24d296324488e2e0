import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import pg from "pg";
import { type EngineForProcess, testOnEachEngine, withFolder } from "../support/database/engines.ts";
import { foyer, processesOf, spawnFoyer } from "../support/database/backup_commands.ts";
import { writeAccounts } from "../support/database/backups.ts";
import { copyDatabaseFolder } from "../support/database/database_template.ts";
import { buildApp, startApp } from "../support/processes/app_process.ts";
import { register } from "../support/processes/process_session.ts";
import { PATIENCE_MS, waitFor } from "../support/wait_for.ts";

await buildApp();

/** Kills a process and the programs that it has started. */
async function killAll(child: Deno.ChildProcess): Promise<void> {
  const pids = await processesOf(child);
  for (const pid of pids.reverse()) Deno.kill(pid, "SIGKILL");
  await child.output();
}

/** Runs an import, and kills it once it has inserted some of its 20,000 accounts. */
async function importAndKill(file: string, { name, env }: EngineForProcess, dataDir: string): Promise<void> {
  const start = () => spawnFoyer(["import", file, "--unsigned"], { DATA_DIR: dataDir, ...env });
  if (name === "embedded") {
    const before = await databaseBytes(dataDir);
    const child = start();
    await waitFor("the first rows", async () => await databaseBytes(dataDir) >= before + 5_000_000);
    return await killAll(child);
  }
  // One connection asks often. Starting a program for each question could take longer than the import.
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  try {
    const child = start();
    const inserting = `select from pg_stat_activity where pid <> pg_backend_pid() and query ~ 'insert into "users"'`;
    await waitFor("the first rows", async () => (await client.query(inserting)).rowCount! > 0);
    await killAll(child);
  } finally {
    await client.end();
  }
}

async function databaseBytes(dataDir: string): Promise<number> {
  const folder = `${dataDir}/database/base/5`;
  const files = Array.from(Deno.readDirSync(folder), ({ name }) => Deno.stat(`${folder}/${name}`));
  // The engine removes temporary files meanwhile.
  const sizes = (await Promise.allSettled(files)).map((stat) => stat.status === "fulfilled" ? stat.value.size : 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

testOnEachEngine("an import that is killed half-way leaves nothing, and can be repeated", async (engine, folder) => {
  const env = { DATA_DIR: `${folder}/data`, ...engine.env };
  const file = `${folder}/a.tar`;
  await Deno.mkdir(env.DATA_DIR);
  await copyDatabaseFolder(`${env.DATA_DIR}/database`);
  await writeAccounts(`${folder}/empty.tar`, { count: 0 });
  strictEqual((await foyer(["import", `${folder}/empty.tar`, "--unsigned"], env)).code, 0, "creates the database");
  await writeAccounts(file, { count: 20_000 });
  await importAndKill(file, engine, env.DATA_DIR);
  const { stdout, stderr } = await foyer(["users", "list", "--json"], env);
  deepStrictEqual(JSON.parse(stdout).data, [], stderr);
  await Deno.remove(file);
  await writeAccounts(file, { count: 3 });
  const again = await foyer(["import", file, "--unsigned"], env);
  strictEqual(again.code, 0, again.stderr);
  match(again.stdout, /\(accounts: 3, rows: 3\)/);
});

Deno.test("an export beside a running service is a whole backup, and the service keeps answering", () =>
  withFolder(async (folder) => {
    const dataDir = `${folder}/data`;
    await using app = await startApp({ dataDir });
    const body = JSON.stringify({ name: "Ada", email: "ada@example.com", password: "Correct-horse-7" });
    const headers = { "Content-Type": "application/json" };
    const registered = await fetch(`${app.url}/auth/register`, { method: "POST", headers, body });
    strictEqual(registered.status, 201, await registered.text());
    const exported = await foyer(["export", `${folder}/a.tar`, "--json"], { DATA_DIR: dataDir });
    strictEqual(exported.code, 0, exported.stderr);
    strictEqual(JSON.parse(exported.stdout).rows.users, 1);
    ok(!await exists(`${dataDir}/.export`), "the copy is deleted");
    const refused = await foyer(["import", `${folder}/a.tar`], { DATA_DIR: dataDir });
    deepStrictEqual([refused.code, refused.stderr], [
      1,
      "Stop the service first: it has the embedded database open\n",
    ]);
    strictEqual((await fetch(`${app.url}/api/health`)).status, 200);

    const target = { DATA_DIR: `${folder}/other` };
    await Deno.mkdir(target.DATA_DIR);
    const foreign = await foyer(["import", `${folder}/a.tar`, "--move"], target);
    strictEqual(foreign.code, 1);
    match(foreign.stderr, /a\.tar was signed with another APP_SECRET, .*copy the file app_secret of its DATA_DIR/);
    await Deno.copyFile(`${dataDir}/app_secret`, `${target.DATA_DIR}/app_secret`);
    const imported = await foyer(["import", `${folder}/a.tar`, "--move"], target);
    strictEqual(imported.code, 0, imported.stderr);
    await using next = await startApp({ dataDir: target.DATA_DIR });
    const login = await fetch(`${next.url}/auth/login`, { method: "POST", headers, body });
    strictEqual(login.status, 403, "the address is not confirmed, but the account is known");
    await login.body?.cancel();
  }));

Deno.test("requests go on while an export copies files, and one that fails does not stand in the way of the next", () =>
  withFolder(async (folder) => {
    const dataDir = `${folder}/data`;
    const env = { DATA_DIR: dataDir };
    await using app = await startApp({ dataDir });
    const pipe = `${dataDir}/database/base/pipe`; // opening it waits for someone who writes
    await new Deno.Command("mkfifo", { args: [pipe] }).output();
    const exporting = foyer(["export", `${folder}/a.tar`], env);
    await waitFor("the copy", () => exists(`${dataDir}/.export/database/base`));
    strictEqual((await fetch(`${app.url}/api/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })).status, 200);
    await register(app, "meanwhile@example.com");
    using _writer = await Deno.open(pipe, { write: true }); // open until the end: the copy opens the pipe twice
    const failed = await exporting;
    deepStrictEqual([failed.code, await exists(`${folder}/a.tar`)], [1, false]);
    await Deno.remove(pipe);
    const exported = await foyer(["export", `${folder}/a.tar`, "--json"], env);
    strictEqual(exported.code, 0, exported.stderr);
    strictEqual(JSON.parse(exported.stdout).rows.users, 1);
  }));

function exists(path: string): Promise<boolean> {
  return Deno.stat(path).then(() => true, () => false);
}
