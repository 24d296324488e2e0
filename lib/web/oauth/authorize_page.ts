import { type Context, page, type PageResponse } from "fresh";
import type { AuthorizeRequest, Distrust } from "../../authorization_server/authorize/authorize_request.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import type { User } from "../../users/user_row.ts";
import { noteOAuthRefusal } from "../refusal.ts";
import type { State } from "../state.ts";

/** What the page /oauth/authorize shows. `action` is its own address, for its form. */
export type AuthorizePage =
  | { kind: "untrusted" }
  | { kind: "choice"; client: RegisteredClient; user: User; action: string }
  | { kind: "consent"; request: AuthorizeRequest; user: User; action: string }
  | { kind: "noAccess"; client: RegisteredClient; user: User; action: string }
  | { kind: "tooOften"; client: RegisteredClient; minutes: number; action: string };

/** A page, or a response that leads elsewhere. */
export type Answer = Response | PageResponse<AuthorizePage>;

/** Why nothing may be said to the app, for the log. */
const REASONS: Record<Distrust, string> = {
  query: "the request to authorize is too long or malformed",
  client: "client_id is missing, repeated or unknown",
  redirectUri: "redirect_uri is missing, repeated or not one of this client",
};

/** The page for a request that may come from anyone. It shows nothing of the request. */
export function untrustedPage(ctx: Context<State>, reason: Distrust): Answer {
  noteOAuthRefusal(ctx, { status: 400, message: REASONS[reason] });
  return page<AuthorizePage>({ kind: "untrusted" }, { status: 400 });
}
