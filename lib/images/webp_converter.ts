import { concurrencyLimit } from "../turns/concurrency_limit.ts";
import { currentClient } from "../turns/current_client.ts";
import { MINUTE_SECONDS, SECOND_MS } from "../duration.ts";
import { AppError } from "../errors/errors.ts";
import type { ConversionCounts } from "../metrics/metrics.ts";
import type { ConvertedImage, ImageConverter } from "../services/services.ts";
import { requireDecoded, requireImages } from "./conversion_answers.ts";
import type { ConversionRequest } from "./conversion_requests.ts";
import type { Converter } from "./converter_connection.ts";

/** In each isolate. Memory for their bytes has a separate limit. */
const MAX_WAITING = 80;

/** An image of 40 megapixels takes about two seconds to decode. */
const DECODING_SECONDS = 10;
const ENCODING_SECONDS = MINUTE_SECONDS;
const RETRY_AFTER_SECONDS = 5;

export interface WebpConverterOptions {
  /** Writes an image where converters can read it. */
  receive: ImageConverter["receive"];
  /** Waits for a converter, and has it convert an image. */
  borrow(request: ConversionRequest): Promise<Converter>;
  /** Images with more pixels are refused before they are decoded. */
  maxPixels: number;
  /**
   * How many images ask for a converter. By default one more than there are cores, so that a free converter gets its
   * next image at once.
   */
  maxConcurrent?: number;
  /** How many other images may wait. */
  maxWaiting?: number;
  /** The time limit for decoding one image. */
  decodingSeconds?: number;
  /** Is kept up to date with the images of this isolate. */
  counts?: ConversionCounts;
}

type ToWebpParameters = Parameters<ImageConverter["toWebp"]>;

/**
 * Converts as many images at a time as the limits allow. Clients and users take turns. Each image has a converter of
 * its own: a process that may load native code and do nothing else. Nothing but the end of the process can end a
 * decoder that hangs, and an image that crashes its converter harms no other image.
 */
export function createWebpConverter({ receive, borrow, maxPixels, ...limits }: WebpConverterOptions): ImageConverter {
  const { maxConcurrent = navigator.hardwareConcurrency + 1, maxWaiting = MAX_WAITING } = limits;
  const { decodingSeconds = DECODING_SECONDS, counts = { running: 0, waiting: 0 } } = limits;
  const limited = concurrencyLimit(maxConcurrent, { maxWaiting });
  const convert = async (
    { file }: ToWebpParameters[0],
    { variantWidths = [], ...options }: ToWebpParameters[1],
    onStart: () => void,
  ): Promise<ConvertedImage> => {
    const converter = await borrow({ ...options, file, maxPixels, variantWidths });
    onStart();
    return await usingConverter(converter, async () => {
      await withDeadline(converter, decodingSeconds, async () => requireDecoded(await converter.receive()));
      return await withDeadline(converter, ENCODING_SECONDS, async () => requireImages(await converter.receive()));
    });
  };
  return {
    receive: (content) => receive(content).catch(asUnavailable),
    toWebp: (image, { owner = "", ...options }) =>
      counted(
        counts,
        (onStart) => limited(() => convert(image, options, onStart), { owners: [...currentClient(), owner] }),
      ).catch(asUnavailable),
  };
}

/** Counts an image as waiting, and as running once `convert` calls the function that it gets. */
async function counted<T>(counts: ConversionCounts, convert: (onStart: () => void) => Promise<T>): Promise<T> {
  let state: keyof ConversionCounts | null = null;
  const change = (next: typeof state) => {
    if (state !== null) counts[state]--;
    if (next !== null) counts[next]++;
    state = next;
  };
  change("waiting");
  try {
    return await convert(() => change("running"));
  } finally {
    change(null);
  }
}

/** Gives the converter back if its answers are well-formed. Otherwise an image may have taken it over, and it ends. */
async function usingConverter<T>(converter: Converter, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof AppError)) converter.close();
    throw error;
  } finally {
    await converter.giveBack();
  }
}

/**
 * Ends the converter at the deadline. A timeout counts as an invalid image, because the largest ordinary image takes a
 * fraction of that time. After UNAVAILABLE, clients would retry, and each attempt would cost as much.
 */
async function withDeadline<T>(converter: Converter, seconds: number, task: () => Promise<T>): Promise<T> {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    converter.close();
  }, seconds * SECOND_MS);
  try {
    return await task();
  } catch (cause) {
    throw isOver ? new AppError("IMAGE_INVALID", { reason: "slow", cause }) : cause;
  } finally {
    clearTimeout(timer);
  }
}

/** A converter that ends costs its image, which may be sent again. */
function asUnavailable(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  throw new AppError("UNAVAILABLE", { reason: "conversion", retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}
