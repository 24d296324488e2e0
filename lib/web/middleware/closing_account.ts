import type { Context } from "fresh";
import { AppError } from "../../errors.ts";
import { isAccountClosing, presentsSession } from "../authentication/current_session.ts";
import { define, type State } from "../state.ts";

/** The page on which people keep an account that is closing. */
export const KEEP_ACCOUNT_PAGE = "/keep-account";

/** What the session of a closing account may do. */
const ALLOWED = [
  KEEP_ACCOUNT_PAGE,
  "/api/account/restore",
  "/api/account/export",
  "/settings/data/export",
  "/auth/reauthenticate",
  "/auth/reauthenticate/code",
  "/reauthenticate",
  "/auth/logout",
  "/logout",
];

/** What does not act for the session or decides for itself: the ways in, emailed links and public files. */
const WITHOUT_SESSION = [
  "/auth/check",
  "/.well-known/jwks.json",
  "/auth/login",
  "/auth/second-factor",
  "/second-factor",
  "/factor-reset",
  "/stop-factor-reset",
  "/auth/code",
  "/auth/code/verify",
  "/auth/register",
  "/auth/idp",
  "/auth/passkey",
  "/auth/passkey/options",
  "/auth/forgot-password",
  "/forgot-password",
  "/auth/resend-verification",
  "/auth/reset-password",
  "/reset-password",
  "/auth/verify-email",
  "/verify-email",
  "/auth/confirm-email",
  "/confirm-email",
  "/auth/not-me",
  "/not-me",
  "/api/health",
  "/api/openapi.json",
  "/docs",
  "/site.webmanifest",
];

const OPEN_PATHS = new Set([...ALLOWED, ...WITHOUT_SESSION]);

/**
 * Refuses everything else to the session of an account that is closing. Here alone this is decided, before any route, so
 * that no route can forget it. Pages lead to {@linkcode KEEP_ACCOUNT_PAGE} instead.
 */
export const refuseClosingAccount = define.middleware((ctx) =>
  isOpen(ctx) || !presentsSession(ctx) ? ctx.next() : unlessClosing(ctx)
);

async function unlessClosing(ctx: Context<State>): Promise<Response> {
  if (await isAccountClosing(ctx)) {
    throw new AppError("ACCOUNT_CLOSING", "This account is closing. Keep it or log out");
  }
  return await ctx.next();
}

function isOpen({ url: { pathname }, req: { method } }: Context<State>): boolean {
  // The public lists do not look up a session.
  if (/^\/api\/(account$|users(\/|$))/.test(pathname)) return ["GET", "HEAD", "OPTIONS"].includes(method);
  return OPEN_PATHS.has(pathname) || pathname.startsWith("/auth/idp/") || pathname.startsWith("/files/");
}
