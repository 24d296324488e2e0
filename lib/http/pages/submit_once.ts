import type { Context } from "fresh";
import { findPresentedSessions } from "../../accounts/session.ts";
import { AppError, type ErrorCode, type ErrorDetails } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { runOnce } from "../../programs/run_once.ts";
import { FORM_ID_FIELD } from "../../ui/FormId.tsx";
import type { MultipartForm, StagedFile, UploadedFile } from "../input/multipart.ts";
import { sessionTokenSet } from "../session_cookie.ts";
import type { State } from "../state.ts";

/** A redirect, or an error that people can mend. */
type Outcome =
  | { status: number; headers: [string, string][] }
  | { code: ErrorCode; message: string; details: ErrorDetails; retryAfterSeconds?: number };

/**
 * Runs what a form was submitted for, and answers the second click of a double click as the first: without scripts
 * browsers send both, and show the answer to the second. The same form is the same number with the same content, so
 * that one that comes out of the browser's history and is filled in otherwise is another. Forms without a number are
 * not held back.
 *
 * @throws {AppError} what `act` throws, also where that was for the first click.
 */
export async function submitOnce(
  ctx: Context<State>,
  fields: MultipartForm,
  act: () => Promise<Response>,
): Promise<Response> {
  if (!/^[0-9a-f-]{36}$/.test(String(fields[FORM_ID_FIELD]))) return await act();
  const { services } = ctx.state;
  const outcome = await runOnce(services, {
    digest: await digestOf(ctx, fields),
    run: () => act().then(outcomeOf, errorOutcome),
    holds: (outcome) => holds(services, outcome),
  });
  if ("code" in outcome) throw new AppError(outcome.code, outcome.message, outcome);
  return new Response(null, outcome);
}

function outcomeOf({ status, headers }: Response): Outcome {
  return { status, headers: [...headers] };
}

function errorOutcome(error: unknown): Outcome {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const { code, message, details, retryAfterSeconds } = error;
  return { code, message, details, retryAfterSeconds };
}

/** A session that has ended lets nobody in: then whoever logs in again with the same form does so. */
async function holds(services: Services, outcome: Outcome): Promise<boolean> {
  const token = "code" in outcome ? undefined : sessionTokenSet(new Headers(outcome.headers));
  return !token || (await findPresentedSessions(services, [token])).current !== null;
}

/**
 * Of the form, its content and the session that its page is for. Elsewhere the session is no part of it: the second
 * click may come with the one that the first has opened.
 */
async function digestOf({ url, state }: Context<State>, fields: MultipartForm): Promise<string> {
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
