import { SERVICE_GRANT } from "../../../lib/config/registered_client.ts";
import { hashClientSecret } from "../../../lib/clients/client_secret.ts";
import { client, postForm, tokensIn } from "./authorization.ts";
import type { TestApp } from "./test_app.ts";

/** The secret of all programs that act as themselves. */
export const SERVICE_SECRET = "secret-of-a-program-without-people";

/** Returns a program of CLIENTS_FILE that acts as itself. */
export function serviceApp(id: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return client(id, {
    client_secret_hashes: [`sha256:${hashClientSecret(SERVICE_SECRET)}`],
    redirect_uris: [],
    grant_types: [SERVICE_GRANT],
    ...fields,
  });
}

/** Asks for an access token as a program that acts as itself. */
export function askAsService(
  app: Pick<TestApp, "client">,
  id: string,
  fields: Record<string, string> = {},
): Promise<Response> {
  return postForm(app, "/oauth/token", {
    client_id: id,
    client_secret: SERVICE_SECRET,
    grant_type: SERVICE_GRANT,
    ...fields,
  });
}

/** Returns the access token of a program that acts as itself. */
export async function serviceToken(
  app: Pick<TestApp, "client">,
  id: string,
  fields: Record<string, string> = {},
): Promise<string> {
  return (await tokensIn(askAsService(app, id, fields))).access_token;
}

/** Sends a form as such a program. */
export function postAsService(
  app: Pick<TestApp, "client">,
  path: string,
  id: string,
  fields: Record<string, string>,
): Promise<Response> {
  return postForm(app, path, { client_id: id, client_secret: SERVICE_SECRET, ...fields });
}
