/** The file of settings in the current folder. */
export const ENV_FILE = ".env";

/** Permission to write for the group of a file, and for everyone. */
const WRITABLE_BY_OTHERS = 0o022;
const ROOT_USER = 0;

/**
 * Returns the variables of the file `.env` in the current folder that the environment does not set. Without the file,
 * there are none.
 *
 * @throws {Error} in production, if another user may change the file.
 */
export async function readEnvFile(env: Record<string, string>, path = ENV_FILE): Promise<Record<string, string>> {
  const file = findFile(path);
  // The tests of a product start a Foyer in its folder, whose `.env` may name the product's own database.
  if (file === undefined || env.APP_ENV === "test") return {};
  const { parseEnv } = await import("node:util"); // without such a file, the launcher saves its memory
  const variables = Object.entries(parseEnv(Deno.readTextFileSync(path))) as [string, string][];
  const added = Object.fromEntries(variables.filter(([name]) => name !== "" && !(name in env)));
  if ({ ...added, ...env }.APP_ENV === "production") requireOwn(path, file);
  return added;
}

/** Some people have a folder with this name. */
function findFile(path: string): Deno.FileInfo | undefined {
  try {
    const found = Deno.statSync(path);
    return found.isFile ? found : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function requireOwn(path: string, { mode, uid }: Deno.FileInfo): void {
  if (mode === null) return; // Windows has other permissions
  if (uid !== ROOT_USER && uid !== Deno.uid()) {
    throw new Error(
      `${path} belongs to another user, who may change it. Production refuses that: take it over with chown`,
    );
  }
  if ((mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new Error(`Other users may change ${path}. Production refuses that: chmod go-w ${path}`);
}
