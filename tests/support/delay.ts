/** Waits. For polling loops only: a test waits for an event, never for a fixed time. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
