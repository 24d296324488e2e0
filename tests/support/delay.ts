/** For polling loops only: a test waits for what it wants to see, never for a fixed time. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
