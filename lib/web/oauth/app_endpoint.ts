import type { Context } from "fresh";
import type { Client } from "../../activity/client.ts";
import type { Entry } from "../../api/entry.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
import type { Limit } from "../../limits/policy.ts";
import type { Services } from "../../services/services.ts";
import { clientOf } from "../client.ts";
import { type EndpointHandler, plainEndpoint } from "../endpoints/endpoint.ts";
import type { State } from "../state.ts";
import { requireClient } from "./client_credentials.ts";
import { type OAuthForm, readOAuthForm } from "./oauth_form.ts";
import { oauthResponse } from "./oauth_response.ts";

/** A request of an app that has proved who it is. */
export interface AppRequest {
  services: Services;
  client: RegisteredClient;
  /** Where the request comes from. */
  from: Client;
  form: OAuthForm;
  ctx: Context<State>;
}

/** How apps call an endpoint as a client, and the errors that this may have. */
export const AS_CLIENT = { presents: "client", errors: ["invalid_request", "invalid_client"] } as const;

/** An endpoint that apps call with a form. `act` returns the body of the response. */
export function appEndpoint(
  entry: Entry & { limit: Limit },
  act: (request: AppRequest) => Promise<object | null>,
): EndpointHandler<typeof entry> {
  return plainEndpoint(entry, async (ctx) => {
    const form = await readOAuthForm(ctx.req);
    const client = await requireClient(ctx, form);
    return oauthResponse(await act({ services: ctx.state.services, client, from: clientOf(ctx), form, ctx }));
  });
}
