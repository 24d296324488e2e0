import { join } from "node:path";
import { sql } from "kysely";
import { restoreBackup } from "../../../lib/installation/backup/restore.ts";
import type { WebhookMessage } from "../../../lib/services/services.ts";
import { writeClientsFile } from "../app/clients_file.ts";
import { openTestApp, type TestApp } from "../app/test_app.ts";
import { copyFolder } from "../database/copy_folder.ts";
import type { RestoredWorld } from "./checks.ts";
import { startProviderDoubles } from "./provider_doubles.ts";
import type { Release } from "./release.ts";

/** Those that were released before backups were signed. */
const UNSIGNED_VERSIONS = ["0.1.0"];

/** Reads what is known about the backup of a release. */
export async function readRelease(path: string): Promise<Release> {
  return JSON.parse(await Deno.readTextFile(`${path}.json`));
}

/** Restores the backup of a release into an installation of this version, at the time of the backup. */
export async function openRestored(
  path: string,
  { isMove = true } = {},
): Promise<RestoredWorld & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const { version, settings, registrations, createdAt } = await readRelease(path);
  const providers = stack.use(await startProviderDoubles());
  const CLIENTS_FILE = await writeClientsFile(registrations.clients, registrations.resources);
  const app = stack.use(await openTestApp({ ...settings, ...providers.env, CLIENTS_FILE }));
  app.advance((Date.parse(createdAt) - app.services.now().getTime()) / 1_000);
  const sent = new Map<string, WebhookMessage[]>();
  const sender = {
    post(url: string, message: WebhookMessage) {
      sent.set(url, [...sent.get(url) ?? [], message]);
      return Promise.resolve(204);
    },
    mayPost: () => Promise.resolve(true),
  };
  Object.assign(app.services, { webhooks: sender, logouts: sender });
  await copyFolder(`${path}-files/.`, join(app.services.config.dataDir, "objects"));
  const acceptsUnsigned = UNSIGNED_VERSIONS.includes(version);
  await restoreBackup(app.services, { file: `${path}.tar`, isMove, acceptsUnsigned });
  await moveProviders(app, settings, providers.env);
  const owned = stack.move();
  return { app, providers, sent, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A provider is known by its address, and those of the tests have others each time. */
async function moveProviders(
  { services: { db } }: TestApp,
  before: Record<string, string>,
  now: Record<string, string>,
): Promise<void> {
  const isAddress = (name: string) => /^IDP_.*(ISSUER|USERINFO_URL)$/.test(name);
  for (const name of Object.keys(now).filter((each) => isAddress(each) && each in before)) {
    const [old, current] = [before[name], now[name]].map((address) => new URL(address).origin);
    const subject = sql<string>`replace(subject, ${old}, ${current})`;
    await db.updateTable("users").set({ idp_id: sql`replace(idp_id, ${old}, ${current})` }).execute();
    await db.updateTable("identities").set({ subject }).execute();
    await db.updateTable("provider_attempts").set({ subject }).execute();
  }
}
