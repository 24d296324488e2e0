import { AppError, validationFailed } from "../errors/errors.ts";
import { joinBytes } from "../bytes/bytes.ts";
import type { Chunks } from "../bytes/chunks.ts";
import type { StagedObject } from "../services/object_store.ts";
import type { ReceivedImage } from "../services/services.ts";
import { streamBytes } from "./body.ts";
import { decodeFormText, malformedForm, type Part, splitParts } from "./multipart_parts.ts";

/** More than any of our forms has, besides the files of a list. */
export const MULTIPART_MAX_PARTS = 16;
/** Further files of a list are read to the end, up to this number: most browsers show no response before that. */
export const MULTIPART_MAX_LISTED = 200;
/** Space for boundaries, part headers and text fields, in addition to the file. */
export const MULTIPART_OVERHEAD_BYTES = 64 * 1024;

/** Slower forms are aborted, because files for a bucket are held in memory. At this rate 5 MiB take six minutes. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
const FIRST_TEXT_BYTES = 256;

interface FileHead {
  name: string;
  /** As declared, without parameters, in lower case. */
  contentType: string;
}

/** What a file has become: an image that can be converted, or an object that can be stored. */
type StagedContent = { sizeBytes: number; image: ReceivedImage } | StagedObject;

/** A file, as it was sent: do not trust any of it. */
export type FormFile = FileHead & StagedContent;

/** The fields of a form by name: text, or a file if one was chosen; for the field of a list, all of them. */
export type MultipartForm = Record<string, string | FormFile | FormFile[]>;

export interface MultipartOptions {
  /** Takes the content of a file as it arrives. */
  stage(content: Chunks): Promise<StagedContent>;
  /**
   * The largest size of a file, or of a list. A larger file is reported before any problem that follows it in the form.
   */
  maxFileBytes: number;
  /** The field that may have several files. */
  list?: { name: string; maxFiles: number };
  /** Receives the fields as they arrive. It keeps those before a file that is too large. */
  form?: Map<string, MultipartForm[string]>;
}

/**
 * Reads a multipart form as it arrives. The platform's own `formData()` copies files twice, takes a body without an end
 * for an empty form, and does not limit the number of parts.
 *
 * @throws {AppError} UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, or VALIDATION_FAILED when the form is malformed, late
 * or incomplete, or has too many files. Source: RFC 7578.
 */
export async function parseMultipart(req: Request, options: MultipartOptions): Promise<MultipartForm> {
  const boundary = parseBoundary(req);
  const maxBytes = options.maxFileBytes + MULTIPART_OVERHEAD_BYTES;
  const { form = new Map(), list } = options;
  const isReadToLimit = options.form !== undefined;
  const body = streamBytes(req, {
    maxBytes,
    namedMaxBytes: options.maxFileBytes,
    isReadToLimit,
    minBytesPerSecond: MIN_BYTES_PER_SECOND,
  });
  const names = new Set<string>();
  const files: FormFile[] = [];
  let listed = 0;
  let textBytesLeft = MULTIPART_OVERHEAD_BYTES;
  for await (const part of splitParts(body, boundary)) {
    const { name, file } = parseHeaders(part);
    const isListed = file !== null && name === list?.name;
    if (names.has(name) && !isListed) throw validationFailed({ [name]: [{ rule: "once" }] });
    if (names.add(name).size > MULTIPART_MAX_PARTS || listed > MULTIPART_MAX_LISTED) throw malformedForm("parts");
    if (isListed && ++listed > list.maxFiles) {
      for await (const _ of part.content);
    } else if (file === null) {
      const bytes = await readText(part.content, { name, maxBytes: textBytesLeft });
      textBytesLeft -= bytes.length;
      form.set(name, decodeFormText(bytes));
    } else {
      const value = await readFile(part.content, { ...options, file });
      if (value === null) continue;
      if (isListed) files.push(value);
      form.set(name, isListed ? files : value);
    }
  }
  if (list && listed > list.maxFiles) {
    throw validationFailed({ [list.name]: [{ rule: "tooManyFiles", max: list.maxFiles }] });
  }
  return Object.fromEntries(form);
}

/** Whether the request says that its body is a multipart form. */
export function isMultipart(req: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(req.headers.get("content-type") ?? "");
}

function parseBoundary(req: Request): string {
  if (!isMultipart(req)) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", { reason: "multipart" });
  }
  const match = /;\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i.exec(
    req.headers.get("content-type")!,
  );
  if (match === null) throw malformedForm("noBoundary");
  return match[1] ?? match[2];
}

function parseHeaders({ headers }: Part): { name: string; file: FileHead | null } {
  const disposition = /\r\ncontent-disposition:[ \t]*form-data[ \t]*;([^\r\n]*)/i.exec(headers)?.[1] ?? "";
  const name = parameter(disposition, "name");
  if (name === null) throw malformedForm("partName");
  const encoding = /\r\ncontent-transfer-encoding:[ \t]*([^\s;]+)/i.exec(headers)?.[1];
  if (encoding && !/^(7bit|8bit|binary)$/i.test(encoding)) throw malformedForm("partEncoding");
  const filename = fileName(disposition);
  if (filename === null) return { name, file: null };
  const contentType = /\r\ncontent-type:[ \t]*([^\s;]+)/i.exec(headers)?.[1].toLowerCase() ?? "text/plain";
  return { name, file: { name: filename, contentType } };
}

/** .NET encodes a name that is not ASCII twice, once for emails. Its other form is `utf-8''`, then percent-encoded. */
function fileName(disposition: string): string | null {
  const filename = parameter(disposition, "filename");
  if (filename === null || !/^=\?.*\?=$/.test(filename)) return filename;
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(parameter(disposition, "filename*") ?? "") ?? [];
  try {
    return encoded === undefined ? filename : decodeURIComponent(encoded);
  } catch {
    return filename;
  }
}

/** Matches one parameter after another, so that a parameter inside another's quoted value is not found. */
const PARAMETER = /(?:^|;)\s*([^\s;="]+)\s*=\s*(?:"((?:\\"|[^"])*)"|([^\s;"]+))/g;

/**
 * Browsers percent-encode quotes and line breaks, curl puts a backslash before quotes, and .NET leaves out quotes
 * around simple values.
 */
function parameter(disposition: string, name: string): string | null {
  const found = disposition.matchAll(PARAMETER).find(([, each]) => each.toLowerCase() === name);
  const [, , quoted, token] = found ?? [];
  return token ?? quoted?.replaceAll('\\"', '"').replace(/%(22|0A|0D)/gi, decodeURIComponent) ?? null;
}

async function readText(
  content: Chunks,
  { name, maxBytes }: { name: string; maxBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const limit = { reason: "text", maxBytes: MULTIPART_OVERHEAD_BYTES, field: name } as const;
  const tooLarge = new AppError("PAYLOAD_TOO_LARGE", limit);
  return await joinBytes(upToLimit(content, maxBytes, tooLarge), { expectedBytes: FIRST_TEXT_BYTES, maxBytes });
}

/** Returns null for a file field in which no file was chosen. */
async function readFile(
  content: Chunks,
  { file, maxFileBytes, stage }: MultipartOptions & { file: FileHead },
): Promise<FormFile | null> {
  const tooLarge = new AppError("PAYLOAD_TOO_LARGE", { reason: "file", maxBytes: maxFileBytes });
  const staged = await stage(upToLimit(content, maxFileBytes, tooLarge));
  return file.name === "" && staged.sizeBytes === 0 ? null : { ...file, ...staged };
}

async function* upToLimit(content: Chunks, maxBytes: number, tooLarge: AppError): Chunks {
  let sizeBytes = 0;
  for await (const chunk of content) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw tooLarge;
    yield chunk;
  }
}
