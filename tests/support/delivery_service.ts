/** A mail as it reached the delivery service. */
export interface DeliveredMail {
  key: string;
  authorization: string;
  body: { from: string; to: string; subject: string; html: string; text: string };
}

/** A delivery service on this machine that does what a test tells it to. */
export interface DeliveryService {
  url: string;
  /** Every request, refused ones too, in their order. */
  received: DeliveredMail[];
  /** How it answers from now on; by default it accepts. */
  answer: (mail: DeliveredMail) => Response | Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

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
      stopping.abort(); // answers that never come are not waited for
      return server.finished;
    },
  };
  return service;
}

export function accept({ key }: DeliveredMail): Response {
  return Response.json({ id: key });
}
