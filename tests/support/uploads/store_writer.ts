/**
 * Stores, replaces, deletes and converts objects of the folder in its argument until it is killed. Each version
 * consists of one repeated digit, which its content type names too. Prints a line when it starts.
 */
import { createDiskStore } from "../../../lib/storage/disk_store.ts";
import { writeOldObjectFile } from "./old_object_file.ts";

/** The objects that the process writes. */
export const WRITTEN_KEYS = ["uploads/u/a.bin", "uploads/u/b.bin"];

/** Returns the content of a version, and its content type. */
export function writtenVersion(digit: number) {
  const content = new TextEncoder().encode(String(digit).repeat(100_000));
  return { content, contentType: `test/version-${digit}` };
}

if (import.meta.main) {
  const [directory] = Deno.args;
  const settings = { baseUrl: "http://foyer.test", appSecret: "s".repeat(32), uploadMaxBytes: 1_000_000 };
  const store = await createDiskStore({ directory, ...settings, now: () => new Date() });
  console.log("started");
  for (let number = 0;; number++) {
    const key = WRITTEN_KEYS[number % 2];
    const { content, contentType } = writtenVersion(number % 10);
    if (number % 7 === 0) await store.delete(key);
    if (number % 5 === 0) {
      const old = `${directory}/.temporary/old`;
      await writeOldObjectFile(old, content, contentType);
      await store.delete(key);
      await Deno.rename(old, `${directory}/${key}`).catch(() => {}); // there is no folder yet
      await store.tidy({ maxObjects: 10 });
    } else {
      const keys = number % 3 === 0 ? WRITTEN_KEYS : [key];
      await store.putAll(keys.map((each) => ({ key: each, bytes: content, contentType })));
    }
  }
}
