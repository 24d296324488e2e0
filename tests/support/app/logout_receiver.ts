import { createLogoutDispatcher } from "../../../lib/authorization_server/logout/logout_queue.ts";
import type { Services } from "../../../lib/services/services.ts";

/** A logout token as an app gets it. */
export interface ReceivedLogout {
  path: string;
  contentType: string | null;
  token: string;
}

/** The place at which an app hears of logouts. The test controls its behavior. */
export interface LogoutReceiver {
  url: string;
  /** All requests in order, including refused ones. */
  received: ReceivedLogout[];
  answer: (logout: ReceivedLogout) => Response | Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a receiver of logout tokens on this machine. It accepts all by default. */
export function startLogoutReceiver({ port = 0 }: { port?: number } = {}): LogoutReceiver {
  const stopping = new AbortController();
  const options = { port, hostname: "127.0.0.1", signal: stopping.signal, onListen() {} };
  const server = Deno.serve(options, async (request) => {
    const token = new URLSearchParams(await request.text()).get("logout_token") ?? "";
    const logout = { path: new URL(request.url).pathname, contentType: request.headers.get("content-type"), token };
    receiver.received.push(logout);
    return await receiver.answer(logout);
  });
  const receiver: LogoutReceiver = {
    url: `http://127.0.0.1:${server.addr.port}`,
    received: [],
    answer: acceptLogout,
    [Symbol.asyncDispose]() {
      stopping.abort(); // does not wait for responses that never come
      return server.finished;
    },
  };
  return receiver;
}

/** The response to an accepted logout. */
export function acceptLogout(): Response {
  return new Response(null, { status: 200 });
}

/** Sends the logouts that are due, waits until all attempts have ended and returns how many there were. */
export async function deliverDueLogouts(services: Services): Promise<number> {
  const dispatcher = createLogoutDispatcher(services);
  const count = await dispatcher.dispatch();
  await dispatcher.waitUntilIdle();
  return count;
}
