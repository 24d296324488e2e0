import { type Config, readSettings, type Settings } from "../config/config.ts";
import { loadBrand } from "../brand/load_brand.ts";
import { loadAppSecret } from "../crypto/app_secret.ts";
import { requireDataDir } from "../config/data_dir.ts";

/**
 * Reads the configuration from environment variables, and the app secret from the data directory if no variable sets it.
 *
 * @throws {ConfigError} as `loadSettings` does; when the data directory cannot be written to.
 */
export async function loadConfig(env: Record<string, string>): Promise<Config> {
  const settings = await loadSettings(env);
  await requireDataDir(settings);
  return { ...settings, appSecret: settings.appSecret ?? await loadAppSecret(settings.dataDir) };
}

/**
 * Reads the settings and the files of the brand, and writes nothing.
 *
 * @throws {ConfigError} when a variable is missing or invalid, or a file of the brand is missing.
 */
export async function loadSettings(env: Record<string, string>): Promise<Settings> {
  const settings = readSettings(env);
  return { ...settings, brand: await loadBrand(settings.brand) };
}
