import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { ClientSchema } from "./client_schema.ts";
import { checkClientsFile } from "./clients_file.ts";
import { ResourceSchema } from "./resource_schema.ts";

const HASH = `sha256:${"0a".repeat(32)}`;
const API = { resource: "https://api.example.com", name: "API", scopes: { "notes:read": "See your notes" } };
const SETTINGS = {
  baseUrl: "https://foyer.example",
  tokenAudiences: ["https://wiki.example.com", "wiki"],
  accessTtlSeconds: 300,
  uploads: "on" as const,
};
const READABLE = "must be one line of 1 to 100 characters that people can read";
const GRANT_TYPES = "must be authorization_code or refresh_token or client_credentials or " +
  "urn:ietf:params:oauth:grant-type:device_code";

/** Checks a file with one client, or several. */
function check(clients: unknown, resources: unknown = [API]) {
  const list = Array.isArray(clients) ? clients : [clients];
  const named = list.map((client) =>
    client instanceof Object ? { client_id: "app", client_name: "App", ...client } : client
  );
  return checkClientsFile(JSON.stringify({ clients: named, resources }), SETTINGS);
}

Deno.test("a client with an id and a name gets the defaults", () => {
  const { registrations: { clients }, problems } = check({ redirect_uris: ["https://app.example.com:444/cb"] });
  deepStrictEqual(problems, []);
  deepStrictEqual([...clients], [["app", {
    id: "app",
    name: "App",
    statedName: null,
    isMadeHere: false,
    isPublic: true,
    secretHashes: [],
    redirectUris: ["https://app.example.com:444/cb"],
    postLogoutRedirectUris: [],
    backchannelLogoutUri: null,
    grantTypes: ["authorization_code", "refresh_token"],
    scopes: ["openid", "profile", "email"],
    resources: [],
    isFirstParty: false,
    grantLifetime: "session",
    requiresPkce: true,
    requiresVerifiedEmail: true,
    requiresSecondFactor: false,
    groups: [],
    managedGroups: [],
    hasIdTokenClaims: true,
    idTokenAlgorithm: "RS256",
    accessTtlSeconds: 300,
    origins: ["https://app.example.com:444"],
    clientUri: null,
    policyUri: null,
    tosUri: null,
  }]]);
});

Deno.test("a client may have every field", () => {
  const { registrations: { clients }, problems } = check({
    client_name: "  Wiki ",
    client_secret_hashes: [HASH, HASH],
    redirect_uris: ["https://wiki.example.com/cb"],
    post_logout_redirect_uris: ["http://[::1]:8080/bye?a=b"],
    backchannel_logout_uri: "https://10.0.0.1/logout",
    grant_types: ["authorization_code"],
    scope: "openid  offline_access uploads:read notes:read openid",
    resources: ["https://api.example.com", "https://wiki.example.com"],
    first_party: true,
    grant_lifetime: "offline",
    require_pkce: false,
    require_verified_email: false,
    require_second_factor: true,
    id_token_claims: false,
    id_token_signed_response_alg: "ES256",
    access_ttl: 60,
    groups: ["editors", "editors"],
    manages_groups: ["guests", "guests"],
    origins: ["https://Admin.example.com", "http://localhost:3000"],
    client_uri: "https://wiki.example.com",
    policy_uri: "https://wiki.example.com/privacy",
    tos_uri: "https://wiki.example.com/terms",
  });
  deepStrictEqual(problems, []);
  deepStrictEqual(clients.get("app"), {
    id: "app",
    name: "Wiki",
    statedName: null,
    isMadeHere: false,
    isPublic: false,
    secretHashes: [HASH.slice(7), HASH.slice(7)],
    redirectUris: ["https://wiki.example.com/cb"],
    postLogoutRedirectUris: ["http://[::1]:8080/bye?a=b"],
    backchannelLogoutUri: "https://10.0.0.1/logout",
    grantTypes: ["authorization_code"],
    scopes: ["openid", "offline_access", "uploads:read", "notes:read"],
    resources: ["https://api.example.com", "https://wiki.example.com"],
    isFirstParty: true,
    grantLifetime: "offline",
    requiresPkce: false,
    requiresVerifiedEmail: false,
    requiresSecondFactor: true,
    groups: ["editors"],
    managedGroups: ["guests"],
    hasIdTokenClaims: false,
    idTokenAlgorithm: "ES256",
    accessTtlSeconds: 60,
    origins: ["https://admin.example.com", "http://localhost:3000"],
    clientUri: "https://wiki.example.com",
    policyUri: "https://wiki.example.com/privacy",
    tosUri: "https://wiki.example.com/terms",
  });
});

Deno.test("only pages of public clients may call by default", () => {
  const uris = ["https://a.example.com/x", "http://127.0.0.1:8080/x", "https://a.example.com/y"];
  const originsOf = (client: object) => check(client).registrations.clients.get("app")!.origins;
  deepStrictEqual(originsOf({ redirect_uris: [...uris, "com.example.app:/cb"] }), [
    "https://a.example.com",
    "http://127.0.0.1:8080",
  ]);
  deepStrictEqual(originsOf({ redirect_uris: uris, client_secret_hashes: [HASH] }), []);
  deepStrictEqual(originsOf({ redirect_uris: uris, origins: [] }), []);
});

Deno.test("each wrong field of a client has one problem, with its position", () => {
  const many = Array(21).fill("https://app.example.com");
  const web = "must be https, or http on 127.0.0.1, [::1] or localhost";
  const ttl = "must be a whole number from 60 to 3600";
  const hash = "must be sha256: and 64 digits of 0-9a-f, as foyer clients secret prints it";
  const origin = "must be an origin such as https://app.example.com";
  const cases: [field: string, value: unknown, problem: string, at?: string][] = [
    ["client_id", "", "must be 1 to 100 letters, digits, dots, hyphens and underscores"],
    ["client_id", "x".repeat(101), "must be 1 to 100 letters, digits, dots, hyphens and underscores"],
    ["client_id", "a b", "must be 1 to 100 letters, digits, dots, hyphens and underscores"],
    ["client_id", crypto.randomUUID(), "must not be a UUID, as the ids of people are"],
    ["client_id", "019CA953-9E80-7000-8000-000000000001", "must not be a UUID, as the ids of people are"],
    ["client_id", null, "must be a text"],
    ["client_id", undefined, "is required"],
    ["client_name", "  ", READABLE],
    ["client_name", "\u200b", READABLE],
    ["client_name", "a\nb", READABLE],
    ["client_name", "\u202eevil", READABLE],
    ["client_name", "x".repeat(101), READABLE],
    ["client_name", undefined, "is required"],
    ["client_secret_hashes", HASH, "must be a list"],
    ["client_secret_hashes", ["secret"], hash, "[0]"],
    ["client_secret_hashes", [HASH, HASH.toUpperCase()], hash, "[1]"],
    ["client_secret_hashes", [HASH, HASH, HASH], "must have at most 2 entries"],
    ["redirect_uris", many, "must have at most 20 entries"],
    ["redirect_uris", [1], "must be a text", "[0]"],
    ["post_logout_redirect_uris", many, "must have at most 20 entries"],
    ["backchannel_logout_uri", "http://app.example.com", web],
    ["backchannel_logout_uri", "com.example.app:/logout", web],
    ["grant_types", ["implicit"], GRANT_TYPES, "[0]"],
    ["grant_types", ["refresh_token", "password"], GRANT_TYPES, "[1]"],
    ["grant_types", ["client_credentials"], "may have client_credentials only if the client has a secret"],
    ["grant_types", [], "is required"],
    ["scope", " ", "must name a scope"],
    ["scope", ["openid"], "must be a text"],
    ["scope", "openid notes:write", "notes:write is neither a scope of this service nor of a resource"],
    ["scope", "admin", "admin is only for clients with the grant type client_credentials"],
    ["scope", "openid users:emails", "users:emails is only for clients with the grant type client_credentials"],
    ["resources", ["https://other.example.com"], "is neither among the resources nor in TOKEN_AUDIENCES", "[0]"],
    ["resources", ["wiki"], "is neither among the resources nor in TOKEN_AUDIENCES", "[0]"],
    ["first_party", "true", "must be true or false"],
    ["grant_lifetime", "forever", "must be session or offline"],
    ["require_pkce", false, "may be false only if the client has a secret"],
    ["require_verified_email", 1, "must be true or false"],
    ["require_second_factor", 1, "must be true or false"],
    ["id_token_claims", null, "must be true or false"],
    ["id_token_signed_response_alg", "HS256", "must be RS256 or ES256"],
    ["id_token_signed_response_alg", "none", "must be RS256 or ES256"],
    ["access_ttl", 59, ttl],
    ["access_ttl", 3601, ttl],
    ["access_ttl", 60.5, ttl],
    ["access_ttl", "300", ttl],
    [
      "groups",
      ["Editors"],
      "must be 1 to 40 lowercase letters, digits, dots, hyphens and underscores, the first a letter or digit",
      "[0]",
    ],
    ["groups", [], "is required"],
    ["manages_groups", "guests", "must be a list"],
    ["origins", ["null"], origin, "[0]"],
    ["origins", ["*"], origin, "[0]"],
    ["origins", ["https://app.example.com/x"], origin, "[0]"],
    ["origins", ["http://app.example.com"], origin, "[0]"],
    ["client_uri", "http://localhost", "must be an https URL"],
    ["policy_uri", "javascript:alert(1)", "must be an https URL"],
    ["tos_uri", "https://ada@app.example.com", "must have no credentials"],
    [
      "client_secret",
      "x",
      "is not a field: the file holds no secrets. Put the hash of the secret into client_secret_hashes",
    ],
    ["redirect_uri", "https://app.example.com", "is not a field"],
    ["__proto__x y", 1, "is not a field"],
  ];
  for (const [field, value, problem, at = ""] of cases) {
    const { problems } = check({ [field]: value });
    const name = field.includes(" ") ? `[${JSON.stringify(field)}]` : `.${field}`;
    deepStrictEqual(problems, [`clients[0]${name}${at}: ${problem}`], `${field} ${JSON.stringify(value)}`);
  }
  for (const value of [60, 3600]) deepStrictEqual(check({ access_ttl: value }).problems, []);
});

Deno.test("one check finds every problem", () => {
  const { problems } = check([
    { client_id: "a", redirect_uris: ["https://ü.example", "https://a.example/#"], first_party: 1 },
    { client_id: "b", scope: "openid notes:read broken:read", resources: ["https://broken.example.com"] },
    { client_id: "a", client_secret_hashes: ["x"], require_pkce: false },
    null,
  ], [API, { resource: "https://broken.example.com", scopes: { "broken:read": 1 } }, API, 5]);
  deepStrictEqual(problems, [
    "resources[1].name: is required",
    'resources[1].scopes["broken:read"]: must be a text',
    "resources[3]: must be an object",
    "resources[2].resource: is the same as resources[0].resource",
    "clients[0].first_party: must be true or false",
    "clients[0].redirect_uris[0]: must consist of the characters of a URI, with all others percent-encoded",
    "clients[0].redirect_uris[1]: must have no fragment",
    "clients[2].client_secret_hashes[0]: must be sha256: and 64 digits of 0-9a-f, as foyer clients secret prints it",
    "clients[3]: must be an object",
    "clients[2].client_id: is the same as clients[0].client_id",
  ]);
});

Deno.test("the file must be an object with clients", () => {
  const problemsOf = (content: string) => checkClientsFile(content, SETTINGS).problems;
  deepStrictEqual(problemsOf('{"clients": []}'), []);
  deepStrictEqual(problemsOf("{}"), ["clients: is required"]);
  deepStrictEqual(problemsOf("[]"), ["must be an object with clients and resources"]);
  deepStrictEqual(problemsOf('{"clients": {}, "client": 1}'), ["clients: must be a list", "client: is not a field"]);
  strictEqual(problemsOf("{clients: []}").length, 1);
  strictEqual(problemsOf("{clients: []}")[0].startsWith("is not JSON: "), true);
});

Deno.test("the example in the documentation is valid", async () => {
  const document = await Deno.readTextFile(new URL("../../docs/sign-in-with-foyer.md", import.meta.url));
  const [, example] = document.match(/```json\n([\s\S]*?)```/)!;
  deepStrictEqual(checkClientsFile(example, SETTINGS).problems, []);
});

Deno.test("the documentation names the fields of the schemas, and no other", async () => {
  const document = await Deno.readTextFile(new URL("../../docs/sign-in-with-foyer.md", import.meta.url));
  for (const [heading, schema] of [["Clients", ClientSchema], ["Resources", ResourceSchema]] as const) {
    const [, section] = document.split(`### ${heading}\n`);
    const rows = section.split("\n### ")[0].split("\n").filter((line) => line.startsWith("| `"));
    const named = rows.flatMap((row) => [...row.split("|")[1].matchAll(/`(\w+)`/g)].map(([, name]) => name));
    const fields = Object.keys(schema.shape);
    deepStrictEqual(named.sort(), fields.sort());
  }
});
