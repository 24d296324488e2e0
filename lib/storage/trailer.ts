/**
 * Files of version 0.1.0 ended with their metadata: this many bytes of JSON, padded with spaces.
 */
export const TRAILER_BYTES = 512;

export interface Trailer {
  contentType: string;
  /** The hash of the content, in hexadecimal. */
  sha256: string;
}

/** The types that version 0.1.0 accepted. Anything else could not be sent in a header. */
const CONTENT_TYPE = /^[\w!#$&^.+*-]{1,127}\/[\w!#$&^.+*-]{1,127}$/;

/** Returns the metadata that the last bytes of a file are, or null if they are something else. */
export function parseTrailer(bytes: Uint8Array<ArrayBuffer>): Trailer | null {
  if (bytes.length !== TRAILER_BYTES || bytes[0] !== "{".charCodeAt(0)) return null;
  try {
    const { contentType, sha256 } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return CONTENT_TYPE.test(contentType) && /^[0-9a-f]{64}$/.test(sha256) ? { contentType, sha256 } : null;
  } catch {
    return null;
  }
}
