import type { Context } from "fresh";
import type { z } from "zod";
import type { Entry } from "../../api/entry.ts";
import { withoutFields } from "../../api/left_out.ts";
import { entityTag, ok, okList, okOrNotModified } from "../../http/json.ts";
import type { State } from "../state.ts";

/** The body of the usual response of an endpoint, as its entry describes it; undefined if it has none. */
export type BodyOf<E extends Entry> = [SchemasOf<E>] extends [never] ? undefined | void : z.input<SchemasOf<E>>;

type SchemasOf<E extends Entry> = Extract<E["returns"][keyof E["returns"]], z.ZodType>;

/** Adds to a response, or replaces it. */
type Finish = (response: Response) => Response | Promise<Response>;

/** A body, and what the response carries besides it. */
class Reply<Body> {
  constructor(readonly body: Body, readonly finish: Finish) {}
}

export type { Reply };

/** Returns a body with a function that adds to its response, such as a cookie. */
export function reply<const Body>(body: Body, finish: Finish): Reply<Body> {
  return new Reply(body, finish);
}

/** Returns the response 204, for an endpoint whose usual response has content. */
export function noContent(): Reply<never> {
  return new Reply<never>(null as never, () => new Response(null, { status: 204 }));
}

/** Turns the result of an endpoint into its response. */
export type Respond = (ctx: Context<State>, result: unknown) => Response | Promise<Response>;

/** Returns the function that responds as the entry says: its first status, an entity tag, the next part of a list. */
export function responder(entry: Entry): Respond {
  const respond = bodyResponder(entry);
  return (ctx, result) => result instanceof Reply ? result.finish(respond(ctx, result.body)) : respond(ctx, result);
}

function bodyResponder({ returns, etagOf, headers, sends }: Entry): (ctx: Context<State>, body: unknown) => Response {
  const status = Number(Object.keys(returns)[0]);
  if (returns[status] === null) return () => new Response(null, { status });
  const shown = (ctx: Context<State>, body: unknown) => withoutFields(body, ctx.state.services.config);
  if (etagOf !== undefined) {
    const viewIn = (body: unknown) => (body as Record<string, unknown>)[etagOf];
    return headers?.includes("If-None-Match")
      ? (ctx, body) => okOrNotModified(ctx.req, shown(ctx, body), viewIn(body))
      : (ctx, body) => ok(shown(ctx, body), { ETag: entityTag(viewIn(body)) });
  }
  if (sends?.includes("Link")) {
    return (ctx, body) => okList(ctx.url, shown(ctx, body) as Parameters<typeof okList>[1]);
  }
  return status === 200
    ? (ctx, body) => ok(shown(ctx, body))
    : (ctx, body) => Response.json(shown(ctx, body), { status });
}
