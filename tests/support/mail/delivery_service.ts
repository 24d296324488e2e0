/** An email as the delivery service received it. */
export interface DeliveredMail {
  key: string;
  authorization: string;
  body: { from: string; to: string; subject: string; html: string; text: string; headers: Record<string, string> };
}

/** A delivery service on this machine whose behavior the test controls. */
export interface DeliveryService {
  url: string;
  /** All requests in order, including refused ones. */
  received: DeliveredMail[];
  /** Computes the response to each request. Accepts every email by default. */
  answer: (mail: DeliveredMail) => Response | Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a delivery service. */
export function startDeliveryService(port = 0): DeliveryService {
  const stopping = new AbortController();
  const { signal } = stopping;
  const server = Deno.serve({ port, hostname: "127.0.0.1", signal, onListen() {} }, async (request) => {
    if (request.method !== "POST" || new URL(request.url).pathname !== "/emails") {
      return new Response(null, { status: 404 });
    }
    const mail = {
      key: request.headers.get("Idempotency-Key") ?? "",
      authorization: request.headers.get("Authorization") ?? "",
      body: await request.json(),
    };
    service.received.push(mail);
    return await service.answer(mail);
  });
  const service: DeliveryService = {
    url: `http://127.0.0.1:${server.addr.port}`,
    received: [],
    answer: accept,
    [Symbol.asyncDispose]() {
      stopping.abort(); // does not wait for responses that never come
      return server.finished;
    },
  };
  return service;
}

/** The response to an accepted email. */
export function accept({ key }: DeliveredMail): Response {
  return Response.json({ id: key });
}
