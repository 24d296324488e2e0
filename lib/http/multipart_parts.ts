import type { Chunks } from "../bytes/chunks.ts";
import { AppError, type FormDefect } from "../errors/errors.ts";
import { type ByteSearch, byteSearch } from "./byte_search.ts";

const PART_HEADERS_MAX_BYTES = 8 * 1024;
const END_OF_HEADERS = byteSearch("\r\n\r\n");
const [DASH, CR, LF] = [0x2d, 0x0d, 0x0a];

/** One part of a multipart body. Read its content to the end before you take the next part. */
export interface Part {
  headers: string;
  content: Chunks;
}

/**
 * Splits a multipart body into its parts while it arrives. Holds one chunk and a boundary's length in memory.
 *
 * @throws {AppError} VALIDATION_FAILED when the body is malformed. Source: RFC 2046, 5.1.
 */
export async function* splitParts(body: Chunks, boundary: string): AsyncGenerator<Part> {
  const delimiter = byteSearch(`\r\n--${boundary}`);
  const chunks = body[Symbol.asyncIterator]();
  const scanner = createScanner(chunks);
  try {
    for await (const bytes of scanner.upTo(delimiter, "start")) {
      if (bytes.length > 0) throw malformedForm("start");
    }
    while (!await scanner.isAtEnd()) {
      const headers = await readHeaders(scanner.upTo(END_OF_HEADERS, "end"));
      yield { headers, content: scanner.upTo(delimiter, "end") };
    }
    while (!(await chunks.next()).done); // the sender may still be busy with what follows the last boundary
  } finally {
    await chunks.return?.();
  }
}

/** The error for a form that does not follow the format. */
export function malformedForm(reason: FormDefect): AppError {
  return new AppError("VALIDATION_FAILED", { reason });
}

/** Decodes text that must be UTF-8. */
export function decodeFormText(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformedForm("formText");
  }
}

async function readHeaders(chunks: Chunks): Promise<string> {
  let headers = new Uint8Array(0);
  for await (const chunk of chunks) {
    headers = joined(headers, chunk);
    if (headers.length > PART_HEADERS_MAX_BYTES) throw malformedForm("partHeaders");
  }
  return decodeHeaders(headers).replaceAll(FOLD, " ");
}

/** A line break inside a header, which some programs write after 78 characters. Source: RFC 5322, 2.2.3. */
const FOLD = /\r\n(?=[ \t])/g;

/** Old programs write file names in Latin-1, as do pages that are. Whatever is not UTF-8 must be that. */
function decodeHeaders(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function createScanner(chunks: AsyncIterator<Uint8Array<ArrayBuffer>>) {
  // The line break that precedes every boundary but the first.
  let rest = new Uint8Array([CR, LF]);
  async function readMore(defect: FormDefect): Promise<void> {
    const { done, value } = await chunks.next();
    if (done) throw malformedForm(defect);
    rest = joined(rest, value);
  }
  return {
    /** Whether a boundary was the last one: two dashes follow it. */
    async isAtEnd(): Promise<boolean> {
      while (rest.length < 2) await readMore("end");
      return rest[0] === DASH && rest[1] === DASH;
    },
    /** Yields the bytes up to the delimiter and skips it. `defect` says what is wrong if it never comes. */
    async *upTo(delimiter: ByteSearch, defect: FormDefect): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      while (true) {
        const at = delimiter.indexIn(rest);
        const length = at === -1 ? rest.length - delimiter.startAtEndOf(rest) : at;
        const bytes = rest.subarray(0, length);
        rest = rest.subarray(at === -1 ? length : at + delimiter.length);
        if (bytes.length > 0) yield bytes;
        if (at !== -1) return;
        await readMore(defect);
      }
    },
  };
}

function joined(first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (first.length === 0) return second;
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
