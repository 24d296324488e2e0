import { HttpError } from "fresh";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Adds to handlers by method what the other methods get: 405, and to OPTIONS the list of those that are allowed.
 * Fresh loads file routes when they are first asked for, knows no methods before, and would answer 404.
 */
export function answerOtherMethods<T extends object>(handlers: T): T {
  if (typeof handlers === "function") return handlers;
  const allowed = Object.keys(handlers).flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
  const refuse = () => {
    throw new HttpError(405);
  };
  const tellAllowed = () => new Response(null, { status: 204, headers: { Allow: [...allowed, "OPTIONS"].join(", ") } });
  return { ...Object.fromEntries(METHODS.map((method) => [method, refuse])), OPTIONS: tellAllowed, ...handlers };
}
