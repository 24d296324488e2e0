/** Searches bytes for one sequence. */
export interface ByteSearch {
  length: number;
  /** Returns the position of the first occurrence, or -1. */
  indexIn(bytes: Uint8Array): number;
  /** Returns how many bytes at the end may be the start of an occurrence. */
  startAtEndOf(bytes: Uint8Array): number;
}

/**
 * Prepares a search for a text of at most 255 characters, each of which is one byte. It looks at every tenth byte or
 * fewer of a photo: a byte that is not in the text rules out as many places as the text is long. Searching a string,
 * which the platform does natively, would need a copy. Source: Horspool, 1980.
 */
export function byteSearch(text: string): ByteSearch {
  const wanted = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const { length } = wanted;
  const steps = new Uint8Array(256).fill(length);
  for (let i = 0; i < length - 1; i++) steps[wanted[i]] = length - 1 - i;

  /** Whether the bytes from a position on, up to the length or the end, are those of the text. */
  function matches(bytes: Uint8Array, at: number): boolean {
    const end = Math.min(at + length, bytes.length);
    for (let i = at; i < end; i++) if (bytes[i] !== wanted[i - at]) return false;
    return true;
  }

  return {
    length,
    indexIn(bytes) {
      const lastByte = wanted[length - 1];
      for (let end = length - 1; end < bytes.length; end += steps[bytes[end]]) {
        if (bytes[end] === lastByte && matches(bytes, end - length + 1)) return end - length + 1;
      }
      return -1;
    },
    startAtEndOf(bytes) {
      let at = Math.max(0, bytes.length - length + 1);
      while (!matches(bytes, at)) at++;
      return bytes.length - at;
    },
  };
}
