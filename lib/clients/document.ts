import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { DAY_SECONDS, MINUTE_SECONDS, SECOND_MS } from "../duration.ts";
import { RequestError, sendGuarded } from "../network/guarded_request.ts";
import { webAddressProblem } from "./addresses.ts";
import { name } from "./client_schema.ts";
import { checkedText, listOf, required, text } from "./file_fields.ts";
import { issueSentence } from "./file_sentences.ts";

/** The metadata documents of unregistered clients. Source: OAuth Client ID Metadata Document, 4. */

const TIMEOUT_MS = 5 * SECOND_MS;
const MAX_BYTES = 8 * 1024;
const REDIRECT_URIS_MAX = 10;
/** How long a document counts without being read again, whatever its `Cache-Control` says. */
const FRESH = { min: 5 * MINUTE_SECONDS, max: DAY_SECONDS };

/** What a document says that counts here. */
export interface ClientDocument {
  name: string;
  redirectUris: string[];
  /** For how long it counts. */
  freshSeconds: number;
}

/** Why a document cannot be used. The message holds nothing of the document, for its developers and the log. */
export class DocumentError extends Error {
  override name = "DocumentError";
}

/** Everything else is ignored. */
const DocumentSchema = z.object({
  client_id: text,
  client_name: name,
  redirect_uris: listOf(checkedText(webAddressProblem), { min: 1, max: REDIRECT_URIS_MAX }),
  token_endpoint_auth_method: z.literal("none", { error: 'must be "none"' }),
  client_secret: z.undefined({ error: "must not be there: everyone can read the document" }).optional(),
  response_types: z.array(text).refine((types) => types.includes("code"), "must have code").optional(),
}, { error: required({ rule: "object" }) });

/**
 * Reads the document at an address.
 *
 * @param options.allowsPrivate whether it may be inside.
 * @throws {DocumentError}
 */
export async function readDocument(url: URL, { id, allowsPrivate }: { id: string; allowsPrivate: boolean }) {
  const request = {
    method: "GET",
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  } as const;
  const guard = { mayBeInside: () => allowsPrivate };
  const { body, cacheControl } = await sendGuarded(url, request, { guard, read: bodyOf }).catch((error) => {
    throw error instanceof RequestError ? new DocumentError(FAILURES[error.failure]) : error;
  });
  return { ...checkDocument(body, id), freshSeconds: freshSeconds(cacheControl) };
}

const NOT_PUBLIC = "its host is not on the public Internet";
const FAILURES: Record<RequestError["failure"], string> = {
  // One sentence: which names have an address inside is nobody's business.
  name: NOT_PUBLIC,
  address: NOT_PUBLIC,
  connection: "its host cannot be reached",
  certificate: "the certificate of its host was refused",
  timeout: `its host did not send it within ${TIMEOUT_MS / SECOND_MS} seconds`,
};

/** @throws {DocumentError} */
async function bodyOf(response: IncomingMessage): Promise<{ body: string; cacheControl: string }> {
  const { statusCode, headers } = response;
  if (statusCode !== 200) throw new DocumentError(`its host answered with status ${statusCode}, not 200`);
  if (!/^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i.test(headers["content-type"] ?? "")) {
    throw new DocumentError("its content type is not application/json");
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new DocumentError(`it has more than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof DocumentError ? error : new DocumentError(FAILURES.connection);
  }
  const bytes = new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  try {
    const body = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { body, cacheControl: headers["cache-control"] ?? "" };
  } catch {
    throw new DocumentError("it is not UTF-8");
  }
}

/**
 * Checks the text of a document.
 *
 * @throws {DocumentError}
 */
export function checkDocument(body: string, id: string): Omit<ClientDocument, "freshSeconds"> {
  const { data, error } = DocumentSchema.safeParse(parseJson(body));
  if (error !== undefined) {
    const [issue] = error.issues;
    const [field, ...rest] = issue.path;
    const position = field === undefined
      ? "it"
      : `${String(field)}${rest.map((index) => `[${String(index)}]`).join("")}`;
    throw new DocumentError(`${position} ${issueSentence(issue)}`);
  }
  if (data.client_id !== id) throw new DocumentError("client_id is not the address of the document, to the letter");
  return { name: data.client_name, redirectUris: [...new Set(data.redirect_uris)] };
}

/** @throws {DocumentError} */
function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new DocumentError("it is not JSON");
  }
}

function freshSeconds(cacheControl: string): number {
  const maxAge = /(?:^|[\s,])max-age=(\d+)/i.exec(cacheControl)?.[1];
  const isStored = !/(?:^|[\s,])no-(?:store|cache)\b/i.test(cacheControl);
  return Math.min(Math.max(isStored ? Number(maxAge ?? 0) : 0, FRESH.min), FRESH.max);
}
