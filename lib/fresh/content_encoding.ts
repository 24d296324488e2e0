/** The encodings that a build makes, in order of preference. */
export type Encoding = "br" | "gzip";

/** The content of a file in one encoding. */
export interface EncodedContent {
  encoding: Encoding;
  content: Uint8Array<ArrayBuffer>;
}

/**
 * Selects the encoding to send: the one with the highest quality value, and the first of equals. Null stands for the
 * content as it is, which is also the fallback if the client refuses everything.
 *
 * Source: RFC 9110, 12.5.3. A missing header accepts anything there; here it selects null, as simple clients expect.
 */
export function selectEncoding(acceptEncoding: string | null, available: EncodedContent[]): EncodedContent | null {
  if (acceptEncoding === null) return null;
  const qualities = parseQualities(acceptEncoding);
  const quality = ({ encoding }: EncodedContent) => qualities.get(encoding) ?? qualities.get("*") ?? 0;
  const [best] = available.toSorted((a, b) => quality(b) - quality(a));
  const isPreferred = best && quality(best) > 0 && quality(best) >= (qualities.get("identity") ?? 0);
  return isPreferred ? best : null;
}

/** Reads the quality value of each coding; a malformed one counts as 0. */
function parseQualities(acceptEncoding: string): Map<string, number> {
  return new Map(
    acceptEncoding.toLowerCase().split(",").map((item) => {
      const [coding, weight = "q=1"] = item.split(";").map((part) => part.trim());
      return [coding, Number(/^q=([\d.]+)$/.exec(weight)?.[1] ?? 0) || 0];
    }),
  );
}
