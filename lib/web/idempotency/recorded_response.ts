import { findPresentedSessions } from "../../access/session.ts";
import { AppError, type ErrorCode } from "../../errors/errors.ts";
import type { Services } from "../../services/services.ts";
import { sessionTokenSet } from "../authentication/session_cookie.ts";

/** What a repetition needs of the result of the first request. Our responses are text. */
export type RecordedResponse = { status: number; headers: [string, string][]; body: string | null };
/** A result may also be an error, which becomes a response in one place. */
export type Recorded = RecordedResponse | RecordedError;
export type RecordedError = Pick<AppError, "code" | "data">;

/** Returns the record of a response, whose body can still be sent. */
export async function recordResponse(response: Response): Promise<RecordedResponse> {
  const { status, headers, body } = response;
  return { status, headers: [...headers], body: body === null ? null : await response.clone().text() };
}

/**
 * Returns the record of an error, or null if a repetition must run again: unexpected errors, and failures on our side.
 */
export function recordError(error: unknown): Recorded | null {
  if (!(error instanceof AppError) || error.status >= 500) return null;
  const { code, data } = error;
  return { code, data };
}

/**
 * Recreates an error. Returns null for a record of version 0.1.0 or older, so that the action, which had no effect,
 * runs again.
 */
export function recreateError({ code, data }: RecordedError): AppError | null {
  return data === undefined ? null : new AppError<ErrorCode>(code, data as object);
}

/** Recreates a response. Statuses such as 204 allow no body, not even an empty one. */
export function recreateResponse({ body, ...init }: RecordedResponse): Response {
  return new Response(body, init);
}

/** Whether the session that a recorded response opens is still valid. True if it opens none. */
export async function isSessionValid(services: Services, { headers }: RecordedResponse): Promise<boolean> {
  const token = sessionTokenSet(new Headers(headers));
  return !token || (await findPresentedSessions(services, [token])).current !== null;
}
