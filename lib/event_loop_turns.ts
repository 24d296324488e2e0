/**
 * Returns a function for work of which much may be waiting. It resolves at once while the work has taken less than this
 * time in the current turn of the event loop, otherwise in the next turn, so that other work comes between.
 */
export function pauseAfter(milliseconds: number): () => Promise<void> {
  let firstBeganAt: number | null = null;
  function begin(): void {
    firstBeganAt = performance.now();
    setImmediate(() => firstBeganAt = null);
  }
  return async () => {
    if (firstBeganAt === null) return begin();
    if (performance.now() - firstBeganAt < milliseconds) return;
    await new Promise((resolve) => setImmediate(resolve));
    begin();
  };
}
