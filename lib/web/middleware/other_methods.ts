import { AppError } from "../../errors/errors.ts";

const REFUSABLE_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Completes the handlers of a route: each missing method throws METHOD_NOT_ALLOWED with the methods that exist, and
 * OPTIONS lists them. HEAD falls back to GET, unless the route refuses it.
 *
 * Without this, Fresh 2.3.3 responds to a missing method with 404: it loads a route's module at the first request, so
 * it registers the route for every method.
 */
export function answerOtherMethods<T extends object>(
  handlers: T,
  { refusesHead = false }: { refusesHead?: boolean } = {},
): T {
  const own = Object.keys(handlers).flatMap((method) => method === "GET" && !refusesHead ? ["GET", "HEAD"] : [method]);
  const allowedMethods = [...new Set([...own, "OPTIONS"])];
  const refuse = () => {
    throw methodNotAllowed(allowedMethods);
  };
  const listMethods = () => new Response(null, { status: 204, headers: { Allow: allowedMethods.join(", ") } });
  return {
    ...Object.fromEntries(REFUSABLE_METHODS.map((method) => [method, refuse])),
    ...(refusesHead && { HEAD: refuse }),
    OPTIONS: listMethods,
    ...handlers,
  };
}

/** Changes each handler of a route. */
export function mapMethods<Before, After>(
  handlers: Record<string, Before>,
  change: (handler: Before, method: string) => After,
): Record<string, After> {
  return Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, change(handler, method)]));
}

/**
 * The error for a method that the URL does not support. The response must list the supported methods, so pass them
 * wherever they are known. Source: RFC 9110, 15.5.6.
 */
export function methodNotAllowed(allowedMethods?: string[]): AppError {
  return new AppError("METHOD_NOT_ALLOWED", { allowedMethods });
}
