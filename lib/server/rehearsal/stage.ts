import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../db/connection.ts";
import type { StageParts } from "../../installation/rehearsal/report.ts";
import { configWarnings } from "../../config/config.ts";
import { createLog } from "../../log/log.ts";
import type { Services } from "../../services/services.ts";
import { findConfig } from "../../start/load_config.ts";
import { openForLooking } from "../../storage/open_store.ts";
import { serveOlder } from "./older_version.ts";

/** How the names of our folders begin, in the folder for temporary files. */
const PREFIX = "foyer-rehearsal-";
const DATABASE = "database";
/** Held as long as the process: a folder whose lock is free is in use by nobody. */
const LOCK = "rehearsal.lock";
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Services for a rehearsal. */
export type StageServices = Services & StageParts & AsyncDisposable;

/**
 * Opens an empty database, without tables, in a folder that only this user can read. Disposing of the services removes
 * it, and so do signals. What a killed process has left, the next one removes.
 */
export async function openStage(env: Record<string, string>): Promise<StageServices> {
  await removeLeftovers();
  const { config, problem } = await findConfig(env);
  const folder = await mkdtemp(join(tmpdir(), PREFIX)); // with mode 700
  const lock = await Deno.open(join(folder, `${LOCK}.new`), { create: true, write: true });
  await lock.lock(true);
  await Deno.rename(join(folder, `${LOCK}.new`), join(folder, LOCK)); // another rehearsal sees it only locked
  const ending = new AbortController();
  const remove = () => Deno.remove(folder, { recursive: true });
  const onSignal = () => {
    ending.abort();
    void remove().finally(() => Deno.exit(1));
  };
  for (const signal of ENDING) Deno.addSignalListener(signal, onSignal);
  try {
    const { db, longWork, ...handle } = await openDatabase({ directory: join(folder, DATABASE), log: createLog() });
    let closing: Promise<void> | undefined;
    const close = () => closing ??= handle.close();
    const services: Partial<StageServices> = {
      config,
      configProblem: problem,
      configWarnings: configWarnings(config, env),
      db,
      longWork,
      now: () => new Date(),
      openFiles: (files) => openForLooking(config, files),
      async tryOlder(version, visitor) {
        await close();
        return await serveOlder(version, { env, folder, visitor, appSecret: config.appSecret, signal: ending.signal });
      },
      [Symbol.asyncDispose]: async () => {
        await close().finally(remove);
      },
    };
    return services as StageServices;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function removeLeftovers(): Promise<void> {
  for await (const { name } of Deno.readDir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    try {
      using lock = await Deno.open(join(tmpdir(), name, LOCK), { write: true });
      if (await lock.tryLock(true)) await Deno.remove(join(tmpdir(), name), { recursive: true });
    } catch {
      // it belongs to someone else, or has just begun
    }
  }
}
