import { type OidcProvider, startOidcProvider } from "./oidc_provider.ts";
import { type ServedApp, serveTestApp } from "../app/served_app.ts";

/** The app on 127.0.0.1 and a real provider on localhost. For browsers these are two sites. */
export interface IdpWorld extends ServedApp {
  provider: OidcProvider;
}

export async function openIdpWorld(): Promise<IdpWorld> {
  let provider!: OidcProvider;
  const served = await serveTestApp(async (url) => {
    provider = await startOidcProvider({ redirectUri: `${url}/auth/idp/callback` });
    return { ...provider.env, IDP_NAME: "Example ID" };
  });
  return {
    ...served,
    provider,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
