import { concurrencyLimit } from "../concurrency_limit.ts";
import type { ImageConverter } from "../services.ts";

/** With 5 MiB each, as much memory as waiting uploads may take. */
export const MAX_WAITING = 32;

type Codec = Pick<typeof import("./webp_codec.ts"), "toWebp">;

export interface WebpConverterOptions {
  /** Images with more are refused before they are decoded. */
  maxPixels: number;
  /** By default as many as there are cores. */
  maxConcurrent?: number;
  /** How many more may wait for their turn. */
  maxWaiting?: number;
  /** By default from its packages. */
  load?: () => Promise<Codec>;
}

/**
 * Converts as many images at a time as the limits allow. The codec is loaded with the first one: it takes 40 MB and a
 * third of the start.
 */
export function createWebpConverter({ maxPixels, load = loadCodec, ...limits }: WebpConverterOptions): ImageConverter {
  const { maxConcurrent = navigator.hardwareConcurrency, maxWaiting = MAX_WAITING } = limits;
  const limited = concurrencyLimit(maxConcurrent, { maxWaiting });
  let loaded: Promise<Codec> | undefined;
  const codec = () =>
    loaded ??= load().catch((error) => {
      loaded = undefined; // out of file descriptors, say: the next image tries again
      throw error;
    });
  return {
    toWebp: (bytes, options) => limited(async () => await (await codec()).toWebp(bytes, { ...options, maxPixels })),
  };
}

/** Its packages take the event loop for 25 and 15 ms: one after the other, others have their turn in between. */
async function loadCodec(): Promise<Codec> {
  await nextTurn();
  await import("sharp");
  await nextTurn();
  await import("imagescript");
  await nextTurn();
  return await import("./webp_codec.ts");
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
