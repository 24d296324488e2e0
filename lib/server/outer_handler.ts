import { runForClient } from "../turns/current_client.ts";
import { AppError } from "../errors/errors.ts";
import { errorFields } from "../log/log.ts";
import type { Services } from "../services/services.ts";
import { clientAddress, networksOf } from "../http/client_address.ts";
import { errorJson } from "../http/error_body.ts";
import { answeredRoute } from "../web/answered_route.ts";
import { methodNotAllowed } from "../web/middleware/other_methods.ts";
import { requestIdOf } from "../http/request_id.ts";
import { createTurns } from "../turns/turns.ts";
import { type Refusal, refusalOf } from "../web/refusal.ts";
import { isRefusedAtWayIn, loggablePath } from "./request_log.ts";
import { requestAtOrigin } from "./request_url.ts";
import { REPLACEABLE, securityHeaders } from "./security_headers.ts";
import { isFirstIsolate } from "../start/isolates.ts";

export type Handler = (req: Request, info: Deno.ServeHandlerInfo) => Promise<Response>;

const HEALTH_PATHS = ["/api/health", "/api/health/live", "/api/health/ready"];
const READS = ["GET", "HEAD"];
/** The methods that Fresh routes. Its router throws on all others. */
const ROUTED_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * The outermost handler, which every response passes: lets clients take turns, puts the request under the public
 * origin, gives it an id, sets the security headers, counts it, writes the log line, and responds to errors that `next`
 * did not handle.
 */
export function outerHandler(services: Services, next: Handler): Handler {
  const { config, log, metrics } = services;
  const headers = securityHeaders(config);
  const warnOfProxy = warnOfUntrustedProxy(services);
  const runInTurn = createTurns();
  // Of reads, only the embedded database needs the client. Marking every request costs 5% of a short read.
  const isEmbedded = config.databaseUrl === undefined;
  return async (req, info) => {
    const startedAt = performance.now();
    warnOfProxy(req);
    const requestId = crypto.randomUUID();
    Object.assign(info, { requestId });
    const client = () => clientAddress(req, info, config.trustedProxies);
    const answer = () => respond(req, info, { next, services });
    const networks = () => networksOf(client());
    const { method } = req;
    const isMarked = isEmbedded || !READS.includes(method);
    const unmarked = await runInTurn(networks, isMarked ? () => runForClient(networks(), answer) : answer);
    const response = withHeaders(unmarked, headers, requestId);
    const durationMs = performance.now() - startedAt;
    const { status } = response;
    metrics.countRequest({ route: answeredRoute(info), method, status, seconds: durationMs / 1000 });
    const path = loggablePath(req.url);
    // Load balancers ask every few seconds.
    if (response.ok && HEALTH_PATHS.includes(path.split("?", 1)[0])) return response;
    const isRefused = isRefusedAtWayIn(path, status);
    log(isRefused ? "warn" : "info", "request", {
      requestId,
      method,
      path,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      clientAddress: isRefused ? client() : undefined,
      ...refusalOf(info),
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
    const request = requestAtOrigin(req, config.baseUrl);
    if (request === null) throw new AppError("VALIDATION_FAILED", { reason: "url" });
    if (ROUTED_METHODS.includes(req.method)) return await next(request, info);
    return refuseMethod(req, info, await next(new Request(request.url, { method: "OPTIONS" }), info));
  } catch (error) {
    if (error instanceof AppError) return refuse(error, req, info);
    log("error", "request failed", { requestId: requestIdOf(info), ...errorFields(error) });
    return refuse(new AppError("INTERNAL", { cause: error }), req, info);
  }
}

function refuse(error: AppError, req: Request, info: Deno.ServeHandlerInfo): Response {
  Object.assign(info, { code: error.code } satisfies Refusal);
  return errorJson(error, req);
}

/**
 * Refuses a method that Fresh cannot route. An OPTIONS response without `Allow` is an error, such as 404, and stays.
 */
function refuseMethod(req: Request, info: Deno.ServeHandlerInfo, options: Response): Response {
  const allow = options.headers.get("Allow");
  return allow === null ? options : refuse(methodNotAllowed(allow.split(", ")), req, info);
}

/** Sets the headers, on a copy if those of the response are immutable. */
function withHeaders(response: Response, headers: [string, string][], requestId: string): Response {
  const set = (changed: Response) => {
    for (const [name, value] of headers) {
      if (!REPLACEABLE.includes(name) || !changed.headers.has(name)) changed.headers.set(name, value);
    }
    changed.headers.set("X-Request-Id", requestId);
    return changed;
  };
  try {
    return set(response);
  } catch {
    return set(new Response(response.body, response));
  }
}

/**
 * Returns a function to call with every request. It logs a warning for the first request that came through a proxy
 * although none is trusted: all clients behind it share the limits of one address. Only the first isolate warns, so a
 * process does so once.
 */
function warnOfUntrustedProxy({ config, log }: Pick<Services, "config" | "log">): (req: Request) => void {
  let isSilent = config.trustedProxies > 0 || !isFirstIsolate;
  return ({ headers }) => {
    if (isSilent || !headers.has("x-forwarded-for")) return;
    isSilent = true;
    log("warn", "X-Forwarded-For is ignored: clients behind this proxy share one limit; set TRUSTED_PROXIES");
  };
}
