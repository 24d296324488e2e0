import { startOidcProvider } from "./oidc_provider.ts";

/** `deno task idp`: a provider for signing in to an app that runs at http://localhost:8000 or BASE_URL. */
const baseUrl = Deno.env.get("BASE_URL") ?? "http://localhost:8000";
const { env } = await startOidcProvider({ redirectUri: `${baseUrl}/auth/idp/callback`, port: 9000 });

console.log(`An identity provider for ${baseUrl} is running. Start the app with\n`);
console.log([...Object.entries(env).map(([name, value]) => `${name}=${value}`), "deno task start"].join(" "));
