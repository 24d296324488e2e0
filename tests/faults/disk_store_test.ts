import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createDiskStore } from "../../lib/storage/disk_store.ts";
import { withFolder } from "../support/database/engines.ts";
import { WRITTEN_KEYS, writtenVersion } from "../support/uploads/store_writer.ts";

const KILLS = 30;
/** A busy machine writes less before each kill, so it needs more kills to see enough objects. */
const MAX_KILLS = 4 * KILLS;
const MAX_MS = 120;
const SETTINGS = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: 1_000_000 };

Deno.test("a store that is killed at any moment keeps whole objects with their own metadata", () =>
  withFolder(async (folder) => {
    const directory = `${folder}/objects`;
    let seenObjects = 0;
    for (let kill = 0; kill < KILLS || (seenObjects <= KILLS / 2 && kill < MAX_KILLS); kill++) {
      await writeUntilKilled(directory, MAX_MS * kill / KILLS);
      seenObjects += await assertWhole(directory);
    }
    ok(seenObjects > KILLS / 2, `${seenObjects} objects were seen`);
  }));

async function writeUntilKilled(directory: string, milliseconds: number): Promise<void> {
  const script = new URL("../support/uploads/store_writer.ts", import.meta.url).pathname;
  const args = ["run", "-A", "--no-check", script, directory];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  setTimeout(() => child.kill("SIGKILL"), milliseconds);
  strictEqual((await child.status).signal, "SIGKILL");
  await reader.cancel();
}

/** Checks the objects as the process left them, and again after tidying. Returns how many there are. */
async function assertWhole(directory: string): Promise<number> {
  const store = await createDiskStore({ directory, ...SETTINGS, now: () => new Date() });
  const objects = async () => {
    const found: Record<string, unknown> = {};
    for (const key of WRITTEN_KEYS) {
      const object = await store.open(key);
      if (object === null) continue;
      const { contentType, sizeBytes, etag } = object;
      const bytes = await new Response(object.stream()).bytes();
      const version = writtenVersion(Number(contentType.at(-1)));
      const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", version.content)).toHex();
      deepStrictEqual({ contentType, sizeBytes, etag }, {
        contentType: version.contentType,
        sizeBytes: bytes.length,
        etag: `"${sha256}"`,
      });
      deepStrictEqual(bytes, version.content);
      found[key] = etag;
    }
    return found;
  };
  const found = await objects();
  deepStrictEqual((await store.tidy({ maxObjects: 10 })).failedKeys, []);
  deepStrictEqual(await objects(), found, "tidying changed an object");
  deepStrictEqual(await filesIn(`${directory}/.temporary`), []);
  deepStrictEqual(await filesIn(`${directory}/.metadata/uploads/u`), await filesIn(`${directory}/uploads/u`));
  return Object.keys(found).length;
}

async function filesIn(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name).catch(() => [])).sort();
}
