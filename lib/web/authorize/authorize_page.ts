import type { PageResponse } from "fresh";
import type { AuthorizeRequest } from "../../authorization_server/authorize/authorize_request.ts";
import type { RegisteredClient } from "../../authorization_server/registered_client.ts";
import type { User } from "../../users/user_row.ts";

/** What the page /oauth/authorize shows. `action` is its own address, for its form. */
export type AuthorizePage =
  | { kind: "untrusted" }
  | { kind: "choice"; client: RegisteredClient; user: User; action: string }
  | { kind: "consent"; request: AuthorizeRequest; user: User; action: string }
  | { kind: "tooOften"; client: RegisteredClient; minutes: number; action: string };

/** A page, or a response that leads elsewhere. */
export type Answer = Response | PageResponse<AuthorizePage>;
