/**
 * Returns a function for work of which much may be waiting. It resolves at once while the work has taken less than this
 * time in the current turn of the event loop, otherwise in the next turn, so that other work comes between.
 *
 * @param options.listenEvery in every so many pauses, the event loop also looks for what has arrived, which takes a
 * millisecond. Otherwise it does so only in each 61st turn, as long as there is work. By default, never.
 */
export function pauseAfter(milliseconds: number, { listenEvery = Infinity } = {}): () => Promise<void> {
  let firstBeganAt: number | null = null;
  let pauses = 0;
  function begin(): void {
    firstBeganAt = performance.now();
    setImmediate(() => firstBeganAt = null);
  }
  return async () => {
    if (firstBeganAt === null) return begin();
    if (performance.now() - firstBeganAt < milliseconds) return;
    const listens = ++pauses % listenEvery === 0;
    await new Promise((resolve) => listens ? setTimeout(resolve) : setImmediate(resolve));
    begin();
  };
}
