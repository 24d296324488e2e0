import type { Context } from "fresh";
import type { User } from "../../users/user_row.ts";
import type { Config } from "../../config/config.ts";
import { AppError } from "../../errors/errors.ts";
import { withNext } from "../pages/next_path.ts";
import { externalAddress } from "../../accounts/return_address.ts";
import type { State } from "../state.ts";
import { currentUser } from "./viewer.ts";

/**
 * Returns the user who sends the request, or null if products may not know them: there is none, the account is closing,
 * or its address is not confirmed, so that anyone may have registered it.
 */
export async function findCheckedUser(ctx: Context<State>): Promise<User | null> {
  const user = await currentUser(ctx);
  return user?.deletionDueAt === null && user.emailVerified ? user : null;
}

/** The headers in which a reverse proxy tells a product who sends a request. They are ASCII, as headers must be. */
export function identityHeaders({ id, email, emailVerified, name, avatar, role }: User): Record<string, string> {
  return {
    "X-Foyer-User-Id": id,
    "X-Foyer-User-Email": email,
    "X-Foyer-User-Email-Verified": String(emailVerified),
    "X-Foyer-User-Name": encodeURIComponent(name),
    "X-Foyer-User-Picture": avatar ?? "",
    "X-Foyer-User-Role": role,
  };
}

/**
 * Refuses a request whose user products may not know. With `login=redirect`, the response redirects to the page that
 * changes this: the login page, or the one that confirms the address. The login page would lead back at once.
 *
 * @throws {AppError} UNAUTHENTICATED.
 */
export async function refuseCheck(ctx: Context<State>): Promise<Response> {
  if (ctx.url.searchParams.get("login") !== "redirect") throw new AppError("UNAUTHENTICATED", { reason: "guest" });
  const user = await currentUser(ctx);
  const isUnconfirmed = user?.deletionDueAt === null && !user.emailVerified;
  const page = isUnconfirmed ? `/verify-email?${new URLSearchParams({ email: user.email })}` : "/login";
  return ctx.redirect(addressOf(page, ctx.req, ctx.state.services.config), 303);
}

/**
 * Returns the address of a page that leads back to what the proxy was asked for. It is absolute, because proxies pass
 * it on to browsers on their own hosts. The way back is left out if it does not lead to us or to an origin in
 * RETURN_ORIGINS, which also makes it safe to read headers that anyone can send.
 */
function addressOf(page: string, { headers }: Request, config: Config): string {
  const wanted = headers.get("x-original-url") ?? forwardedUrl(headers);
  const origins = [config.baseUrl, ...config.returnOrigins];
  return config.baseUrl + withNext(page, externalAddress(wanted, origins));
}

/** What Caddy and Traefik were asked for. */
function forwardedUrl(headers: Headers): string | null {
  const [proto, host, uri] = ["proto", "host", "uri"].map((name) => headers.get(`x-forwarded-${name}`));
  return proto && host && uri?.startsWith("/") ? `${proto}://${host}${uri}` : null;
}
