import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { PASSWORD } from "../app/accounts.ts";
import type { AppProcess } from "../processes/app_process.ts";

/** While the database is unavailable, every request must get its response within this time. */
const UNAVAILABLE_MS = 3_000;
/** A request that takes longer counts as hanging. */
const HANGING_MS = 10_000;
/** An account that the test must register and verify. */
export const VERIFIED = "verified@example.com";

/** A request that requires the database. */
export interface Call {
  name: string;
  path: string;
  method?: string;
  /** Sent as a form to a page, otherwise as JSON. */
  body?: () => Record<string, string>;
  withSession?: boolean;
  /** The expected status while the database works. */
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
/** One request of every kind. */
export const CALLS: Call[] = [
  { name: "health", path: "/api/health", status: 200 },
  { name: "a read", path: "/api/users", status: 200 },
  { name: "a session read", path: "/api/profile", withSession: true, status: 200 },
  { name: "a page", path: "/users", withSession: true, status: 200 },
  { name: "the home page with a session", path: "/", withSession: true, status: 303 },
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
    // The form id of the page makes the form run once, which requires the database before and after the login.
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
/** Sent only while the database is unavailable, because otherwise it ends the session. */
export const LOGOUT: Call = { name: "a logout", path: "/auth/logout", method: "POST", withSession: true, status: 200 };

/** A request and its response. */
export interface Answer extends Call {
  response: Response;
  text: string;
  cookie: string;
  startedAt: number;
  endedAt: number;
  sent?: Record<string, string>;
}

/** How long a response may take. */
export interface TimeLimit {
  /** The time that as many requests take while the database works. It is added to the limit. */
  usualMs: number;
  /** When the fault began, for requests that were sent before. */
  struckAt?: number;
}

/** The input of a new registration. */
export function newcomer() {
  return { name: "Newcomer", email: `${crypto.randomUUID()}@example.com`, password: PASSWORD };
}

/** Sends a request to a running app. */
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

/** Checks that a request succeeded as it does while the database works. */
export function assertWell({ name, status, response, text }: Answer): void {
  strictEqual(response.status, status, `${name}: ${text}`);
}

/** Checks that a request got the regular 503 in time, and kept its session. */
export function assertUnavailable(answer: Answer, { usualMs, struckAt = 0 }: TimeLimit): void {
  const { name, path, response, text, startedAt, endedAt } = answer;
  const durationMs = Math.round(endedAt - Math.max(startedAt, struckAt));
  strictEqual(response.status, 503, `${name}: ${text}`);
  ok(durationMs < UNAVAILABLE_MS + usualMs, `${name} took ${durationMs} ms`);
  deepStrictEqual(response.headers.getSetCookie(), [], name);
  if (path === "/api/health") {
    const { status, db } = JSON.parse(text);
    deepStrictEqual({ status, db }, { status: "error", db: "disconnected" });
  } else if (isForPrograms(answer)) {
    const message = "The service is temporarily unavailable";
    deepStrictEqual(JSON.parse(text), { message, code: "UNAVAILABLE", error: message, details: {} });
  } else {
    match(response.headers.get("Content-Type") ?? "", /^text\/html/);
    match(text, /We’ll be right back/);
  }
}
