import { ok } from "node:assert/strict";
import { VERSION } from "../../lib/version.ts";
import { withFolder } from "../support/database/engines.ts";
import { check } from "../support/releases/checks.ts";
import { recordRelease } from "../support/releases/record.ts";
import { openRestored, readRelease } from "../support/releases/restore.ts";

/** Each release leaves a backup here. RECORD_EXAMPLES=true makes the one of this version if it is missing. */
const FOLDER = decodeURIComponent(new URL("../fixtures/backups", import.meta.url).pathname);
const isRecording = Deno.env.get("RECORD_EXAMPLES") === "true";

if (isRecording && !versions().includes(VERSION)) await recordRelease(FOLDER, { hasRealCosts: true });

function versions(): string[] {
  return [...Deno.readDirSync(FOLDER)].flatMap(({ name }) => name.match(/^(.*)\.tar$/)?.[1] ?? []);
}

Deno.test("this version has left a backup", () => {
  ok(versions().includes(VERSION), "Make it: RECORD_EXAMPLES=true deno task test integration --filter=backup");
});

for (const version of versions()) {
  Deno.test(`everyone in the backup of version ${version} still has what they had`, async (t) => {
    await checkEveryone(t, `${FOLDER}/${version}`);
  });
}

Deno.test("everyone in a backup of today still has what they had", async (t) => {
  await withFolder(async (folder) => {
    await recordRelease(folder, { hasRealCosts: false });
    await checkEveryone(t, `${folder}/${VERSION}`);
  });
});

/** Restores a backup and looks at everyone. What ends soonest was recorded last. */
async function checkEveryone(t: Deno.TestContext, path: string): Promise<void> {
  const { people } = await readRelease(path);
  await using world = await openRestored(path);
  for (const person of people.toReversed()) {
    await t.step(`someone who ${person.name}`, async (t) => {
      for (const had of person.had) await t.step(had.kind, () => check(world, person, had));
    });
  }
}
