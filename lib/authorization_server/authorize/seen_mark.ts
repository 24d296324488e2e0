import type { AppSecrets } from "../../crypto/derived_key.ts";
import { deriveKeys, isSignedBy } from "../../crypto/derived_key.ts";
import { HOUR_SECONDS, secondsAfter } from "../../duration.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import type { Services } from "../../services/services.ts";
import type { AuthorizeRequest } from "./authorize_request.ts";

/**
 * When a request to authorize was first seen. It travels in the query, through the pages that the person must visit
 * first, so that one login fulfils prompt=login, and the same login is not asked for again.
 */
export interface Seen {
  at: Date;
  /** Whether the person of the session has chosen this account since. */
  isChosen: boolean;
}

const NAME = "seen";
const LIFETIME_SECONDS = HOUR_SECONDS;
const BASE = 36;

/** Separates our mark from what the app has sent. */
export function splitMark(query: string): { query: string; mark: string | null } {
  const parts = query.split("&");
  const isMark = (part: string) => part.startsWith(`${NAME}=`);
  const mark = parts.find(isMark)?.slice(NAME.length + 1) ?? null;
  return { query: parts.filter((part) => !isMark(part)).join("&"), mark };
}

/** What a mark is bound to: it is worth nothing for other requests. */
interface MarkPlace extends Pick<AuthorizeRequest, "state"> {
  client: Pick<RegisteredClient, "id">;
  /** The id of the user, once they have chosen their account; null before that. */
  chosenBy: string | null;
}

/** Returns the query with a signed mark in place of an earlier one. */
export async function withMark(
  { config }: { config: AppSecrets },
  query: string,
  { at, ...place }: MarkPlace & { at: Date },
): Promise<string> {
  const time = at.getTime().toString(BASE);
  const [key] = await keysOf(config);
  const signature = await crypto.subtle.sign("HMAC", key, bytesOf(time, place));
  const mac = new Uint8Array(signature).toBase64({ alphabet: "base64url", omitPadding: true });
  return `${splitMark(query).query}&${NAME}=${time}.${mac}`;
}

/** Reads a mark. Returns null for a missing, damaged or expired one, and for one of another request or person. */
export async function readMark(
  { config, now }: Pick<Services, "config" | "now">,
  mark: string | null,
  { userId, ...request }: Omit<MarkPlace, "chosenBy"> & { userId: string | null },
): Promise<Seen | null> {
  const [, time, mac] = /^([0-9a-z]{1,11})\.([\w-]{43})$/.exec(mark ?? "") ?? [];
  if (time === undefined) return null;
  const at = new Date(parseInt(time, BASE));
  if (!(at <= now() && now() < secondsAfter(at, LIFETIME_SECONDS))) return null;
  const keys = await keysOf(config);
  const signature = signatureOf(mac);
  const isSigned = async (chosenBy: string | null) =>
    signature !== null && await isSignedBy(keys, { signature, bytes: bytesOf(time, { ...request, chosenBy }) });
  if (await isSigned(null)) return { at, isChosen: false };
  return userId !== null && await isSigned(userId) ? { at, isChosen: true } : null;
}

function signatureOf(mac: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.fromBase64(mac, { alphabet: "base64url" });
  } catch {
    return null;
  }
}

function bytesOf(time: string, { client, state, chosenBy }: MarkPlace): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([time, client.id, state, chosenBy]));
}

function keysOf(secrets: AppSecrets): Promise<CryptoKey[]> {
  const algorithm = { name: "HMAC", hash: "SHA-256" } as HmacImportParams;
  return deriveKeys(secrets, { name: "authorize_marks", algorithm, usages: ["sign", "verify"] });
}
