import type { CheckClients } from "../config/client_settings.ts";
import { type Config, ConfigError, findSettings, InvalidSettings, type Settings } from "../config/config.ts";
import { messageOf } from "../log/log.ts";
import { loadBrand } from "./load_brand.ts";
import { requireDataDir } from "../config/data_dir.ts";
import { join } from "node:path";
import { openLanguages, textProblems } from "../texts/languages.ts";
import { readOrCreate } from "../bytes/first_file.ts";

/**
 * Reads the configuration from environment variables, and the app secret from the data directory if no variable sets
 * it.
 *
 * @throws {ConfigError} as `loadSettings` does; when the data directory cannot be written to.
 */
export async function loadConfig(env: Record<string, string>): Promise<Config> {
  const settings = await loadSettings(env, await readClients(env));
  await requireDataDir(settings);
  return { ...settings, appSecret: settings.appSecret ?? await loadAppSecret(settings.dataDir) };
}

/**
 * Reads the settings and the files of the brand, and writes nothing. Without `checkClients`, there are no clients.
 *
 * @throws {ConfigError} when a variable is missing or invalid, a file of the brand is missing, or something is wrong
 * with CLIENTS_FILE. The message then says what is wrong with the texts, too.
 */
export async function loadSettings(env: Record<string, string>, checkClients?: CheckClients): Promise<Settings> {
  const { settings, problems } = findSettings(env, checkClients);
  const brand = await loadBrand(settings.brand).catch((error) => {
    if (!(error instanceof InvalidSettings)) throw error;
    problems.push(...error.problems);
    return settings.brand;
  });
  if (problems.length === 0) return { ...settings, brand };
  const { message } = new InvalidSettings(problems);
  const { errors } = openLanguages(settings);
  throw new ConfigError(errors.length === 0 ? message : `${message}\n${textProblems(errors)}`);
}

/**
 * Reads the configuration as far as it is valid, and writes nothing. An app secret that is not there yet is empty.
 * `problem` says all that is wrong.
 */
export async function findConfig(env: Record<string, string>): Promise<{ config: Config; problem?: string }> {
  const checkClients = await readClients(env);
  let problem: string | undefined;
  const settings = await loadSettings(env, checkClients).catch((error) => {
    problem = messageOf(error);
    return findSettings(env, checkClients).settings;
  });
  const { errors } = problem === undefined ? openLanguages(settings) : { errors: [] };
  if (errors.length > 0) problem = textProblems(errors);
  return { config: { ...settings, appSecret: settings.appSecret ?? await findAppSecret(settings.dataDir) }, problem };
}

/** Reads CLIENTS_FILE. What checks it is loaded only if there is one. */
async function readClients({ CLIENTS_FILE: path }: Record<string, string>): Promise<CheckClients | undefined> {
  if (!path) return undefined;
  const { readClientsFile } = await import("../clients/load_clients.ts");
  return await readClientsFile(path);
}

const SECRET_BYTES = 32;
const SECRET_FILE = "app_secret";

/** Returns the secret that `loadAppSecret` has generated; empty without a valid one. */
async function findAppSecret(dataDir: string): Promise<string> {
  const isThere = await Deno.stat(join(dataDir, SECRET_FILE)).then(() => true, () => false);
  return isThere ? await loadAppSecret(dataDir).catch(() => "") : "";
}

/**
 * Returns the secret of an installation that does not set APP_SECRET. It is generated once and stored in the data
 * directory, readable by its owner only. Processes that start at the same time agree on one secret.
 *
 * @throws {ConfigError} when the file holds less than 32 bytes, such as after a power loss.
 */
export async function loadAppSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, SECRET_FILE);
  const secret = await readOrCreate(path, () => crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64());
  if (new TextEncoder().encode(secret).length >= SECRET_BYTES) return secret;
  throw new ConfigError(
    `${path} must hold at least ${SECRET_BYTES} bytes. Restore it from a backup. If there is none, delete it: a new ` +
      "secret is then generated, but it cannot decrypt emails that are already queued.",
  );
}
