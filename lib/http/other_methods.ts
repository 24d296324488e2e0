import { AppError } from "../errors.ts";

const REFUSABLE_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Completes handlers by method: each missing method throws METHOD_NOT_ALLOWED, and OPTIONS responds with the allowed
 * methods. HEAD falls back to GET.
 *
 * Only the handlers know their methods. Fresh 2.3.3 registers a file route for every method because it loads the
 * module on the first request, and would answer 404 for a missing one.
 */
export function answerOtherMethods<T extends object>(handlers: T): T {
  if (typeof handlers === "function") return handlers;
  const own = Object.keys(handlers).flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]);
  const allowedMethods = [...own, "OPTIONS"];
  const refuse = () => {
    throw methodNotAllowed(allowedMethods);
  };
  const listMethods = () => new Response(null, { status: 204, headers: { Allow: allowedMethods.join(", ") } });
  return {
    ...Object.fromEntries(REFUSABLE_METHODS.map((method) => [method, refuse])),
    OPTIONS: listMethods,
    ...handlers,
  };
}

/**
 * The error for a method that the URL does not support. Pass the methods that it does support wherever they are known:
 * the response has to list them. Source: RFC 9110, 15.5.6.
 */
export function methodNotAllowed(allowedMethods?: string[]): AppError {
  return new AppError("METHOD_NOT_ALLOWED", "This method is not allowed here", { allowedMethods });
}
