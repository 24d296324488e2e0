import { type Context, page, type PageResponse } from "fresh";
import type { AuthorizeRequest, Distrust } from "../../authorization_server/authorize/authorize_request.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import type { User } from "../../users/user_row.ts";
import { noteOAuthRefusal } from "../refusal.ts";
import type { State } from "../state.ts";

/** What the page /oauth/authorize shows. `action` is its own address, for its form. */
export type AuthorizePage =
  | { kind: "untrusted"; document: UnusableDocument | null }
  | { kind: "withheld"; client: RegisteredClient; address: string; problem: string | null }
  | { kind: "choice"; client: RegisteredClient; user: User; action: string }
  | { kind: "consent"; request: AuthorizeRequest; user: User; action: string }
  | { kind: "noAccess"; client: RegisteredClient; user: User; action: string }
  | { kind: "tooOften"; client: RegisteredClient; minutes: number; action: string };

/** The document of an unregistered app, and what is wrong with it, in English for its developers. */
export interface UnusableDocument {
  host: string;
  problem: string;
}

/** A page, or a response that leads elsewhere. */
export type Answer = Response | PageResponse<AuthorizePage>;

/** Why nothing may be said to the app, for the log. */
const REASONS: Record<Distrust, string> = {
  query: "the request to authorize is too long or malformed",
  client: "client_id is missing, repeated or unknown",
  document: "the metadata document of the client cannot be used",
  guest: "nobody is logged in, and the client has no registration",
  redirectUri: "redirect_uri is missing, repeated or not one of this client",
};

/** The page for a request that may come from anyone. It shows nothing of the request but the host of a document. */
export function untrustedPage(
  ctx: Context<State>,
  reason: Distrust,
  document: UnusableDocument | null = null,
): Answer {
  noteOAuthRefusal(ctx, { status: 400, message: document?.problem ?? REASONS[reason] });
  return page<AuthorizePage>({ kind: "untrusted", document }, { status: 400 });
}
