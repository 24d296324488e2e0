/** The content encodings of a build. */
export type Encoding = "br" | "gzip";

/** The content of a file in one encoding. */
export interface EncodedContent {
  encoding: Encoding;
  content: Uint8Array<ArrayBuffer>;
}

/**
 * Selects the available encoding with the highest quality value, or the first of several. Returns null if the content
 * is to be sent uncompressed, which is also the fallback for clients that accept nothing.
 *
 * Source: RFC 9110, 12.5.3. Without the header, the RFC allows any encoding, but simple clients cannot decode one.
 */
export function selectEncoding(acceptEncoding: string | null, available: EncodedContent[]): EncodedContent | null {
  if (acceptEncoding === null) return null;
  const qualities = parseQualities(acceptEncoding);
  const quality = ({ encoding }: EncodedContent) => qualities.get(encoding) ?? qualities.get("*") ?? 0;
  const [best] = available.toSorted((a, b) => quality(b) - quality(a));
  const isPreferred = best && quality(best) > 0 && quality(best) >= (qualities.get("identity") ?? 0);
  return isPreferred ? best : null;
}

/** The rest is ignored. No client sends this many. */
const MAX_CODINGS = 20;
/** A coding has one parameter, its weight. */
const MAX_PARTS = 2;

/** Parses the quality value of each encoding. A malformed value counts as 0. */
function parseQualities(acceptEncoding: string): Map<string, number> {
  return new Map(
    acceptEncoding.toLowerCase().split(",", MAX_CODINGS).map((item) => {
      const [encoding, weight = "q=1"] = item.split(";", MAX_PARTS).map((part) => part.trim());
      return [encoding, Number(/^q=([\d.]+)$/.exec(weight)?.[1] ?? 0) || 0];
    }),
  );
}
