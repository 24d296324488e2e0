import type { Context } from "fresh";
import type { AtCommit } from "../../../db/at_commit.ts";
import { DAY_SECONDS } from "../../duration.ts";
import { AppError, validationFailed } from "../../errors/errors.ts";
import { runOnce } from "./idempotency.ts";
import { clientAddress } from "../../http/client_address.ts";
import { REPLAYED_HEADER } from "../../http/error_body.ts";
import type { MultipartForm } from "../../http/multipart.ts";
import { errorResponse } from "../error_responses.tsx";
import type { State } from "../state.ts";
import { contentHash } from "./content_hash.ts";
import {
  isSessionValid,
  type Recorded,
  type RecordedError,
  recordError,
  recordResponse,
  recreateError,
  recreateResponse,
} from "./recorded_response.ts";

const HEADER = "Idempotency-Key";
const KEPT_SECONDS = DAY_SECONDS;
const RETRY_AFTER_SECONDS = 1;
/** Errors that may go away when the same request is sent again, in addition to failures on our side. */
const NOT_KEPT = [401, 403, 429];

/** What identifies a request, in addition to its route and its key. */
export interface KeyedRequest {
  /** The id of who sends it. Undefined for routes of guests, whose key belongs to the client address. */
  sender?: string;
  /** The whole body as it was sent, or the form in it. */
  body: Uint8Array | MultipartForm;
}

/** Makes a transaction store the response to its result. Undefined for requests without a key. */
export type AnswerAtCommit = <Result>(
  respond: (result: Result) => Response | Promise<Response>,
) => AtCommit<Result> | undefined;

/** Whether the request has a key. */
export function hasIdempotencyKey({ headers }: Request): boolean {
  return headers.has(HEADER);
}

/**
 * Runs a request once, if it has an `Idempotency-Key`. For 24 hours, repetitions get the same response. `act` passes
 * `answerAtCommit(respond)` to the transaction that has the effect: then even a process that is killed leaves the
 * effect and the response, or neither. Other results are stored after the act.
 *
 * @throws {AppError} what `act` throws, or threw for the first request; IDEMPOTENCY_KEY_REUSED for another body;
 * IDEMPOTENCY_IN_PROGRESS; VALIDATION_FAILED for a malformed key. Source: draft-ietf-httpapi-idempotency-key-header.
 */
export async function runOncePerKey(
  ctx: Context<State>,
  { sender: id, body }: KeyedRequest,
  act: (answerAtCommit: AnswerAtCommit) => Promise<Response>,
): Promise<Response> {
  const { req, info, url, state: { services } } = ctx;
  const key = keyOf(req);
  if (key === null) return await act(() => undefined);
  const sender = id ?? `address:${clientAddress(req, info, services.config.trustedProxies)}`;
  return await runOnce<Response, Recorded>(services, {
    key: JSON.stringify([HEADER, req.method, url.pathname, sender, key]),
    content: await contentHash(body),
    keptSeconds: KEPT_SECONDS,
    waitSeconds: 0,
    stillRunning: () => new AppError("IDEMPOTENCY_IN_PROGRESS", { retryAfterSeconds: RETRY_AFTER_SECONDS }),
    run: (store) =>
      act((respond) => async (trx, result) => await store(trx, await recordResponse(await respond(result)))),
    record: async (result) => {
      if (result.status === "fulfilled") return await recordResponse(result.value);
      return isKept(result.reason) ? recordError(result.reason) : null;
    },
    replay: (recorded) => replay(ctx, recorded),
  });
}

function isKept(error: unknown): boolean {
  return error instanceof AppError && !NOT_KEPT.includes(error.status);
}

/** Leaves out the cookies of a session that has ended: they could replace those of a newer one. */
async function replay(ctx: Context<State>, recorded: Recorded): Promise<Response | null> {
  const response = "code" in recorded ? await replayError(ctx, recorded) : recreateResponse(recorded);
  if (!("code" in recorded) && !await isSessionValid(ctx.state.services, recorded)) {
    response?.headers.delete("Set-Cookie");
  }
  response?.headers.set(REPLAYED_HEADER, "true");
  return response;
}

async function replayError(ctx: Context<State>, recorded: RecordedError): Promise<Response | null> {
  const error = recreateError(recorded);
  return error && await errorResponse(ctx, error);
}

/** The draft requires quotation marks, but few clients send them. With and without them, the key is the same. */
function keyOf({ headers }: Request): string | null {
  const value = headers.get(HEADER);
  if (value === null) return null;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(value)?.[1].replaceAll(/\\(.)/g, "$1");
  const key = quoted ?? (value.startsWith('"') ? "" : value);
  if (/^[!-~]{1,255}$/.test(key)) return key;
  throw validationFailed({ [HEADER]: [{ rule: "idempotencyKey" }] });
}
