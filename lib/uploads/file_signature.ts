import { IMAGE_SIGNATURES, startsWith } from "./rules.ts";

/** Enough bytes of a file to recognize its type. */
export const SIGNATURE_BYTES = 1024;

/** The first box of a file in the ISO base media format, or in QuickTime's older variant. Source: ISO/IEC 14496-12. */
const BOXES = ["ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "pnot"].map((type) => `????${type}`);
const ZIP = ["PK\x03\x04", "PK\x05\x06", "PK\x07\x08"];
const MATROSKA = ["\x1aE\xdf\xa3"];
const OGG = ["OggS"];
const WAVE = ["RIFF????WAVE", "RIFX????WAVE", "RF64????WAVE", "BW64????WAVE"];
/** A frame of any layer, with or without a checksum, or the tag before the first one. Source: ISO/IEC 11172-3. */
const MPEG_AUDIO = [
  "ID3",
  ...[..."\xe2\xe3\xe4\xe5\xf2\xf3\xf4\xf5\xf6\xf7\xfa\xfb\xfc\xfd\xfe\xff"].map((byte) => `\xff${byte}`),
];
const AAC = ["ADIF", "ID3", "\xff\xf0", "\xff\xf1", "\xff\xf8", "\xff\xf9"];
/** Audio in frames, of which none is the first by its position. */
const STREAMS = [MPEG_AUDIO, AAC];

/** The types of containers: the pattern of the type, and the signatures of which a file has one. */
const CONTAINER_SIGNATURES: [type: RegExp, signatures: string[]][] = [
  [/^image\/(avif|hei[cf])(-sequence)?$/, ["????ftyp"]],
  [/^image\/(x-ms-)?bmp$/, ["BM"]],
  [/^image\/tiff$/, ["II*\0", "MM\0*", "II+\0", "MM\0+"]],
  [/^(video\/(mp4|quicktime|3gpp2?|x-m4v)|audio\/(mp4|x-m4a|m4a))$/, BOXES],
  [/^(video|audio)\/(webm|(x-)?matroska)$/, MATROSKA],
  [/^((video|audio|application)\/ogg|audio\/opus)$/, OGG],
  [/^audio\/(x-)?flac$/, ["fLaC", "ID3"]],
  [/^audio\/(mpeg|mp3)$/, MPEG_AUDIO],
  [/^audio\/(x-)?(aac|aacp)$/, AAC],
  [/^audio\/(x-wav|wav|wave|vnd\.wave)$/, WAVE],
  [/^(video\/(x-msvideo|avi|vnd\.avi))$/, ["RIFF????AVI "]],
  [/^application\/(zip|x-zip-compressed|java-archive|epub\+zip)$/, ZIP],
  [/^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument)\./, ZIP],
  [/^application\/(x-)?gzip$/, ["\x1f\x8b"]],
  [/^application\/x-7z-compressed$/, ["7z\xbc\xaf\x27\x1c"]],
  [/^application\/(vnd\.rar|x-rar-compressed)$/, ["Rar!\x1a\x07"]],
];

/**
 * Whether the first bytes of a file may be of a type. Types without a known signature, such as text, match any bytes.
 *
 * @param bytes the first {@linkcode SIGNATURE_BYTES} bytes.
 */
export function matchesType(bytes: Uint8Array, contentType: string): boolean {
  const type = contentType.toLowerCase();
  // Readers accept a PDF whose header is within the first 1,024 bytes. Source: Adobe, PDF 1.7, Implementation note 13.
  if (type === "application/pdf") return latin1(bytes).includes("%PDF-");
  const imageSignatures = IMAGE_SIGNATURES.filter(([, each]) => each === type).map(([signature]) => signature);
  const signatures = imageSignatures.length > 0
    ? imageSignatures
    : CONTAINER_SIGNATURES.find(([pattern]) => pattern.test(type))?.[1];
  if (signatures === undefined) return true;
  const content = STREAMS.includes(signatures) ? withoutPadding(bytes) : bytes;
  return signatures.some((signature) => startsWith(content, signature));
}

/** Some recorders and cutters leave zeros before the first frame, which every player skips. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(Math.max(bytes.findIndex((byte) => byte !== 0), 0));
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
