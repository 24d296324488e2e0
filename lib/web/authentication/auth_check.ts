import type { Context } from "fresh";
import type { User } from "../../users/user_row.ts";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../errors/errors.ts";
import { findUnknownGroups, groupNamesOf } from "../../groups/membership.ts";
import { GROUPS_OF_PERSON_MAX } from "../../groups/schema.ts";
import { externalAddress } from "../../accounts/return_address.ts";
import { confirmationPath, withNext } from "../pages/next_path.ts";
import type { State } from "../state.ts";
import { anySession, REQUIRED_PAGE } from "./current_session.ts";
import { currentUser } from "./viewer.ts";

/**
 * Returns the user who sends the request, or null if products may not know them: there is none, the account is closing,
 * its session waits for a second factor, or its address is not confirmed, so that anyone may have registered it.
 */
export async function findCheckedUser(ctx: Context<State>): Promise<User | null> {
  if ((await anySession(ctx))?.isWaiting) return null;
  const user = await currentUser(ctx);
  return user?.deletionDueAt === null && user.emailVerified ? user : null;
}

/**
 * Returns the names of the user's groups. The proxy may ask with `group` whether they are in one of some.
 *
 * @throws {AppError} FORBIDDEN if they are in none of those.
 */
export async function checkGroups({ url, state: { services } }: Context<State>, { id }: User): Promise<string[]> {
  const { db, now, log } = services;
  const groups = await groupNamesOf(db, { userId: id, now: now() });
  const wanted = url.searchParams.get("group")?.split(",", GROUPS_OF_PERSON_MAX);
  if (wanted === undefined || wanted.some((name) => groups.includes(name))) return groups;
  const unknown = await findUnknownGroups(db, wanted);
  if (unknown.length > 0) log("warn", "a proxy asks for groups that do not exist", { groups: unknown });
  throw new AppError("FORBIDDEN", { reason: "group" });
}

/** The headers in which a reverse proxy tells a product who sends a request. They are ASCII, as headers must be. */
export function identityHeaders(
  { id, email, emailVerified, name, avatar, role }: User,
  { groups, sessionId }: { groups: string[]; sessionId: string | undefined },
): Record<string, string> {
  return {
    "X-Foyer-User-Id": id,
    "X-Foyer-User-Email": email,
    "X-Foyer-User-Email-Verified": String(emailVerified),
    "X-Foyer-User-Name": encodeURIComponent(name),
    "X-Foyer-User-Picture": avatar ?? "",
    "X-Foyer-User-Role": role,
    "X-Foyer-User-Groups": groups.join(","),
    "X-Foyer-User-Session": sessionId ?? "",
  };
}

/**
 * Returns the page that confirms the address of someone whom products may not know before that, or that sets up their
 * second factor, or null. The login page and the product would send each other a person who has a session.
 *
 * @param next the page of a product.
 */
export async function confirmationPage(ctx: Context<State>, next: string | null): Promise<string | null> {
  if ((await anySession(ctx))?.isWaiting) return withNext(REQUIRED_PAGE, next);
  const user = await currentUser(ctx);
  return user?.deletionDueAt === null && !user.emailVerified ? confirmationPath(user.email, next) : null;
}

/**
 * Refuses a request whose user products may not know. With `login=redirect`, the response redirects to the page that
 * changes this: the login page, or the one that confirms the address.
 *
 * @throws {AppError} UNAUTHENTICATED.
 */
export async function refuseCheck(ctx: Context<State>): Promise<Response> {
  const next = productAddress(ctx.req, ctx.state.services.config);
  const page = await confirmationPage(ctx, next);
  if (ctx.url.searchParams.get("login") !== "redirect") {
    throw new AppError("UNAUTHENTICATED", { reason: page === null ? "guest" : "unconfirmed" });
  }
  // Absolute, because proxies pass it on to browsers on their own hosts.
  return ctx.redirect(ctx.state.services.config.baseUrl + (page ?? withNext("/login", next)), 303);
}

/**
 * Returns the address that the proxy was asked for. It is null if it does not lead to us or to an origin in
 * RETURN_ORIGINS, which also makes it safe to read headers that anyone can send.
 */
export function productAddress({ headers }: Request, { baseUrl, returnOrigins }: Config): string | null {
  const wanted = headers.get("x-original-url") ?? forwardedUrl(headers);
  return externalAddress(wanted, [baseUrl, ...returnOrigins]);
}

/** What Caddy and Traefik were asked for. */
function forwardedUrl(headers: Headers): string | null {
  const [proto, host, uri] = ["proto", "host", "uri"].map((name) => headers.get(`x-forwarded-${name}`));
  return proto && host && uri?.startsWith("/") ? `${proto}://${host}${uri}` : null;
}
