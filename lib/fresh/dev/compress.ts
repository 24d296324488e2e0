import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { EncodedContent, Encoding } from "../static/content_encoding.ts";

/** Quality 11, the highest, takes ten times as long and saves another 3%. */
const BROTLI_QUALITY = 10;
const COMPRESSIBLE = /^text\/|\b(json|xml)\b/;

const compressors: [Encoding, (content: Uint8Array) => Promise<Uint8Array>][] = [
  [
    "br",
    (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  ],
  ["gzip", (content) => promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION })],
];

/** Compresses text. Leaves out encodings that are not smaller than the content. */
export async function compress(contentType: string, content: Uint8Array): Promise<EncodedContent[]> {
  if (!COMPRESSIBLE.test(contentType)) return [];
  const encoded = await Promise.all(compressors.map(async ([encoding, compressContent]) => ({
    encoding,
    content: new Uint8Array(await compressContent(content)),
  })));
  return encoded.filter((each) => each.content.length < content.length);
}
