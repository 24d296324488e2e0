import type { Context } from "fresh";
import {
  type AnyCaller,
  type Caller,
  callerId,
  type Principal,
  type ServicePrincipal,
} from "../../access/principal.ts";
import type { AtCommit } from "../../../db/at_commit.ts";
import { type Entry, isForAdmins } from "../../api/entry.ts";
import { requireUploads } from "../../config/features.ts";
import { parseJson, parseQuery, validate } from "../../http/parse.ts";
import { type Limit, policyOf } from "../../limits/policy.ts";
import type { ListExtent } from "../../schemas/list.ts";
import type { ServiceScope } from "../../schemas/scopes.ts";
import type { Services } from "../../services/services.ts";
import { openImageStaging } from "../../uploads/image.ts";
import { readList } from "../long_list.ts";
import { type AnswerAtCommit, hasIdempotencyKey, runOncePerKey } from "../idempotency/idempotency_key.ts";
import { hideFromOthers } from "../middleware/admins_only.ts";
import { refuseAllWhileClosing, refuseWhileClosing } from "../middleware/closing_account.ts";
import { answerOtherMethods, mapMethods } from "../middleware/other_methods.ts";
import { readFormUnderLimit, setLimit, underLimit } from "../middleware/rate_limit.ts";
import type { State } from "../state.ts";
import { type BodyOf, type Reply, responder } from "./reply.ts";
import type { z } from "zod";
import { type MultipartForm, type MultipartOptions, parseMultipart } from "../../http/multipart.ts";
import { parseNoBody, readJson, readOptionalJson } from "../../http/text_body.ts";
import {
  requireCaller,
  requirePresentedSessions,
  requirePrincipal,
  requireVerifiedCaller,
} from "../authentication/require_user.ts";
import { acceptWaiting } from "../authentication/current_session.ts";
import { requireScope } from "../authentication/scope.ts";
import { requireRecentProof } from "../../sign_in/proof.ts";

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
   * Makes a transaction store the response together with its effect, so that a repeated request gets it whatever
   * happens. Returns undefined if the request cannot be repeated.
   */
  atCommit<Value>(toResult: (value: Value) => Result<E>): AtCommit<Value> | undefined;
}

/** A handler that obeys an entry. */
export interface EndpointHandler<E extends Entry = Entry> {
  (ctx: Context<State>): Response | Promise<Response>;
  readonly entry: E;
}

/** Handlers by method. All but reads declare what limits them. */
type EndpointHandlers =
  & { GET?: EndpointHandler }
  & { [Method in "POST" | "PUT" | "PATCH" | "DELETE"]?: EndpointHandler<Entry & { limit: Limit }> };

/** A handler of a route. Those that refuse a method have no entry. */
interface RouteHandler {
  (ctx: Context<State>): Response | Promise<Response>;
  readonly entry?: Entry;
}

/**
 * The handlers of a route, by method. All other methods are refused. A route that is switched off has no methods. One
 * for admins has none for everyone else.
 */
export function endpoints<Handlers extends EndpointHandlers>(handlers: Handlers): Handlers {
  const entries = Object.values(handlers).map(({ entry }: EndpointHandler) => entry);
  const complete = ifOn(entries[0], answerOtherMethods(handlers));
  const isOpen = entries.every(({ whileClosing }) => whileClosing === "open");
  const all: Record<string, RouteHandler> = { ...(isOpen ? complete : refuseAllWhileClosing(complete)), ...handlers };
  const isHidden = entries.some(isForAdmins);
  return mapMethods(all, (handler) => {
    const { entry } = handler;
    const visible = isHidden ? hideFromOthers(handler) : handler;
    return entry === undefined ? visible : Object.assign(forScopesOf(entry, visible), { entry });
  }) as object as Handlers;
}

/** Refuses tokens whose scopes do not cover the endpoint, before everything else. */
function forScopesOf(entry: Entry, handler: RouteHandler): RouteHandler {
  return (ctx) => {
    requireScope(entry, ctx.state);
    return handler(ctx);
  };
}

/** The entries of a route are switched on and off together. */
function ifOn<Handlers extends Record<string, EndpointHandler>>(entry: Entry, handlers: Handlers): Handlers {
  if (entry.requireFeature === undefined && entry.uploads === undefined) return handlers;
  return mapMethods(handlers, (handler) => (ctx: Context<State>) => {
    requireOn(entry, ctx);
    return handler(ctx);
  }) as Handlers;
}

function requireOn({ requireFeature, uploads }: Entry, { state: { services: { config } } }: Context<State>): void {
  requireUploads(config, uploads);
  requireFeature?.(config);
}

/** Refuses fields that no entry has: a misspelled one would require nothing. */
type OnlyFieldsOf<E> = { [Field in Exclude<keyof E, keyof Entry>]: never };

/**
 * A JSON endpoint. `act` gets a request that has passed the checks of the entry, and returns the body of the response.
 */
export function endpoint<const E extends Entry, const Returned extends Result<E>>(
  entry: E & OnlyFieldsOf<E>,
  act: (request: EndpointRequest<E>) => Returned | Promise<Returned>,
): EndpointHandler<E> {
  const { query: querySchema, isRepeatable }: Entry = entry;
  const body = bodyReader(entry);
  const respond = responder(entry);
  const policy = policyOf(entry.limit);
  const isPlainRead = entry.body === undefined && entry.limit === undefined;
  // A function of its own for reads: what follows would take longer than the rest of a short one.
  if (isPlainRead) return plainEndpoint<E>(entry, read);
  return plainEndpoint<E>(entry, async (ctx, caller) => {
    const { params, state: { services } } = ctx;
    using staging = openImageStaging(services);
    const raw = entry.file === undefined || policy === undefined
      ? await body.read(ctx.req, staging.stage)
      : await readFormUnderLimit(ctx, { policy, stage: staging.stage, read: (stage) => body.read(ctx.req, stage) });
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
    return await runOncePerKey(ctx, { sender: senderOf(caller), body: raw }, run);
  });

  function read(ctx: Context<State>, caller: CallerOf<E>): Response | Promise<Response> {
    const { params, state: { services } } = ctx;
    const query = querySchema && parseQuery(ctx.url, querySchema);
    const request = { services, caller, query, input: undefined, params, ctx, atCommit: answerNothing };
    const run = () => act(request as unknown as EndpointRequest<E>);
    const result = isList(query) ? readList(ctx, query, run) : run();
    return result instanceof Promise ? result.then((body) => respond(ctx, body)) : respond(ctx, result);
  }
}

function isList(query: object | undefined): query is ListExtent {
  return query !== undefined && "limit" in query;
}

const answerNothing: AnswerAtCommit = () => undefined;

/** Routes without a caller keep no sender: a repetition may carry the session that the first request opened. */
function senderOf(caller: AnyCaller | string[] | null): string | undefined {
  return caller === null || Array.isArray(caller) ? undefined : callerId(caller);
}

/**
 * An endpoint that makes its own response, such as a redirect or a file. It obeys the entry too, except that `act`
 * reads the body and the query, and counts the request if there is a limit.
 */
export function plainEndpoint<const E extends Entry>(
  entry: E & OnlyFieldsOf<E>,
  act: (ctx: Context<State>, caller: CallerOf<E>) => Response | Promise<Response>,
): EndpointHandler<E> {
  const policy = policyOf(entry.limit);
  const findCaller = callerFinder(entry);
  const handler = (ctx: Context<State>) => {
    requireOn(entry, ctx);
    if (policy !== undefined) setLimit(ctx, policy);
    const caller = findCaller(ctx) as Promise<CallerOf<E>> | null;
    return caller === null ? act(ctx, null as CallerOf<E>) : caller.then((found) => act(ctx, found));
  };
  const obeying = entry.whileClosing === "open" ? handler : refuseWhileClosing(handler);
  return Object.assign(entry.whileWaiting === "open" ? acceptingWaiting(obeying) : obeying, { entry });
}

function acceptingWaiting(handler: HandlerOf): HandlerOf {
  return (ctx) => {
    acceptWaiting(ctx);
    return handler(ctx);
  };
}

type HandlerOf = (ctx: Context<State>) => Response | Promise<Response>;

/** The validated body of a request; undefined if the entry has none. */
type InputOf<E extends Entry> = E extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;

/** The validated query of a request; undefined if the entry has none. */
type QueryOf<E extends Entry> = E extends { query: infer Query extends z.ZodType } ? z.output<Query> : undefined;

/** The body as it was sent: bytes, or a form with a file. */
type RawBody = Uint8Array<ArrayBuffer> | MultipartForm;

/** Reads and validates the body of a request in two steps: a repeated request is recognized by what was sent. */
interface BodyReader {
  /** @param stage takes the content of a file. */
  read(req: Request, stage: MultipartOptions["stage"]): Promise<RawBody | void>;
  validate(raw: RawBody): unknown;
}

/** Returns how the entry takes its body. */
function bodyReader({ body, bodyIsOptional, file }: Entry): BodyReader {
  if (body === undefined) return { read: parseNoBody, validate: () => undefined };
  if (file === undefined) {
    const read = bodyIsOptional ? readOptionalJson : readJson;
    return { read, validate: (raw) => parseJson(raw as Uint8Array<ArrayBuffer>, body) };
  }
  return {
    read: (req, stage) => parseMultipart(req, { maxFileBytes: file.maxBytes, stage }),
    validate: (raw) => validate(body, raw),
  };
}

/** Who sends a request to an endpoint. Null if the entry requires no one; for "sessions", the ids of the sessions. */
type CallerOf<E extends Entry> = E["caller"] extends "public" ? null
  : E["caller"] extends "session" | "adminSession" ? Principal | ServiceOf<E>
  : E["caller"] extends "sessions" ? string[]
  : Caller | ServiceOf<E>;

/** The app that may send it as itself, if one may. */
type ServiceOf<E extends Entry> = E extends { serviceScope: ServiceScope } | { caller: ServiceScope } ? ServicePrincipal
  : never;

type FindCaller = (ctx: Context<State>) => null | Promise<AnyCaller | string[]>;

/**
 * Returns the function that finds the caller whom the entry requires. It throws UNAUTHENTICATED if there is none, and
 * REAUTHENTICATION_REQUIRED if a proof is required. `endpoints` has checked whether the caller is an admin.
 */
function callerFinder(entry: Entry): FindCaller {
  const find = anyCallerFinder(entry);
  if (!entry.needsProof) return find;
  return async (ctx) => {
    const caller = await find(ctx) as AnyCaller;
    if (caller.session !== undefined) await requireRecentProof(ctx.state.services, caller);
    return caller;
  };
}

function anyCallerFinder(entry: Entry): FindCaller {
  const { caller, needsVerifiedEmail } = entry;
  if (caller === "public") return () => null;
  if (caller === "session" || caller === "adminSession") {
    return entry.serviceScope === undefined ? requirePrincipal : requireCaller;
  }
  if (caller === "sessions") return requirePresentedSessions;
  return needsVerifiedEmail ? requireVerifiedCaller : requireCaller;
}
