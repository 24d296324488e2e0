import { AppError } from "../errors.ts";
import { errorFields } from "../log.ts";
import type { Services } from "../services.ts";
import { errorJson, INTERNAL_MESSAGE, METHOD_NOT_ALLOWED } from "./error_body.ts";
import { warnOfUntrustedProxy } from "./proxy_warning.ts";
import { loggablePath } from "./request_log.ts";
import { requestAtOrigin } from "./request_url.ts";
import { securityHeaders } from "./security_headers.ts";

/** What the server tells of a connection, and the id that we give the request. */
export interface RequestInfo extends Deno.ServeHandlerInfo {
  requestId: string;
}

export type Handler = (req: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The id under which log lines and response speak of the same request. */
export function requestIdOf(info: Deno.ServeHandlerInfo): string {
  return (info as Partial<RequestInfo>).requestId ?? "";
}

/**
 * The one place that every response passes, whatever made it: puts the request under the public origin, gives it
 * an id, sets the security headers, writes the log line, and answers for what `next` could not.
 */
export function outerHandler(services: Services, next: Handler): Handler {
  const { config, log } = services;
  const headers = securityHeaders(config);
  const warnOfProxy = warnOfUntrustedProxy(services);
  return async (req, info) => {
    const startedAt = performance.now();
    warnOfProxy(req);
    const requestId = crypto.randomUUID();
    Object.assign(info, { requestId });
    const response = withHeaders(await respond(req, info, { next, services }), headers, requestId);
    log("info", "request", {
      requestId,
      method: req.method,
      path: loggablePath(req.url),
      status: response.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    });
    return response;
  };
}

async function respond(
  req: Request,
  info: Deno.ServeHandlerInfo,
  { next, services: { config, log } }: { next: Handler; services: Services },
): Promise<Response> {
  try {
    const isKnown = METHODS.includes(req.method);
    const request = requestAtOrigin(req, config.baseUrl);
    if (request === null) throw new AppError("VALIDATION_FAILED", "The address or the Host header is not valid");
    const response = await next(isKnown ? request : asOptions(request), info);
    if (!isKnown) return refuseMethod(response);
    return response.status === 405 ? withAllow(response, await next(asOptions(request), info)) : response;
  } catch (error) {
    if (error instanceof AppError) return errorJson(error);
    log("error", "request failed", { requestId: requestIdOf(info), ...errorFields(error) });
    return errorJson(new AppError("INTERNAL", INTERNAL_MESSAGE, { cause: error }));
  }
}

function asOptions({ url }: Request): Request {
  return new Request(url, { method: "OPTIONS" });
}

/** The answer to a method that nobody here knows: 405, or what OPTIONS got where there is nothing. */
function refuseMethod(options: Response): Response {
  if (options.status === 404) return options;
  return withAllow(errorJson(new AppError("METHOD_NOT_ALLOWED", METHOD_NOT_ALLOWED)), options);
}

/** Which methods an address has, its answer to OPTIONS tells; only static files have none. Source: RFC 9110, 15.5.6. */
function withAllow(response: Response, options: Response): Response {
  return withHeaders(response, [["Allow", options.headers.get("Allow") ?? "GET, HEAD"]]);
}

/** Sets the headers, on a copy where the response does not let itself be changed. */
function withHeaders(response: Response, headers: [string, string][], requestId?: string): Response {
  const set = (changed: Response) => {
    for (const [name, value] of headers) {
      if (name !== "Content-Security-Policy" || !changed.headers.has(name)) changed.headers.set(name, value);
    }
    if (requestId !== undefined) changed.headers.set("X-Request-Id", requestId);
    return changed;
  };
  try {
    return set(response);
  } catch {
    return set(new Response(response.body, response));
  }
}
