import { FoyerError } from "./errors.ts";
import type { WebhookEvent } from "./operations.ts";
import { headerOf, type IncomingRequest } from "./request.ts";

/** Source: Standard Webhooks, "Verifying webhook authenticity". */
const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = "whsec_";
/** Foyer's events are below 100 kB. */
const BODY_MAX_BYTES = 1_000_000;

/** A request whose body has been read, and not parsed. */
export interface ReceivedEvent extends Pick<IncomingRequest, "headers"> {
  body: string | Uint8Array;
}

/**
 * Returns the event that a webhook has received. An event comes at least once: its `id` is the same each time.
 *
 * @param secret `whsec_...`, as the page of the webhook showed it.
 * @throws {FoyerError} 400 SIGNATURE_INVALID if it is not from Foyer, or is older than five minutes.
 */
export async function readWebhook(received: Request | ReceivedEvent, secret: string): Promise<WebhookEvent> {
  const id = headerOf(received, "webhook-id") ?? "";
  const timestamp = headerOf(received, "webhook-timestamp") ?? "";
  const signatures = (headerOf(received, "webhook-signature") ?? "").split(" ");
  if (!/^\d{1,12}$/.test(timestamp)) throw refused("it is not signed");
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) {
    throw refused("it was sent more than five minutes ago, or the clock of this machine is wrong");
  }
  const key = await importSecret(secret);
  const body = await textOf(received.body);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures) {
    const bytes = signature.startsWith("v1,") ? bytesOf(signature.slice(3)) : null;
    // It compares in constant time.
    if (bytes !== null && await crypto.subtle.verify("HMAC", key, bytes, content)) {
      return { id, ...JSON.parse(body) };
    }
  }
  throw refused("no signature fits this body and this secret");
}

/** The signature is over the bytes that were sent, which nothing can make again from what they meant. */
async function textOf(body: Request["body"] | ReceivedEvent["body"]): Promise<string> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (body === null || typeof body.getReader === "function") return await readStream(body);
  throw new TypeError(
    'The body must be as it was sent: read it with express.raw({ type: "*/*" }), before express.json',
  );
}

/** Reads a body as text, and stops where it is longer than any event. */
async function readStream(body: Request["body"]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    size += part.value.length;
    if (size > BODY_MAX_BYTES) {
      await reader?.cancel();
      throw refused("it is too long");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(SECRET_PREFIX) ? bytesOf(secret.slice(SECRET_PREFIX.length)) : null;
  if (bytes === null) throw new TypeError(`A webhook's secret is ${SECRET_PREFIX} and base64`);
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** Decodes base64; null if it is none. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function refused(why: string): FoyerError {
  return new FoyerError(400, { code: "SIGNATURE_INVALID", message: `The event is refused: ${why}` });
}
