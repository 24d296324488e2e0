import { type Context, page } from "fresh";
import { type AuthorizeError, errorAddress } from "../../authorization_server/authorize/authorize_error.ts";
import type { AuthorizeRequest } from "../../authorization_server/authorize/authorize_request.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import { findConsent } from "../../grants/consent.ts";
import { isNavigation } from "../../http/navigation.ts";
import { textsIn } from "../../texts/texts.ts";
import { anySession } from "../authentication/current_session.ts";
import { moveOn } from "../pages/leaves.tsx";
import type { State } from "../state.ts";
import { noteOAuthRefusal } from "../refusal.ts";
import { type Answer, type AuthorizePage, untrustedPage } from "./authorize_page.ts";
import { isInFrame } from "./navigation.ts";
import type { RefusedVisit } from "./visit.ts";

/**
 * Goes back to an app. A request that may be the end of a form of ours gets a page that moves on, because our
 * Content-Security-Policy governs the redirects of a form.
 *
 * @param options.address a registered redirect URI, with the answer.
 */
export async function leave(
  ctx: Context<State>,
  { client, address }: { client: RegisteredClient; address: string },
): Promise<Response> {
  if (!mayEndForm(ctx)) return ctx.redirect(address, 303);
  return await moveOn(ctx, address, textsIn(ctx.state.language).authorize.returnTo({ app: client.name }));
}

/**
 * Whether a form of our pages may have led here. Browsers do not say it on plain http, nor do old ones. A silent
 * request follows no page, and a frame would not show one.
 */
function mayEndForm({ req, url }: Context<State>): boolean {
  if (isInFrame(req)) return false;
  const site = req.headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return req.method === "POST" || (isNavigation(req) && url.searchParams.get("prompt") !== "none");
}

/** Refuses a request: goes back to the app with the error, unless nothing says that the address is the app's. */
export async function refuse(ctx: Context<State>, refused: RefusedVisit): Promise<Answer> {
  if (refused.kind === "refused") return await leaveWithout(ctx, refused);
  return untrustedPage(ctx, refused.reason, "document" in refused ? refused.document : null);
}

/** Goes back to an app with an error. */
export function leaveWithError(ctx: Context<State>, request: AuthorizeRequest, error: AuthorizeError): Promise<Answer> {
  const address = errorAddress(request, { error, issuer: ctx.state.services.config.baseUrl });
  return leaveWithout(ctx, { client: request.client, address });
}

/**
 * Goes back to an app that gets no code. Anyone can write the document of an unregistered app, so until the person has
 * allowed it something, only they take the browser there. Source: RFC 9700, 4.11.2.
 */
async function leaveWithout(
  ctx: Context<State>,
  { client, address }: { client: RegisteredClient; address: string },
): Promise<Answer> {
  if (client.statedName === null || await hasAllowed(ctx, client)) return await leave(ctx, { client, address });
  const { searchParams } = new URL(address);
  noteOAuthRefusal(ctx, { status: 400, message: searchParams.getAll("error").at(-1) ?? "" });
  const problem = searchParams.getAll("error_description").at(-1) ?? null;
  return page<AuthorizePage>({ kind: "withheld", client, address, problem }, { status: 400 });
}

async function hasAllowed(ctx: Context<State>, { id: clientId }: RegisteredClient): Promise<boolean> {
  const session = await anySession(ctx);
  return session !== null &&
    await findConsent(ctx.state.services.db, { userId: session.user.id, clientId }) !== null;
}
