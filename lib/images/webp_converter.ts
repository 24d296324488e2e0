import { concurrencyLimit, sharedPlaces } from "../concurrency_limit.ts";
import type { ImageConverter } from "../services.ts";
import { nextTurn } from "./next_turn.ts";

/** Limits the memory of waiting uploads, which may have 5 MiB each. */
export const MAX_WAITING = 32;

/** An image of 40 megapixels takes about two seconds to decode. */
const TIMEOUT_SECONDS = 10;

type Codec = Pick<typeof import("./webp_codec.ts"), "toWebp">;

export interface WebpConverterOptions {
  /** Images with more pixels are refused before they are decoded. */
  maxPixels: number;
  /** The number of cores by default. All converters of this process share it, also those of other isolates. */
  maxConcurrent?: number;
  /** How many other images may wait. */
  maxWaiting?: number;
  /** The time limit for decoding one image, a whole number. */
  timeoutSeconds?: number;
  /** Imports the packages by default. */
  load?: () => Promise<Codec>;
}

/**
 * Converts as many images at a time as the limits allow. The first one loads the codec. Loading it at the start would
 * take 40 MB of memory and a third of the startup time.
 *
 * A conversion keeps its place until its thread has finished. Nothing can end that thread, not even terminating a
 * worker, and libvips checks the deadline only between rows. A progressive JPEG, an interlaced PNG and a WebP are
 * decoded completely before the first row, so the codec also limits the structure of a file.
 */
export function createWebpConverter({ maxPixels, load = loadCodec, ...limits }: WebpConverterOptions): ImageConverter {
  const { maxConcurrent = navigator.hardwareConcurrency, maxWaiting = MAX_WAITING } = limits;
  const { timeoutSeconds = TIMEOUT_SECONDS } = limits;
  const places = sharedPlaces("conversion of images", maxConcurrent);
  const limited = concurrencyLimit(maxConcurrent, { maxWaiting });
  let loaded: Promise<Codec> | undefined;
  const codec = () =>
    loaded ??= load().catch((error) => {
      loaded = undefined; // the next image tries again: the process may just have been out of file descriptors
      throw error;
    });
  return {
    toWebp: (bytes, options) =>
      limited(() =>
        places.run(async () =>
          await (await codec()).toWebp(bytes, { ...options, maxPixels, timeoutSeconds, runNow: places.runNow })
        )
      ),
  };
}

/** Importing the packages blocks the event loop for 25 and 15 ms, so this lets other requests run in between. */
async function loadCodec(): Promise<Codec> {
  await nextTurn();
  await import("sharp");
  await nextTurn();
  await import("imagescript");
  await nextTurn();
  return await import("./webp_codec.ts");
}
