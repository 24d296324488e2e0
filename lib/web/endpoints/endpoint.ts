import type { Context } from "fresh";
import type { Caller } from "../../access/principal.ts";
import type { AtCommit } from "../../at_commit.ts";
import { ENTRIES, type EntryKey } from "../../api/all_entries.ts";
import type { Entry } from "../../api/entry.ts";
import { parseQuery } from "../../http/parse.ts";
import { policyOf } from "../../limits/policy.ts";
import type { Services } from "../../services.ts";
import { openImageStaging } from "../../uploads/image.ts";
import { type AnswerAtCommit, hasIdempotencyKey, runOncePerKey } from "../idempotency/idempotency_key.ts";
import { refuseAllWhileClosing, refuseWhileClosing } from "../middleware/closing_account.ts";
import { answerOtherMethods } from "../middleware/other_methods.ts";
import { underLimit } from "../middleware/rate_limit.ts";
import type { State } from "../state.ts";
import { callerFinder, type CallerOf } from "./caller.ts";
import { bodyReader, type InputOf, type QueryOf } from "./input.ts";
import { type BodyOf, type Reply, responder } from "./reply.ts";

type EntryAt<Key extends EntryKey> = (typeof ENTRIES)[Key];

/** The body of a response, alone or with what the response carries besides it. */
type Result<E extends Entry> = BodyOf<E> | Reply<BodyOf<E>>;

/** A request that has passed every check of its entry. */
export interface EndpointRequest<E extends Entry> {
  services: Services;
  caller: CallerOf<E>;
  input: InputOf<E>;
  query: QueryOf<E>;
  params: Record<string, string>;
  ctx: Context<State>;
  /**
   * Makes a transaction store the response together with its effect, so that a repeated request gets it whatever happens.
   * Returns undefined if the request cannot be repeated.
   */
  atCommit<Value>(toResult: (value: Value) => Result<E>): AtCommit<Value> | undefined;
}

/** A handler that obeys an entry. */
export interface EndpointHandler {
  (ctx: Context<State>): Response | Promise<Response>;
  /** The method and path of the entry. */
  readonly key: EntryKey;
}

/** The handlers of a route, by method. All other methods are refused. A route that is switched off has no methods. */
export function endpoints<Handlers extends Record<string, EndpointHandler>>(handlers: Handlers): Handlers {
  const entries = Object.values(handlers).map(({ key }): Entry => ENTRIES[key]);
  const complete = ifOn(entries[0], answerOtherMethods(handlers));
  const isOpen = entries.every(({ whileClosing }) => whileClosing === "open");
  return { ...(isOpen ? complete : refuseAllWhileClosing(complete)), ...handlers };
}

/** The entries of a route are switched on and off together. */
function ifOn<Handlers extends Record<string, EndpointHandler>>(entry: Entry, handlers: Handlers): Handlers {
  if (entry.requireFeature === undefined) return handlers;
  const checked = Object.entries(handlers).map(([method, handler]) => [method, (ctx: Context<State>) => {
    entry.requireFeature?.(ctx.state.services.config);
    return handler(ctx);
  }]);
  return Object.fromEntries(checked);
}

/** A JSON endpoint. `act` gets a request that has passed the checks of the entry, and returns the body of the response. */
export function endpoint<Key extends EntryKey, const Returned extends Result<EntryAt<Key>>>(
  key: Key,
  act: (request: EndpointRequest<EntryAt<Key>>) => Returned | Promise<Returned>,
): EndpointHandler {
  type E = EntryAt<Key>;
  const entry: Entry = ENTRIES[key];
  const { query: querySchema, isRepeatable } = entry;
  const body = bodyReader(key, entry);
  const respond = responder(entry);
  const isPlainRead = body === null && policyOf(entry.limit) === undefined;
  // A function of its own for reads: what follows would take longer than the rest of a short one.
  if (isPlainRead) return plainEndpoint(key, read);
  return plainEndpoint(key, async (ctx, caller) => {
    const { params, state: { services } } = ctx;
    using staging = openImageStaging(services);
    const raw = body === null ? undefined : await body.read(ctx.req, staging.stage);
    const parse = () => ({ query: querySchema && parseQuery(ctx.url, querySchema), input: raw && body?.validate(raw) });
    const run = async (answerAtCommit: AnswerAtCommit) => {
      // What a request with a key gets is stored, even if it is invalid. So it counts before it is checked.
      const parsed = isRepeatable && hasIdempotencyKey(ctx.req) ? undefined : parse();
      const atCommit: EndpointRequest<E>["atCommit"] = (toResult) =>
        answerAtCommit((value: Parameters<typeof toResult>[0]) => respond(ctx, toResult(value)));
      return await underLimit(ctx, async () => {
        const request = { services, caller, ...parsed ?? parse(), params, ctx, atCommit } as EndpointRequest<E>;
        return await respond(ctx, await act(request));
      });
    };
    if (!isRepeatable || !raw) return await run(answerNothing);
    return await runOncePerKey(ctx, { userId: userIdOf(caller), body: raw }, run);
  });

  function read(ctx: Context<State>, caller: CallerOf<E>): Response | Promise<Response> {
    const { params, state: { services } } = ctx;
    const query = querySchema && parseQuery(ctx.url, querySchema);
    const request = { services, caller, query, input: undefined, params, ctx, atCommit: answerNothing };
    const result = act(request as unknown as EndpointRequest<E>);
    return result instanceof Promise ? result.then((body) => respond(ctx, body)) : respond(ctx, result);
  }
}

const answerNothing: AnswerAtCommit = () => undefined;

/** Routes without a caller keep no user id: a repetition may carry the session that the first request opened. */
function userIdOf(caller: Caller | string[] | null): string | undefined {
  return caller === null || Array.isArray(caller) ? undefined : caller.user.id;
}

/**
 * An endpoint that makes its own response, such as a redirect or a file. It obeys the entry too, except that `act` reads
 * the body and the query, and counts the request if there is a limit.
 */
export function plainEndpoint<Key extends EntryKey>(
  key: Key,
  act: (ctx: Context<State>, caller: CallerOf<EntryAt<Key>>) => Response | Promise<Response>,
): EndpointHandler {
  const entry: Entry = ENTRIES[key];
  const policy = policyOf(entry.limit);
  const findCaller = callerFinder(entry);
  const handler = (ctx: Context<State>) => {
    entry.requireFeature?.(ctx.state.services.config);
    if (policy !== undefined) ctx.state.limit = { policy };
    const caller = findCaller(ctx) as Promise<CallerOf<EntryAt<Key>>> | null;
    return caller === null ? act(ctx, null as CallerOf<EntryAt<Key>>) : caller.then((found) => act(ctx, found));
  };
  return Object.assign(entry.whileClosing === "open" ? handler : refuseWhileClosing(handler), { key });
}
