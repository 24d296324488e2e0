import type { Context } from "fresh";
import type { Client } from "../../activity/client.ts";
import type { EntryKey } from "../../api/all_entries.ts";
import type { RegisteredClient } from "../../config/registered_client.ts";
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

/** An endpoint that apps call with a form. `act` returns the body of the response. */
export function appEndpoint(
  key: EntryKey,
  act: (request: AppRequest) => Promise<object | null>,
): EndpointHandler {
  return plainEndpoint(key, async (ctx) => {
    const form = await readOAuthForm(ctx.req);
    const client = await requireClient(ctx, form);
    return oauthResponse(await act({ services: ctx.state.services, client, from: clientOf(ctx), form, ctx }));
  });
}
