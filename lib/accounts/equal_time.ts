/** Longer than what is to be hidden takes; too short for a person to mind. */
const FLOOR_MS = 100;

/**
 * Runs what takes longer for some accounts than for others, and resolves or rejects only after a time that is the
 * same for all. Source: OWASP, Forgot Password: answers must not tell, by their time either, which accounts exist.
 */
export async function inEqualTime<T>(work: () => Promise<T>): Promise<T> {
  const floor = new Promise((resolve) => setTimeout(resolve, FLOOR_MS));
  try {
    return await work();
  } finally {
    await floor;
  }
}
