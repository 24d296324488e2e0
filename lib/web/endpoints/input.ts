import type { z } from "zod";
import { type Entry, methodAndPath } from "../../api/entry.ts";
import { type MultipartForm, type MultipartOptions, parseMultipart } from "../../http/multipart.ts";
import { parseJson, validate } from "../../http/parse.ts";
import { parseNoBody, readJson, readOptionalJson } from "../../http/text_body.ts";

/** The validated body of a request; undefined if the entry has none. */
export type InputOf<E extends Entry> = E extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;

/** The validated query of a request; undefined if the entry has none. */
export type QueryOf<E extends Entry> = E extends { query: infer Query extends z.ZodType } ? z.output<Query> : undefined;

/** The body as it was sent: bytes, or a form with a file. */
type RawBody = Uint8Array<ArrayBuffer> | MultipartForm;

/** Reads and validates the body of a request in two steps: a repeated request is recognized by what was sent. */
export interface BodyReader {
  /** @param stage takes the content of a file. */
  read(req: Request, stage: MultipartOptions["stage"]): Promise<RawBody | void>;
  validate(raw: RawBody): unknown;
}

/** Returns how the entry takes its body, or null for reads, which have none. */
export function bodyReader(key: string, { body, bodyIsOptional, file }: Entry): BodyReader | null {
  if (body === undefined) {
    return methodAndPath(key).method === "GET" ? null : { read: parseNoBody, validate: () => undefined };
  }
  if (file === undefined) {
    const read = bodyIsOptional ? readOptionalJson : readJson;
    return { read, validate: (raw) => parseJson(raw as Uint8Array<ArrayBuffer>, body) };
  }
  return {
    read: (req, stage) => parseMultipart(req, { maxFileBytes: file.maxBytes, stage }),
    validate: (raw) => validate(body, raw),
  };
}
