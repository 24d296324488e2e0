/** The version of this service, as reported by GET /api/health. */
export const VERSION = "0.2.0";

/** The file of a release that holds its commit. */
export const COMMIT_FILE = "COMMIT";
const ROOT = new URL("..", import.meta.url);
const SHOWN_DIGITS = 12;

/** The commit of these sources; undefined if it is unknown. The version changes only with a release. */
export const COMMIT = findCommit(ROOT)?.slice(0, SHOWN_DIGITS);

/** The version and the commit, for people. */
export const FULL_VERSION = COMMIT === undefined ? VERSION : `${VERSION} (commit ${COMMIT})`;

/**
 * Returns the commit of a folder with sources: from the file of a release, or from the folder `.git`. A worktree has no
 * such folder.
 */
export function findCommit(root: URL): string | undefined {
  const read = (path: string) => readOrUndefined(new URL(path, root));
  const released = read(COMMIT_FILE);
  if (released !== undefined) return released;
  if (!isFolder(new URL(".git", root))) return undefined;
  const head = read(".git/HEAD");
  const branch = head?.match(/^ref: (.+)$/)?.[1];
  if (branch === undefined) return head;
  return read(`.git/${branch}`) ??
    read(".git/packed-refs")?.split("\n").find((line) => line.endsWith(` ${branch}`))?.split(" ")[0];
}

function isFolder(url: URL): boolean {
  try {
    return Deno.lstatSync(url).isDirectory;
  } catch {
    return false;
  }
}

function readOrUndefined(url: URL): string | undefined {
  try {
    return Deno.readTextFileSync(url).trim();
  } catch {
    return undefined;
  }
}
