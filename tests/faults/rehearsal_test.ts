import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { withFolder } from "../support/database/engines.ts";
import { waitFor } from "../support/wait_for.ts";

const BACKUP = decodeURIComponent(new URL("../fixtures/backups/0.2.0.tar", import.meta.url).pathname);

/** Starts a rehearsal, with its temporary files in a folder. */
function startRehearsal(folder: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "foyer", "rehearse", BACKUP],
    env: { TMPDIR: folder, DATA_DIR: `${folder}/none` },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true, // the leader of a process group, so that one signal reaches all
  }).spawn();
}

async function leftIn(folder: string): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
  return names.filter((name) => name.startsWith("foyer-rehearsal-"));
}

Deno.test("a rehearsal removes what it has written, at every end, and what a killed one has left", () =>
  withFolder(async (folder) => {
    const before = await Deno.readFile(BACKUP);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const child = startRehearsal(folder);
      await waitFor("its database", async () => (await leftIn(folder)).length > 0, { timeoutMs: 60_000 });
      const [name] = await leftIn(folder);
      strictEqual((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o700);
      const lock = `${folder}/${name}/database.lock`;
      await waitFor("its lock", () => Deno.stat(lock).then(() => true, () => false), { timeoutMs: 60_000 });
      Deno.kill(-child.pid, signal);
      await child.stdout.cancel();
      await child.status;
      if (signal === "SIGTERM") await waitFor("the end", async () => (await leftIn(folder)).length === 0);
      else strictEqual((await leftIn(folder)).length, 1, "a killed process removes nothing");
    }
    const child = startRehearsal(folder);
    match(await new Response(child.stdout).text(), /restored and migrated/);
    await child.status;
    deepStrictEqual(await leftIn(folder), []);
    await Deno.stat(`${folder}/none`).then(() => Promise.reject(new Error("DATA_DIR exists")), () => {});
    deepStrictEqual(await Deno.readFile(BACKUP), before);
  }));
