/**
 * Waits until all operations have ended, even if one fails: the caller may close their files then. Returns their
 * results.
 *
 * @throws the error of the first one that failed.
 */
export async function settled<T>(operations: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(operations);
  return await Promise.all(operations);
}
