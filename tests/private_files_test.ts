import { deepStrictEqual, ok } from "node:assert/strict";
import { lockFolder } from "../db/embedded/open_embedded.ts";
import { withFolder } from "./support/database/engines.ts";
import { readSettings } from "../lib/config/config.ts";
import { requireDataDir } from "../lib/config/data_dir.ts";
import { loadAppSecret } from "../lib/start/load_config.ts";
import { createMailFolder } from "../lib/mail/transports/mail_folder.ts";
import { openObjectStore } from "../lib/storage/open_store.ts";

const MAIL = { to: "a@b.example", subject: "Hello", text: "Hello", html: "<p>Hello</p>" };
const now = () => new Date();
const log = () => {};

/** Runs an action with a umask that takes no permission away. */
async function withoutUmask<T>(action: () => Promise<T>): Promise<T> {
  const umask = Deno.umask(0);
  try {
    return await action();
  } finally {
    Deno.umask(umask);
  }
}

/** Writes one of everything that a data directory holds, except the files of the embedded engine. */
async function fillDataDir(dataDir: string): Promise<void> {
  const settings = readSettings({ DATA_DIR: dataDir });
  await requireDataDir(settings);
  const config = { ...settings, appSecret: await loadAppSecret(dataDir) };
  const unlock = await lockFolder(`${dataDir}/database`);
  const store = await openObjectStore(config, { now, log, sweeps: true });
  await store.put("uploads/u/put", new TextEncoder().encode("put"), "text/plain");
  const grant = { key: "uploads/u/presigned", contentType: "text/plain", sizeBytes: 3 };
  const { searchParams } = new URL(await store.presignPut(grant, 60));
  const content = new Response("abc").body!;
  await store.putPresigned({ ...grant, query: searchParams, content, announcedBytes: 3 });
  const mails = createMailFolder({ directory: `${dataDir}/outbox`, from: "c@d.example", log });
  await mails.send(MAIL, crypto.randomUUID());
  unlock();
}

/** Returns the permissions of a folder and everything in it, by path. Folders end with a slash. */
async function modesIn(path: string, name = ""): Promise<[name: string, mode: string][]> {
  const { mode, isDirectory } = await Deno.lstat(path + name);
  const permissions = (mode! & 0o777).toString(8);
  if (!isDirectory) return [[name, permissions]];
  const inner = await Array.fromAsync(Deno.readDir(path + name), (each) => modesIn(path, `${name}/${each.name}`));
  return [[`${name}/`, permissions], ...inner.flat()];
}

Deno.test("new folders have the permissions 700 and files 600, whatever the umask", () =>
  withFolder(async (folder) => {
    const dataDir = `${folder}/data`;
    await withoutUmask(() => fillDataDir(dataDir));
    const modes = await modesIn(dataDir);
    for (const name of ["/app_secret", "/database.lock", "/objects/.metadata/uploads/u/put", "/objects/.temporary/"]) {
      ok(modes.some((each) => each[0] === name), name);
    }
    deepStrictEqual(modes.filter(([name, mode]) => mode !== (name.endsWith("/") ? "700" : "600")), []);
  }));

Deno.test("a start closes folders that an older version has left readable for everyone", () =>
  withFolder(async (folder) => {
    const opened = ["objects", "database", "outbox"].map((name) => `${folder}/${name}`);
    await withoutUmask(async () => {
      for (const path of opened) await Deno.mkdir(path, { mode: 0o777 });
      await fillDataDir(folder);
    });
    const modes = await Promise.all(opened.map(async (path) => (await modesIn(path))[0][1]));
    deepStrictEqual(modes, ["700", "700", "700"]);
  }));
