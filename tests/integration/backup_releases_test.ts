import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { VERSION } from "../../lib/version.ts";
import { withFolder } from "../support/database/engines.ts";
import { check } from "../support/releases/checks.ts";
import { recordRelease } from "../support/releases/record.ts";
import type { Kind, Possession } from "../support/releases/release.ts";
import { openRestored, readRelease } from "../support/releases/restore.ts";

/** Each release leaves a backup here. RECORD_EXAMPLES=true makes the one of this version if it is missing. */
const FOLDER = decodeURIComponent(new URL("../fixtures/backups", import.meta.url).pathname);
/** Tables that this version does not fill. */
const UNUSED = ["posts"];
/** What only a move brings back, and what needs a session. */
const ENDED_BY_RESTORES: Kind[] = [
  ...["session", "profile", "request", "newTotp", "groups", "privateFile", "announcedFile"] as const,
  ...["consent", "authorizationCode", "refreshToken", "userinfo", "device"] as const,
  ...["code", "codeLink", "link", "reset", "emailChange", "fileLink", "waitingEmail"] as const,
  ...["waitingLogin", "identityLink", "factorReset", "stopFactorReset", "lostFactor"] as const,
];
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
    const { tables } = await recordRelease(folder, { hasRealCosts: false });
    const empty = tables.filter(({ rows }) => rows === 0).map(({ table }) => table);
    deepStrictEqual(empty, UNUSED, "Whoever has rows there is missing in tests/support/releases");
    await checkEveryone(t, `${folder}/${VERSION}`);
  });
});

Deno.test("a restore that is no move keeps the ways in, and ends sessions, grants and links", async (t) => {
  await checkEveryone(t, `${FOLDER}/${VERSION}`, { isMove: false });
});

/** Restores a backup and looks at everyone. What ends soonest was recorded last. */
async function checkEveryone(t: Deno.TestContext, path: string, { isMove = true } = {}): Promise<void> {
  const { people } = await readRelease(path);
  await using world = await openRestored(path, { isMove });
  for (const person of people.toReversed()) {
    await t.step(`someone who ${person.name}`, async (t) => {
      for (const had of person.had) {
        const isKept = isMove || !ENDED_BY_RESTORES.includes(had.kind) || isRefused(had);
        await t.step(`${had.kind}${isKept ? "" : " has ended"}`, async () => {
          const checked = check(world, person, had);
          await (isKept ? checked : rejects(checked));
        });
      }
    });
  }
}

/** Whether someone did not have it at the time of the backup either. */
function isRefused(had: Possession): boolean {
  return "outcome" in had || ("status" in had && had.status !== undefined);
}
