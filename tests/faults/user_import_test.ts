import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { openDatabase } from "../../db/connection.ts";
import { FOREIGN_HASHES } from "../support/app/foreign_hashes.ts";
import { foyer, peakMemoryOf, processesOf, spawnFoyer } from "../support/database/backup_commands.ts";
import { testOnEachEngine } from "../support/database/engines.ts";
import { buildApp, startApp } from "../support/processes/app_process.ts";
import { waitFor } from "../support/wait_for.ts";

await buildApp();

const MEBIBYTE = 1024 * 1024;
const USERS = 600;
/** Lines that are imported before the command is killed. */
const BEFORE = 250;
const [FEW, MANY] = [300, 3_000];
const LINE_BYTES = 60_000;
/** Holding the other lines would take 160 MiB more, on top of the garbage that the runtime lets pile up. */
const GROWTH_MAX_BYTES = 90 * MEBIBYTE;
const KINDS = Object.values(FOREIGN_HASHES);
const { password, passwordHash } = FOREIGN_HASHES["bcrypt 2a"];

function lineOf(i: number): string {
  const user = { email: `user${i}@example.com`, name: `User ${i}`, emailVerified: true, createdAt: 1_600_000_000 + i };
  return JSON.stringify({ ...user, passwordHash: i === 0 ? passwordHash : KINDS[i % KINDS.length].passwordHash }) +
    "\n";
}

const LINES = Array.from({ length: USERS }, (_, i) => lineOf(i));

/** Returns what an import has written, without what differs between two databases. */
async function readUsers(databaseUrl: string | undefined, folder: string) {
  const { db, close } = await openDatabase({ databaseUrl, directory: `${folder}/database`, log: () => {} });
  const columns = ["email", "name", "password_hash", "email_verified", "created_at"] as const;
  const users = await db.selectFrom("users").select(columns).orderBy("created_at").execute();
  const events = await db.selectFrom("events").select("kind").where("kind", "=", "user.registered").execute();
  await close();
  return { users, events: events.length };
}

testOnEachEngine(
  "an import beside the service that is killed and repeated is the same as one",
  async (engine, folder) => {
    const settings = { ...engine.env, DATA_DIR: folder };
    const app = await startApp({ dataDir: folder, env: engine.env });
    try {
      const pipe = `${folder}/users.jsonl`;
      strictEqual((await new Deno.Command("mkfifo", { args: [pipe] }).output()).code, 0);
      const killed = spawnFoyer(["users", "import", pipe], settings);
      const writer = await Deno.open(pipe, { write: true });
      await writer.write(new TextEncoder().encode(LINES.slice(0, BEFORE).join("") + LINES[BEFORE].slice(0, 40)));
      await waitFor("the first users, before the file has ended", async () => {
        const { data } = await (await fetch(`${app.url}/api/users`)).json();
        return data.length > 0;
      });
      for (const pid of (await processesOf(killed)).toReversed()) Deno.kill(pid, "SIGKILL");
      await killed.output();
      writer.close();

      const file = `${folder}/all.jsonl`;
      await Deno.writeTextFile(file, LINES.join(""));
      const repeated = await foyer(["users", "import", file, "--json"], settings);
      strictEqual(repeated.code, 0, repeated.stderr);
      const { imported, known, refused } = JSON.parse(repeated.stdout);
      deepStrictEqual([imported + known, refused], [USERS, []]);
      ok(known > 0 && known <= BEFORE, `${known} were imported before`);
      const response = await fetch(`${app.url}/auth/login`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ email: "user0@example.com", password }),
      });
      strictEqual(response.status, 200, await response.text());
      await Deno.writeTextFile(file, LINES.join("") + "{}\n");
      const refusing = await foyer(["users", "import", file, "--dry-run"], settings);
      deepStrictEqual([refusing.code, refusing.stderr], [1, ""]);
      strictEqual(
        refusing.stdout,
        `Would import 0 users.\nSkipped, because they are known: ${USERS}.\nRefused 1 line:\n  601  email: Required\n`,
      );
    } finally {
      app.kill("SIGTERM");
      await app.ended;
    }
    const { users, events } = await readUsers(engine.env.DATABASE_URL, folder);
    deepStrictEqual([users.length, events], [USERS, USERS]);
    deepStrictEqual(users.map(({ email }) => email), LINES.map((line) => JSON.parse(line).email));
    deepStrictEqual(
      users.map(({ password_hash }) => password_hash!.startsWith("$")),
      users.map((_, i) => i !== 0),
      "one has logged in",
    );

    const peaks: number[] = [];
    for (const count of [FEW, MANY]) {
      const file = `${folder}/long.jsonl`;
      await Deno.writeTextFile(file, "");
      for (let i = 0; i < count; i++) {
        await Deno.writeTextFile(file, LINES[i % USERS].padStart(LINE_BYTES), { append: true });
      }
      peaks.push(await peakMemoryOf(["users", "import", file], settings));
    }
    const growth = peaks[1] - peaks[0];
    ok(
      growth < GROWTH_MAX_BYTES,
      `the memory depends on the size of the file: ${Math.round(growth / MEBIBYTE)} MiB more`,
    );
  },
);
