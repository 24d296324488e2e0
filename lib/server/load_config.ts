import type { CheckClients } from "../config/client_settings.ts";
import { type Config, readSettings, type Settings } from "../config/config.ts";
import { loadBrand } from "../brand/load_brand.ts";
import { loadAppSecret } from "../crypto/app_secret.ts";
import { requireDataDir } from "../config/data_dir.ts";
import { importLate } from "../late_import.ts";

/**
 * Reads the configuration from environment variables, and the app secret from the data directory if no variable sets it.
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
 * @throws {ConfigError} when a variable is missing or invalid, a file of the brand is missing, or something is wrong with
 * CLIENTS_FILE.
 */
export async function loadSettings(env: Record<string, string>, checkClients?: CheckClients): Promise<Settings> {
  const settings = readSettings(env, checkClients);
  return { ...settings, brand: await loadBrand(settings.brand) };
}

/** Reads CLIENTS_FILE. What checks it is loaded only if there is one. */
async function readClients({ CLIENTS_FILE: path }: Record<string, string>): Promise<CheckClients | undefined> {
  if (!path) return undefined;
  const url = import.meta.resolve("../authorization_server/load_clients.ts");
  const { readClientsFile } = await importLate<typeof import("../authorization_server/load_clients.ts")>(url);
  return await readClientsFile(path);
}
