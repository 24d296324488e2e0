import { AppError } from "../errors/errors.ts";
import type { WebpImage } from "../services/services.ts";
import type { ConversionAnswer, ConversionRequest } from "./conversion_requests.ts";
import { readImage } from "./converter_folder.ts";
import type { Message } from "./messages.ts";
import { decode, encodeAll } from "./webp_codec.ts";

/** Converts an image of a folder. Yields the answers of a converter. */
export async function* convert(
  folder: string,
  { file, variantWidths, ...decoding }: ConversionRequest,
): AsyncGenerator<Message, void> {
  try {
    const pixels = await decode(await readImage(folder, file), decoding);
    yield messageOf({ decoded: true });
    const images = await encodeAll(pixels, variantWidths);
    yield messageOf({ images: images.map(({ width, height }) => ({ width, height })) }, images);
  } catch (error) {
    yield messageOf(failureOf(error));
  }
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
