import type { Foyer, FoyerSession, RequireOptions } from "./foyer.ts";

/** What these functions use of Hono's context. */
interface Context {
  req: { raw: Request };
  set(key: "foyer", value: FoyerSession | null): void;
  header(name: string, value: string, options: { append: true }): void;
}
type Handler = (context: Context, next: () => Promise<void>) => Promise<Response | void>;

/** The type of what `c.get("foyer")` returns: `new Hono<FoyerEnv>()`. */
export interface FoyerEnv {
  Variables: { foyer: FoyerSession | null };
}

/** Middleware of Hono: sets `c.get("foyer")` to the session, or to null for a guest. */
export function foyerSession(foyer: Foyer): Handler {
  return async (context, next) => {
    const session = await foyer.session(context.req.raw);
    context.set("foyer", session);
    for (const cookie of session?.cookies ?? []) context.header("Set-Cookie", cookie, { append: true });
    await next();
  };
}

/**
 * Middleware of Hono: lets only people pass who are logged in, or only members of `group`; leads guests to the
 * login.
 */
export function requireUser(foyer: Foyer, options?: RequireOptions): Handler {
  return async (context, next) => {
    try {
      context.set("foyer", await foyer.require(context.req.raw, options));
    } catch (refusal) {
      if (refusal instanceof Response) return refusal;
      throw refusal;
    }
    await next();
  };
}
