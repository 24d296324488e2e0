import { AppError } from "../errors.ts";
import { errorJson } from "./error_body.ts";
import type { Handler } from "./outer_handler.ts";

/** A handler that can be brought to rest. */
export interface Drainable {
  handler: Handler;
  /** Refuses new requests; resolves once the last one that has a body is answered. */
  drain(): Promise<void>;
}

/**
 * `Deno.serve` takes the bodies that are still arriving away from their handlers when it is told to shut down.
 * So they are let finish before, while whoever comes now is sent elsewhere; requests without a body it lets finish
 * itself.
 */
export function drainable(next: Handler): Drainable {
  let running = 0;
  const rest = Promise.withResolvers<void>();
  let isDraining = false;
  return {
    async handler(req, info) {
      if (isDraining) return restarting();
      if (req.body === null) return await next(req, info);
      running++;
      try {
        return await next(req, info);
      } finally {
        running--;
        if (isDraining && running === 0) rest.resolve();
      }
    },
    drain() {
      isDraining = true;
      if (running === 0) rest.resolve();
      return rest.promise;
    },
  };
}

function restarting(): Response {
  const response = errorJson(new AppError("UNAVAILABLE", "The service is restarting", { retryAfterSeconds: 1 }));
  response.headers.set("Connection", "close");
  return response;
}
