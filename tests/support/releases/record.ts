import { join } from "node:path";
import { exportBackup } from "../../../lib/installation/backup/export.ts";
import { prepareGroups } from "../../../lib/groups/group.ts";
import type { BackupManifest } from "../../../lib/installation/backup/manifest.ts";
import { VERSION } from "../../../lib/version.ts";
import { registerVerifiedUser } from "../app/accounts.ts";
import { client as registration, CLIENTS, RESOURCES } from "../app/authorization.ts";
import { openTestApp } from "../app/test_app.ts";
import { copyFolder } from "../database/copy_folder.ts";
import { COMMAND_LINE_APP } from "../app/devices.ts";
import { LATER_HURRIED_PEOPLE, LATER_PEOPLE, STRICT_GROUP } from "./later_people.ts";
import { ACCOUNT_TRIES, HURRIED_PEOPLE, LOGOUT_URL, PEOPLE, PRODUCT } from "./people.ts";
import { startProviderDoubles } from "./provider_doubles.ts";
import { command, emailOf } from "./recording.ts";
import type { Person, Release } from "./release.ts";

const SETTINGS = {
  TOKEN_AUDIENCES: PRODUCT,
  SIGN_IN_CODES: "true",
  LOGIN_MAX_ATTEMPTS: "0",
  LIMIT_ACCOUNT: `${ACCOUNT_TRIES}/3600`,
  SECOND_FACTOR: `group:${STRICT_GROUP}`,
  TRUST_DEVICE_DAYS: "30",
  CLIENT_METADATA_DOCUMENTS: "on",
  CLIENT_METADATA_ALLOW_PRIVATE: "true",
};
const REGISTRATIONS = {
  clients: [...CLIENTS, COMMAND_LINE_APP, registration("listener", { backchannel_logout_uri: LOGOUT_URL })],
  resources: RESOURCES,
};
/** What ends soonest comes last, and is looked at first. */
const EVERYONE = { ...LATER_PEOPLE, ...PEOPLE, ...LATER_HURRIED_PEOPLE, ...HURRIED_PEOPLE };
/** What processes leave in a store while they write. */
const UNNEEDED = [".locks", ".temporary"];

/**
 * Fills an installation of this version with people of every kind, and makes its backup: VERSION.tar in a folder,
 * VERSION.json with what is known about them, and its store in VERSION-files.
 *
 * @param options.hasRealCosts whether hashes cost as much as in production.
 */
export async function recordRelease(
  folder: string,
  { hasRealCosts }: { hasRealCosts: boolean },
): Promise<BackupManifest> {
  const path = join(folder, VERSION);
  const clientsFile = await Deno.makeTempFile({ prefix: "foyer-clients-", suffix: ".json" });
  await Deno.writeTextFile(clientsFile, JSON.stringify(REGISTRATIONS));
  await using providers = await startProviderDoubles();
  const settings = { ...SETTINGS, ...providers.env };
  await using app = await openTestApp({ ...settings, CLIENTS_FILE: clientsFile });
  await Deno.remove(clientsFile);
  using _costs = hasRealCosts ? app.useRealCosts() : undefined;
  const { services } = app;
  const sender = { post: () => Promise.reject(new Error("Nothing is sent")), mayPost: () => Promise.resolve(true) };
  Object.assign(services, { webhooks: sender, logouts: sender });
  const admin = await registerVerifiedUser(app, emailOf("is an admin"));
  await prepareGroups(services);
  await command(app, "users promote", { who: admin.email });
  const people: Person[] = [];
  for (const [name, record] of Object.entries(EVERYONE)) {
    const email = emailOf(name);
    people.push({ name, email, ...await record({ app, providers, admin }, email) });
  }
  const manifest = await exportBackup(services, { file: `${path}.tar` });
  const { baseUrl, appSecret, dataDir } = services.config;
  await copyFolder(join(dataDir, "objects"), `${path}-files`);
  for (const name of UNNEEDED) await Deno.remove(`${path}-files/${name}`, { recursive: true });
  const release: Release = {
    version: VERSION,
    createdAt: manifest.createdAt,
    appSecret,
    settings: { BASE_URL: baseUrl, ...settings },
    registrations: REGISTRATIONS,
    people,
  };
  await Deno.writeTextFile(`${path}.json`, `${JSON.stringify(release, null, 2)}\n`);
  return manifest;
}
