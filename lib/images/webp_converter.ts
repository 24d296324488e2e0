import { concurrencyLimit } from "../concurrency_limit.ts";
import type { ImageConverter } from "../services.ts";

/** Bounds the memory of waiting uploads: each may have 5 MiB. */
export const MAX_WAITING = 32;

/** An image of 40 megapixels takes about two seconds to decode. */
const TIMEOUT_SECONDS = 10;

type Codec = Pick<typeof import("./webp_codec.ts"), "toWebp">;

export interface WebpConverterOptions {
  /** Images with more are refused before they are decoded. */
  maxPixels: number;
  /** The number of cores by default. */
  maxConcurrent?: number;
  /** How many more may wait. */
  maxWaiting?: number;
  /** Decoding one image stops after this time; a whole number. */
  timeoutSeconds?: number;
  /** Imports the packages by default. */
  load?: () => Promise<Codec>;
}

/**
 * Converts as many images at a time as the limits allow. The first one loads the codec, which takes 40 MB of memory and
 * would take a third of the start.
 *
 * A conversion keeps its place until its thread is done. Nothing can end that thread, not even terminating a worker, and
 * libvips looks at the deadline only between rows: a progressive JPEG, an interlaced PNG and a WebP are decoded whole
 * before the first one. That is why the codec also limits the structure of a file.
 */
export function createWebpConverter({ maxPixels, load = loadCodec, ...limits }: WebpConverterOptions): ImageConverter {
  const { maxConcurrent = navigator.hardwareConcurrency, maxWaiting = MAX_WAITING } = limits;
  const { timeoutSeconds = TIMEOUT_SECONDS } = limits;
  const limited = concurrencyLimit(maxConcurrent, { maxWaiting });
  let loaded: Promise<Codec> | undefined;
  const codec = () =>
    loaded ??= load().catch((error) => {
      loaded = undefined; // the next image tries again: the process may just have been out of file descriptors
      throw error;
    });
  return {
    toWebp: (bytes, options) =>
      limited(async () => await (await codec()).toWebp(bytes, { ...options, maxPixels, timeoutSeconds })),
  };
}

/** Importing the packages blocks the event loop for 25 and 15 ms; other requests have their turn in between. */
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
