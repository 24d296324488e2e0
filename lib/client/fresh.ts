import type { Foyer, FoyerSession } from "./foyer.ts";

/** What these functions use of Fresh's context. */
interface Context {
  req: Request;
  state: { foyer?: FoyerSession | null };
  next(): Promise<Response>;
}

/** Middleware of Fresh: sets `ctx.state.foyer` to the session, or to null for a guest. */
export function foyerSession(foyer: Foyer): (ctx: Context) => Promise<Response> {
  return async (ctx) => {
    const session = await foyer.session(ctx.req);
    ctx.state.foyer = session;
    const response = await ctx.next();
    for (const cookie of session?.cookies ?? []) response.headers.append("Set-Cookie", cookie);
    return response;
  };
}

/** Middleware of Fresh: lets only people pass who are logged in, and leads others to the login. */
export function requireUser(foyer: Foyer): (ctx: Context) => Promise<Response> {
  return async (ctx) => {
    try {
      ctx.state.foyer = await foyer.require(ctx.req);
    } catch (refusal) {
      if (refusal instanceof Response) return refusal;
      throw refusal;
    }
    return await ctx.next();
  };
}
