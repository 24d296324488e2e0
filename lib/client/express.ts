import type { Foyer, FoyerSession, IncomingRequest, RequireOptions } from "./foyer.ts";

declare global {
  namespace Express {
    interface Request {
      /** Who sends the request, or null for a guest. Undefined where neither of the two has run. */
      foyer?: FoyerSession | null;
    }
  }
}

/** What these functions use of Express. */
interface ExpressRequest extends IncomingRequest {
  foyer?: FoyerSession | null;
}
interface ExpressResponse {
  append(name: string, value: string): unknown;
  status(status: number): { set(headers: Record<string, string>): { send(body: string): unknown } };
}
type Handler = (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void>;

/** Middleware of Express: sets `req.foyer` to the session, or to null for a guest. */
export function foyerSession(foyer: Foyer): Handler {
  return async (request, response, next) => {
    try {
      request.foyer = await foyer.session(request);
    } catch (error) {
      return next(error);
    }
    for (const cookie of request.foyer?.cookies ?? []) response.append("Set-Cookie", cookie);
    next();
  };
}

/**
 * Middleware of Express: lets only people pass who are logged in, or only members of `group`; leads guests to the
 * login.
 */
export function requireUser(foyer: Foyer, options?: RequireOptions): Handler {
  return async (request, response, next) => {
    try {
      request.foyer = await foyer.require(request, options);
    } catch (refusal) {
      if (!(refusal instanceof Response)) return next(refusal);
      response.status(refusal.status).set(Object.fromEntries(refusal.headers)).send(await refusal.text());
      return;
    }
    next();
  };
}
