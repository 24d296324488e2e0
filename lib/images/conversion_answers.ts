import { AppError, type ErrorDataOf } from "../errors/errors.ts";
import type { ConvertedImage, WebpImage } from "../services/services.ts";
import type { ConversionAnswer } from "./conversion_requests.ts";
import type { Message } from "./messages.ts";

const MAX_SIDE = 16_383;
/** What an image can have too much of. */
const LIMITED: unknown[] = ["side", "pixels", "scans", "frames", "parts", "textBytes"];

/**
 * Checks that a converter has decoded the image.
 *
 * @throws {AppError} IMAGE_INVALID if it could not.
 */
export function requireDecoded(answer: Message): void {
  if (!("decoded" in contentOf(answer))) throw unexpected(answer);
}

/**
 * Returns the images of a converter's answer. A converter may have been taken over by the image, so nothing in its
 * answer is trusted.
 */
export function requireImages(answer: Message): ConvertedImage {
  const content = contentOf(answer);
  const sizes = "images" in content && Array.isArray(content.images) ? content.images : [];
  if (sizes.length !== answer.parts.length) throw unexpected(answer);
  const [image, ...variants] = answer.parts.map((bytes, i): WebpImage => {
    const { width, height } = Object(sizes[i]);
    if (!isSide(width) || !isSide(height) || !isWebp(bytes)) throw unexpected(answer);
    return { bytes, width, height };
  });
  if (image === undefined) throw unexpected(answer);
  return { ...image, variants };
}

function contentOf({ value }: Message): ConversionAnswer {
  const content: ConversionAnswer = Object(value);
  if ("invalid" in content) {
    throw new AppError("IMAGE_INVALID", { ...problemOf(content.invalid), cause: content.cause });
  }
  if ("failed" in content) throw new Error(`The converter failed: ${content.failed}`);
  return content;
}

/** Returns the problem with an image, or the general one if the converter names none that exists. */
function problemOf(value: unknown): ErrorDataOf<"IMAGE_INVALID"> {
  const { reason, max, contentType } = Object(value);
  if (reason === "interlaced" || reason === "colors") return { reason };
  if (reason === "type" && typeof contentType === "string") return { reason, contentType };
  if (LIMITED.includes(reason) && Number.isFinite(max)) return { reason, max };
  return { reason: "undecodable" };
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SIDE;
}

function isWebp(bytes: Uint8Array): boolean {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, 12));
  return text.startsWith("RIFF") && text.endsWith("WEBP");
}

function unexpected({ value }: Message): Error {
  return new Error(`Cannot use the answer of a converter: ${JSON.stringify(value)}`);
}
