import type { Context } from "fresh";
import type { Config } from "../../config/config.ts";
import { isRead } from "../../http/navigation.ts";
import { repeatSubmission } from "../idempotency/submit_once.ts";
import type { PageResult } from "./page_data.ts";
import { nextPath, pageAfterLogin, pathOfPage, withNext } from "./next_path.ts";
import { CONTINUE_PAGE } from "../../accounts/return_address.ts";
import { endHop, hop, isAfterHop, needsHop, withoutHop } from "./same_site_hop.tsx";
import { currentSession } from "../authentication/current_session.ts";
import { refuseWhileClosing } from "../middleware/closing_account.ts";
import type { State } from "../state.ts";

/** Returns the page itself. */
type Next<Result extends PageResult> = () => Result | Promise<Result>;

/**
 * Redirects to the login page when there is no session. The login page redirects back. OPTIONS needs no session. A
 * submitted form gets an error page instead: from there the browser can submit it again, so nothing that was typed is
 * lost.
 *
 * @throws {AppError} UNAUTHENTICATED for a form.
 */
export async function requirePageSession<Result extends PageResult>(
  ctx: Context<State>,
  next: Next<Result>,
): Promise<Result | Response> {
  if (ctx.req.method === "OPTIONS") return await next();
  if (!isRead(ctx.req) && await currentSession(ctx) === null) return await repeatSubmission(ctx);
  return await readWithSession(ctx, next);
}

/** The same for pages whose forms check the session themselves. */
export async function requirePageSessionToRead<Result extends PageResult>(
  ctx: Context<State>,
  next: Next<Result>,
): Promise<Result | Response> {
  return isRead(ctx.req) ? await readWithSession(ctx, next) : await next();
}

async function readWithSession<Result extends PageResult>(
  ctx: Context<State>,
  next: Next<Result>,
): Promise<Result | Response> {
  const session = await currentSession(ctx);
  if (session === null && needsHop(ctx)) return await hop(ctx);
  if (session === null) return endHop(ctx, ctx.redirect(withNext("/login", pathOfPage(ctx)), 303));
  if (isAfterHop(ctx)) return endHop(ctx, ctx.redirect(ctx.url.pathname + withoutHop(ctx.url), 303));
  return endHop(ctx, await next());
}

/**
 * Redirects logged-in users away from the login and registration pages. A product behind Foyer may have sent them,
 * after a link from another site: then the browser sends its session only after the hop.
 *
 * @throws {AppError} ACCOUNT_CLOSING.
 */
export async function skipWithSession<Result extends PageResult>(
  ctx: Context<State>,
  next: Next<Result>,
): Promise<Result | Response> {
  const skip = refuseWhileClosing(() => isRead(ctx.req) ? readAsGuest(ctx, next) : next());
  return await skip(ctx);
}

async function readAsGuest<Result extends PageResult>(
  ctx: Context<State>,
  next: Next<Result>,
): Promise<Result | Response> {
  const session = await currentSession(ctx);
  const path = nextPath(ctx);
  if (path === null) warnOfUnlistedOrigin(ctx);
  if (session === null && path?.startsWith(`${CONTINUE_PAGE}?`) && needsHop(ctx)) return await hop(ctx);
  return endHop(ctx, session === null ? await next() : ctx.redirect(path ?? pageAfterLogin(ctx.state), 303));
}

/** Each origin is named once. More than these are not those of an operator's products. */
const NAMED_MAX = 20;
const named = new WeakMap<Config, Set<string>>();

/** Says in the log why a login leads to no product: its origin is not in RETURN_ORIGINS. */
function warnOfUnlistedOrigin({ url, state: { services: { config, log } } }: Context<State>): void {
  const { origin, protocol = "" } = URL.parse(url.searchParams.get("next") ?? "") ?? {};
  if (origin === undefined || !/^https?:$/.test(protocol)) return;
  const known = named.get(config) ?? new Set([config.baseUrl, ...config.returnOrigins]);
  if (known.has(origin) || known.size >= NAMED_MAX + config.returnOrigins.length) return;
  named.set(config, known.add(origin));
  log("warn", "A login does not lead back to where it came from: its origin is not in RETURN_ORIGINS", { origin });
}
