import { type Config, readSettings } from "../config/config.ts";
import { loadBrand } from "../brand/load_brand.ts";
import { loadAppSecret } from "../crypto/app_secret.ts";
import { requireDataDir } from "../config/data_dir.ts";

/**
 * Reads the configuration from environment variables, and the app secret from the data directory if no variable sets it.
 *
 * @throws {ConfigError} when a variable is missing or invalid, the data directory cannot be written to, or a file
 * of the brand is missing.
 */
export async function loadConfig(env: Record<string, string>): Promise<Config> {
  const settings = readSettings(env);
  await requireDataDir(settings);
  const brand = await loadBrand(settings.brand);
  return { ...settings, brand, appSecret: settings.appSecret ?? await loadAppSecret(settings.dataDir) };
}
