const POLL_MS = 10;
/** How long tests wait for what must come. Longer than anything takes on a busy machine. */
export const PATIENCE_MS = 60_000;
/** A command that takes longer is stuck, and is ended. Importing 300 MB took more than a minute on a busy machine. */
export const COMMAND_MAX_MS = 5 * 60_000;

/**
 * Polls until `find` returns something other than false, null or undefined, and returns that.
 *
 * @param what completes the sentence "Waited in vain for ...".
 * @throws {Error} after a minute.
 */
export async function waitFor<T>(
  what: string,
  find: () => T | Promise<T>,
  { timeoutMs = PATIENCE_MS }: { timeoutMs?: number } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const deadline = performance.now() + timeoutMs;
  while (true) {
    const found = await find();
    if (found !== false && found != null) return found as NonNullable<Exclude<T, false>>;
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
