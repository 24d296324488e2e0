import { Webhook } from "standardwebhooks";
import type { WebhookKind } from "../../../lib/activity/kinds.ts";

/** A message as a receiver gets it. */
export interface ReceivedWebhook {
  path: string;
  headers: Record<string, string>;
  /** As it was sent, because the signature covers every byte. */
  text: string;
  body: WebhookBody;
}

/** The content of a message. */
export interface WebhookBody {
  type: WebhookKind;
  timestamp: string;
  data: { userId: string | null; actorId: string | null; actor: string | null; details: Record<string, unknown> };
}

/** A receiver of webhooks on this machine whose behavior the test controls. */
export interface WebhookReceiver {
  url: string;
  /** All requests in order, including refused ones. */
  received: ReceivedWebhook[];
  /** Computes the response to each request. Accepts every message by default. */
  answer: (message: ReceivedWebhook) => Response | Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a receiver. */
export function startReceiver({ port = 0, hostname = "127.0.0.1", tls = {} }: {
  port?: number;
  hostname?: string;
  tls?: { cert: string; key: string } | Record<never, never>;
} = {}): WebhookReceiver {
  const stopping = new AbortController();
  const options = { port, hostname, signal: stopping.signal, onListen() {}, ...tls };
  const server = Deno.serve(options, async (request) => {
    const text = await request.text();
    const { pathname: path } = new URL(request.url);
    const message = { path, headers: Object.fromEntries(request.headers), text, body: JSON.parse(text) };
    receiver.received.push(message);
    return await receiver.answer(message);
  });
  const receiver: WebhookReceiver = {
    url: `http://${hostname}:${server.addr.port}`,
    received: [],
    answer: acceptWebhook,
    [Symbol.asyncDispose]() {
      stopping.abort(); // does not wait for responses that never come
      return server.finished;
    },
  };
  return receiver;
}

/** The response to an accepted message. */
export function acceptWebhook(): Response {
  return new Response(null, { status: 204 });
}

/** Whether a message is signed with this secret, as the library of Standard Webhooks checks it. */
export function isSigned({ text, headers }: ReceivedWebhook, secret: string): boolean {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
