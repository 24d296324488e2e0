import { AppError } from "../errors.ts";
import type { WebpImage } from "../services.ts";
import type { ConversionAnswer, ConversionRequest } from "./conversion_requests.ts";
import { readImage } from "./converter_folder.ts";
import type { Message } from "./messages.ts";
import { decode, encodeAll, type Pixels } from "./webp_codec.ts";

/**
 * Answers the requests to a converter, which reads images from a folder. It holds an image from when it has been decoded
 * until it has been encoded.
 */
export function createConversion(folder: string): (request: ConversionRequest) => Promise<Message> {
  let pixels: Pixels | undefined;

  async function answer(request: ConversionRequest): Promise<Message> {
    if ("decode" in request) {
      pixels = await decode(await readImage(folder, request.decode.file), request.decode);
      return messageOf({ decoded: true });
    }
    const images = await encodeAll(pixels!, request.encode);
    pixels = undefined;
    return messageOf({ images: images.map(({ width, height }) => ({ width, height })) }, images);
  }

  return (request) => answer(request).catch((error) => messageOf(failureOf(error)));
}

function failureOf(error: unknown): ConversionAnswer {
  if (!(error instanceof AppError) || !error.is("IMAGE_INVALID")) {
    return { failed: error instanceof Error ? error.stack! : String(error) };
  }
  return { invalid: error.data, ...error.cause !== undefined && { cause: String(error.cause) } };
}

function messageOf(value: ConversionAnswer, images: WebpImage[] = []): Message {
  return { value, parts: images.map(({ bytes }) => bytes) };
}
