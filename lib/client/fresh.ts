import { FoyerUnavailable } from "./errors.ts";
import type { Foyer, FoyerSession, RequireOptions } from "./foyer.ts";

/** What these functions use of Fresh's context. */
interface Context {
  req: Request;
  state: { foyer?: FoyerSession | null };
  next(): Promise<Response>;
}

/** Middleware of Fresh: sets `ctx.state.foyer` to the session, or to null for a guest. */
export function foyerSession(foyer: Foyer): (ctx: Context) => Promise<Response> {
  return async (ctx) => {
    try {
      ctx.state.foyer = await foyer.session(ctx.req);
    } catch (error) {
      return responseTo(error);
    }
    const { cookies = [] } = ctx.state.foyer ?? {};
    const response = await ctx.next();
    for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
    return response;
  };
}

/**
 * Middleware of Fresh: lets only people pass who are logged in, or only members of `group`; leads guests to the
 * login.
 */
export function requireUser(foyer: Foyer, options?: RequireOptions): (ctx: Context) => Promise<Response> {
  return async (ctx) => {
    try {
      ctx.state.foyer = await foyer.require(ctx.req, options);
    } catch (error) {
      return responseTo(error);
    }
    return await ctx.next();
  };
}

/** Fresh would answer with 500 where Foyer does not answer. */
function responseTo(error: unknown): Response {
  if (error instanceof Response) return error;
  if (!(error instanceof FoyerUnavailable)) throw error;
  return error.getResponse();
}
