import type { Context } from "fresh";
import { AppError } from "../../errors/errors.ts";
import type { Services } from "../../services/services.ts";
import { runOnce } from "./idempotency.ts";
import { FORM_ID_FIELD } from "../../ui/form/FormIdField.tsx";
import type { MultipartForm } from "../../http/multipart.ts";
import { parseForm } from "../../http/text_body.ts";
import { sessionTokens } from "../authentication/presented_tokens.ts";
import { knownSession } from "../authentication/current_session.ts";
import type { State } from "../state.ts";
import { contentHash } from "./content_hash.ts";
import {
  isSessionValid,
  type Recorded,
  recordError,
  recordResponse,
  recreateError,
  recreateResponse,
} from "./recorded_response.ts";

const KEPT_SECONDS = 10;
const WAIT_SECONDS = 10;

/**
 * Runs the action of a form, and gives the second click of a double click the result of the first. Without scripts,
 * browsers send both and show the response to the second. A form counts as the same if its id and its content are the
 * same: a form that the browser's history restores may hold other content. Forms without an id always run.
 *
 * @param options.renewsSession whether `act` may give the session a new token.
 * @throws {AppError} what `act` throws; for the second click, what it threw for the first.
 */
export async function submitOnce(
  ctx: Context<State>,
  fields: MultipartForm,
  act: () => Promise<Response>,
  { renewsSession = false }: { renewsSession?: boolean } = {},
): Promise<Response> {
  if (!hasId(fields)) return await act();
  const session = await knownSession(ctx);
  const run = () => runForm(ctx, fields, { sender: session?.id, act });
  if (session === null || !renewsSession) return await run();
  return await runForm(ctx, fields, { sender: sessionTokens(ctx.req), act: run });
}

/**
 * Gives the second click of a double click the result of the first, if that has given the session a new token: the
 * second click still carries the old one, and so comes without a session. The old token is good for nothing else.
 *
 * @throws {AppError} UNAUTHENTICATED when the form is no such click.
 */
export async function repeatSubmission(ctx: Context<State>): Promise<Response> {
  const refusal = new AppError("UNAUTHENTICATED", { reason: "guest" });
  const tokens = sessionTokens(ctx.req);
  const fields = tokens.length === 0 ? {} : await parseForm(ctx.req).catch(() => ({}));
  if (!hasId(fields)) throw refusal;
  return await runForm(ctx, fields, { sender: tokens, act: () => Promise.reject(refusal) });
}

function hasId(fields: MultipartForm): boolean {
  return /^[0-9a-f-]{36}$/.test(String(fields[FORM_ID_FIELD]));
}

/**
 * @param options.sender who sends the form: the session that its page requires, or the tokens that present it. Forms
 * for guests have none: the second click may already carry the session that the first click opened.
 */
async function runForm(
  { url, state: { services } }: Context<State>,
  fields: MultipartForm,
  { sender, act }: { sender?: string | string[]; act: () => Promise<Response> },
): Promise<Response> {
  return await runOnce<Response, Recorded>(services, {
    key: JSON.stringify([url.pathname + url.search, sender, await contentHash(fields)]),
    keptSeconds: KEPT_SECONDS,
    waitSeconds: WAIT_SECONDS,
    stillRunning: () => new AppError("UNAVAILABLE", { reason: "running", retryAfterSeconds: 1 }),
    run: act,
    record: async (result) =>
      result.status === "fulfilled" ? await recordResponse(result.value) : recordError(result.reason),
    replay: (recorded) => replay(services, recorded),
  });
}

/** A response whose session has ended is out of date: the same form, submitted again, logs in again. */
async function replay(services: Services, recorded: Recorded): Promise<Response | null> {
  if ("code" in recorded) {
    const error = recreateError(recorded);
    if (error === null) return null;
    throw error;
  }
  return await isSessionValid(services, recorded) ? recreateResponse(recorded) : null;
}
