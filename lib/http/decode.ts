import { AppError } from "../errors/errors.ts";

/**
 * Decodes text that must be UTF-8.
 *
 * @throws {AppError} INVALID_JSON.
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string {
  return requireUtf8(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/**
 * Decodes text, and turns the error of the decoder into ours.
 *
 * @throws {AppError} INVALID_JSON.
 */
export function requireUtf8(decode: () => string): string {
  try {
    return decode();
  } catch (cause) {
    throw new AppError("INVALID_JSON", { reason: "utf8", cause });
  }
}

/**
 * Decodes the text of a JSON object.
 *
 * @throws {AppError} INVALID_JSON.
 */
export function decodeObject(bytes: Uint8Array<ArrayBuffer>): object {
  const value = parseValue(decodeText(bytes));
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new AppError("INVALID_JSON", { reason: "object" });
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_JSON", { reason: "syntax", cause });
  }
}
