import type { Context } from "fresh";
import { AppError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { runOnce } from "../../programs/idempotency.ts";
import { FORM_ID_FIELD } from "../../ui/form/FormId.tsx";
import type { MultipartForm } from "../input/multipart.ts";
import type { State } from "../state.ts";
import { contentHash } from "./content_hash.ts";
import { isSessionValid, type Recorded, recordError, recordResponse, recreateResponse } from "./recorded_response.ts";

const KEPT_SECONDS = 10;
const WAIT_SECONDS = 10;

/**
 * Runs the action of a form, and gives the second click of a double click the result of the first. Without scripts,
 * browsers send both and show the response to the second. A form counts as the same if its id and its content are the
 * same: a form that the browser's history restores may hold other content. Forms without an id always run.
 *
 * @throws {AppError} what `act` throws; for the second click, what it threw for the first.
 */
export async function submitOnce(
  ctx: Context<State>,
  fields: MultipartForm,
  act: () => Promise<Response>,
): Promise<Response> {
  if (!/^[0-9a-f-]{36}$/.test(String(fields[FORM_ID_FIELD]))) return await act();
  const { services } = ctx.state;
  return await runOnce<Response, Recorded>(services, {
    key: await keyOf(ctx, fields),
    keptSeconds: KEPT_SECONDS,
    waitSeconds: WAIT_SECONDS,
    stillRunning: () => new AppError("UNAVAILABLE", "This request is still being processed", { retryAfterSeconds: 1 }),
    run: act,
    record: async (result) =>
      result.status === "fulfilled" ? await recordResponse(result.value) : recordError(result.reason),
    replay: (recorded) => replay(services, recorded),
  });
}

/** A response whose session has ended is out of date: the same form, submitted again, logs in again. */
async function replay(services: Services, recorded: Recorded): Promise<Response | null> {
  if ("code" in recorded) throw new AppError(recorded.code, recorded.message, recorded);
  return await isSessionValid(services, recorded) ? recreateResponse(recorded) : null;
}

/**
 * Identifies the form, its content and the session that its page requires. Forms for guests leave out the session: the
 * second click may already carry the one that the first click opened.
 */
async function keyOf({ url, state }: Context<State>, fields: MultipartForm): Promise<string> {
  const session = await state.knownSession();
  return JSON.stringify([url.pathname + url.search, session?.id, contentHash(fields)]);
}
