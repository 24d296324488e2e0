import { deepStrictEqual, strictEqual } from "node:assert/strict";
import * as oauth from "oauth4webapi";
import { authorizePath } from "../support/app/authorize_page.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { BASE_URL, openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const NOTES = {
  resource: "https://notes.example",
  name: "Notes",
  scopes: { "notes:read": "See your notes", "notes:write": "Change them" },
};
const ADDRESSES = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"];
const PROTECTED_RESOURCE = "/.well-known/oauth-protected-resource";
const CLIENTS_FILE = await writeClientsFile([], [NOTES]);
const app = await openSharedTestApp({ CLIENTS_FILE });

Deno.test("both addresses return the same document, which every origin may read and cache", async () => {
  for (const address of ADDRESSES) {
    const response = await app.client().get(address, { Origin: "https://anywhere.example" });
    strictEqual(response.status, 200);
    strictEqual(response.headers.get("Cache-Control"), "public, max-age=300");
    strictEqual(response.headers.get("Access-Control-Allow-Origin"), "*");
    strictEqual(response.headers.get("Access-Control-Allow-Credentials"), null);
    strictEqual(response.headers.get("Content-Type"), "application/json");
    strictEqual(response.headers.get("Set-Cookie"), null);
    deepStrictEqual(await response.json(), {
      issuer: BASE_URL,
      authorization_endpoint: `${BASE_URL}/oauth/authorize`,
      token_endpoint: `${BASE_URL}/oauth/token`,
      userinfo_endpoint: `${BASE_URL}/oauth/userinfo`,
      revocation_endpoint: `${BASE_URL}/oauth/revoke`,
      introspection_endpoint: `${BASE_URL}/oauth/introspect`,
      device_authorization_endpoint: `${BASE_URL}/oauth/device_authorization`,
      end_session_endpoint: `${BASE_URL}/oauth/logout`,
      jwks_uri: `${BASE_URL}/.well-known/jwks.json`,
      scopes_supported: [
        "openid",
        "profile",
        "email",
        "groups",
        "offline_access",
        "profile:read",
        "profile:write",
        "users:read",
        "users:invite",
        "uploads:read",
        "uploads:write",
        "account:read",
        "users:emails",
        "groups:read",
        "groups:write",
        "notes:read",
        "notes:write",
      ],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: [
        "authorization_code",
        "refresh_token",
        "client_credentials",
        "urn:ietf:params:oauth:grant-type:device_code",
      ],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256", "ES256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
      introspection_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      acr_values_supported: ["1", "2"],
      prompt_values_supported: ["none", "login", "consent", "select_account", "create"],
      claims_supported: [
        "acr",
        "amr",
        "aud",
        "auth_time",
        "email",
        "email_verified",
        "exp",
        "given_name",
        "groups",
        "iat",
        "iss",
        "locale",
        "name",
        "nonce",
        "picture",
        "preferred_username",
        "sid",
        "sub",
        "updated_at",
        "website",
      ],
      ui_locales_supported: ["en", "de", "ar"],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      client_id_metadata_document_supported: false,
      service_documentation: `${BASE_URL}/docs`,
    });
  }
});

Deno.test("a client library accepts the document, for OpenID Connect and for OAuth", async () => {
  for (const [algorithm, address] of [["oidc", ADDRESSES[0]], ["oauth2", ADDRESSES[1]]] as const) {
    const response = await oauth.discoveryRequest(new URL(BASE_URL), {
      algorithm,
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: (url: string) => {
        strictEqual(url, `${BASE_URL}${address}`);
        return app.client().get(address);
      },
    });
    const server = await oauth.processDiscoveryResponse(new URL(BASE_URL), response);
    strictEqual(server.token_endpoint, `${BASE_URL}/oauth/token`);
  }
});

Deno.test("the document about the API names its scopes, except that of admins, for every origin", async () => {
  const response = await app.client().get(PROTECTED_RESOURCE, { Origin: "https://other.example" });
  strictEqual(response.headers.get("Access-Control-Allow-Origin"), "*");
  strictEqual(response.headers.get("Cache-Control"), "public, max-age=300");
  deepStrictEqual(await response.json(), {
    resource: BASE_URL,
    resource_name: "Foyer",
    authorization_servers: [BASE_URL],
    scopes_supported: [
      "profile:read",
      "profile:write",
      "users:read",
      "users:invite",
      "uploads:read",
      "uploads:write",
      "account:read",
      "users:emails",
      "groups:read",
      "groups:write",
    ],
    bearer_methods_supported: ["header"],
    resource_documentation: `${BASE_URL}/docs`,
  });
  const options = {
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: (url: string) => app.client().get(new URL(url).pathname),
  };
  const resource = new URL(BASE_URL);
  const found = await oauth.resourceDiscoveryRequest(resource, options);
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(resource, found);
  deepStrictEqual(authorization_servers, [BASE_URL]);
});

Deno.test("the operator's terms and privacy policy are named where they are set", async () => {
  const links = { PRIVACY_URL: "https://www.example.com/privacy", TERMS_URL: "https://www.example.com/terms" };
  await using other = await openTestApp({ CLIENTS_FILE, ...links });
  const { op_policy_uri, op_tos_uri } = await (await other.client().get(ADDRESSES[0])).json();
  deepStrictEqual([op_policy_uri, op_tos_uri], Object.values(links));
});

Deno.test("without CLIENTS_FILE there are no such documents, routes and pages, with any method", async () => {
  await using other = await openTestApp({ TOKEN_AUDIENCES: "wiki", CORS_ORIGINS: "https://partner.example" });
  const pages = [authorizePath("wiki"), "/oauth/logout", "/device"];
  for (
    const path of [
      ...ADDRESSES,
      PROTECTED_RESOURCE,
      ...pages,
      "/oauth/token",
      "/oauth/revoke",
      "/oauth/introspect",
      "/oauth/userinfo",
      "/oauth/device_authorization",
    ]
  ) {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const response = await other.client().request(path, { method, headers: { Origin: BASE_URL } });
      strictEqual(response.status, 404, `${method} ${path}`);
      if (!pages.includes(path) && method !== "HEAD") strictEqual((await response.json()).code, "NOT_FOUND");
      strictEqual(response.headers.get("Access-Control-Allow-Origin"), null);
    }
  }
  strictEqual((await other.client().get("/api/profile")).headers.get("WWW-Authenticate"), null);
});
