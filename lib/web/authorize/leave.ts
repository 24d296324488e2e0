import type { Context } from "fresh";
import { type AuthorizeError, errorAddress } from "../../authorization_server/authorize/authorize_error.ts";
import type { AuthorizeRequest } from "../../authorization_server/authorize/authorize_request.ts";
import type { RegisteredClient } from "../../authorization_server/registered_client.ts";
import { textsIn } from "../../texts/texts.ts";
import { moveOn } from "../pages/leaves.tsx";
import type { State } from "../state.ts";
import { isInFrame } from "./navigation.ts";

/**
 * Goes back to an app. A request of our own pages may be the end of a form, whose redirects our Content-Security-Policy
 * governs: it gets a page that moves on. A frame would not show that page.
 *
 * @param options.address a registered redirect URI, with the answer.
 */
export async function leave(
  ctx: Context<State>,
  { client, address }: { client: RegisteredClient; address: string },
): Promise<Response> {
  const isFromOwnPage = ctx.req.headers.get("sec-fetch-site") === "same-origin";
  if (!isFromOwnPage || isInFrame(ctx.req)) return ctx.redirect(address, 303);
  return await moveOn(ctx, address, textsIn(ctx.state.language).authorize.returnTo({ app: client.name }));
}

/** Goes back to an app with an error. */
export function leaveWithError(
  ctx: Context<State>,
  request: AuthorizeRequest,
  error: AuthorizeError,
): Promise<Response> {
  const address = errorAddress(request, { error, issuer: ctx.state.services.config.baseUrl });
  return leave(ctx, { client: request.client, address });
}
