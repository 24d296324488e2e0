import type { Context } from "fresh";
import { findPresentedSessions } from "../../accounts/sessions/session.ts";
import { AppError, type ErrorCode, type ErrorDetails } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { runOnce } from "../../programs/idempotency.ts";
import { FORM_ID_FIELD } from "../../ui/form/FormId.tsx";
import type { MultipartForm, StagedFile, UploadedFile } from "../input/multipart.ts";
import { sessionTokenSet } from "../principal/session_cookie.ts";
import type { State } from "../state.ts";

const KEPT_SECONDS = 10;
const WAIT_SECONDS = 10;

/** What the second click needs of the first one's result. Forms respond with redirects, so no body is kept. */
type Recorded =
  | { status: number; headers: [string, string][] }
  | { code: ErrorCode; message: string; details: ErrorDetails; retryAfterSeconds?: number };

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
    run: act,
    record: (result) => result.status === "fulfilled" ? recordResponse(result.value) : recordError(result.reason),
    replay: (recorded) => replay(services, recorded),
  });
}

function recordResponse({ status, headers }: Response): Recorded {
  return { status, headers: [...headers] };
}

/** Failures on our side are not recorded: the second click may succeed. */
function recordError(error: unknown): Recorded | null {
  if (!(error instanceof AppError) || error.status >= 500) return null;
  const { code, message, details, retryAfterSeconds } = error;
  return { code, message, details, retryAfterSeconds };
}

/** A response whose session has ended is out of date: the same form, submitted again, logs in again. */
async function replay(services: Services, recorded: Recorded): Promise<Response | null> {
  if ("code" in recorded) throw new AppError(recorded.code, recorded.message, recorded);
  const token = sessionTokenSet(new Headers(recorded.headers));
  const isCurrent = !token || (await findPresentedSessions(services, [token])).current !== null;
  return isCurrent ? new Response(null, recorded) : null;
}

/**
 * Identifies the form, its content and the session that its page requires. Forms for guests leave out the session: the
 * second click may already carry the one that the first click opened.
 */
async function keyOf({ url, state }: Context<State>, fields: MultipartForm): Promise<string> {
  const session = await state.knownSession();
  const content = Object.entries(fields).map(async ([name, value]) =>
    typeof value === "string" ? [name, value] : [name, value.name, value.contentType, await hashOf(value)]
  );
  return await sha256(
    new TextEncoder().encode(JSON.stringify([url.pathname + url.search, session?.id, await Promise.all(content)])),
  );
}

async function hashOf(file: UploadedFile | StagedFile): Promise<string> {
  return "bytes" in file ? await sha256(file.bytes) : file.sha256;
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toBase64();
}
