import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "./accounts.ts";
import type { AppProcess } from "./app_process.ts";

/** Whoever asks learns within this time that there is no answer. */
const PATIENCE_MS = 3_000;
/** A request that takes longer hangs. */
const HANGING_MS = 10_000;
/** Must be registered and verified. */
export const VERIFIED = "verified@example.com";

/** A request for which the database is needed. */
export interface Call {
  name: string;
  path: string;
  method?: string;
  /** Sent as JSON, to a page as a form. */
  body?: () => Record<string, string>;
  withSession?: boolean;
  /** Where all is well. */
  status: number;
}

export const WRITE: Call = {
  name: "a write",
  path: "/api/profile",
  method: "PUT",
  body: () => ({ location: "London" }),
  withSession: true,
  status: 200,
};
export const REGISTRATION: Call = {
  name: "a registration",
  path: "/auth/register",
  method: "POST",
  body: newcomer,
  status: 201,
};
/** Of every kind. */
export const CALLS: Call[] = [
  { name: "health", path: "/api/health", status: 200 },
  { name: "a read", path: "/api/users", status: 200 },
  { name: "a session read", path: "/api/profile", withSession: true, status: 200 },
  { name: "a page", path: "/users", withSession: true, status: 200 },
  { name: "the start page of a member", path: "/", withSession: true, status: 200 },
  { name: "a member's page", path: "/dashboard", withSession: true, status: 200 },
  WRITE,
  {
    name: "a login",
    path: "/auth/login",
    method: "POST",
    body: () => ({ email: VERIFIED, password: PASSWORD }),
    status: 200,
  },
  {
    name: "a login by form",
    path: "/login",
    method: "POST",
    // With a number, as on the page: so it is run once, which the database is asked for before and after.
    body: () => ({ email: VERIFIED, password: PASSWORD, form_id: crypto.randomUUID() }),
    status: 303,
  },
  REGISTRATION,
  {
    name: "a forgotten password",
    path: "/auth/forgot-password",
    method: "POST",
    body: () => ({ email: newcomer().email }),
    status: 200,
  },
];
/** Ends the session where all is well, so it is made only where nothing is. */
export const LOGOUT: Call = { name: "a logout", path: "/auth/logout", method: "POST", withSession: true, status: 200 };

/** What a call came to. */
export interface Answer extends Call {
  response: Response;
  text: string;
  cookie: string;
  startedAt: number;
  endedAt: number;
  sent?: Record<string, string>;
}

/** How long an answer may take. */
export interface Patience {
  /** What as many requests take this machine where all is well; comes on top. */
  usualMs: number;
  /** When the fault began, for requests that had begun before. */
  struckAt?: number;
}

/** What somebody new registers with. */
export function newcomer() {
  return { name: "Newcomer", email: `${crypto.randomUUID()}@example.com`, password: PASSWORD };
}

export async function call(app: AppProcess, request: Call, cookie = ""): Promise<Answer> {
  const startedAt = performance.now();
  const sent = request.body?.();
  const response = await fetch(app.url + request.path, {
    method: request.method,
    redirect: "manual",
    signal: AbortSignal.timeout(HANGING_MS),
    body: sent && (isForPrograms(request) ? JSON.stringify(sent) : new URLSearchParams(sent)),
    headers: {
      ...request.withSession ? { Cookie: cookie } : {},
      ...sent && isForPrograms(request) ? { "Content-Type": "application/json" } : {},
    },
  });
  const text = await response.text();
  return { ...request, cookie, response, text, sent, startedAt, endedAt: performance.now() };
}

function isForPrograms({ path }: Call): boolean {
  return /^\/(api|auth)\//.test(path);
}

/** It came to what it comes to where all is well. */
export function assertWell({ name, status, response, text }: Answer): void {
  strictEqual(response.status, status, `${name}: ${text}`);
}

/** It was told in time, as everybody is told it, and keeps its session. */
export function assertUnavailable(answer: Answer, { usualMs, struckAt = 0 }: Patience): void {
  const { name, path, response, text, startedAt, endedAt } = answer;
  const durationMs = Math.round(endedAt - Math.max(startedAt, struckAt));
  strictEqual(response.status, 503, `${name}: ${text}`);
  ok(durationMs < PATIENCE_MS + usualMs, `${name} took ${durationMs} ms`);
  deepStrictEqual(response.headers.getSetCookie(), [], name);
  if (path === "/api/health") {
    const { status, db } = JSON.parse(text);
    deepStrictEqual({ status, db }, { status: "error", db: "disconnected" });
  } else if (isForPrograms(answer)) {
    const message = "The service is temporarily unavailable";
    deepStrictEqual(JSON.parse(text), { message, code: "UNAVAILABLE", error: message, details: {} });
  } else {
    match(response.headers.get("Content-Type") ?? "", /^text\/html/);
    match(text, /Please try again in a moment/);
  }
}
