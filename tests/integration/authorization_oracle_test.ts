import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { hashClientSecret } from "../../lib/clients/client_secret.ts";
import { HOUR_SECONDS } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { giveCode, REDIRECT_URI, RESOURCES } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { DIFFERENCES } from "../support/oracle/differences.ts";
import { startOracle } from "../support/oracle/oracle.ts";
import {
  AUTHORIZE_CASES,
  INTROSPECT_CASES,
  LOGOUT_CASES,
  REVOKE_CASES,
  USERINFO_CASES,
} from "../support/oracle/other_cases.ts";
import { API, classOf, type CodeOptions, SECRETS, type Side } from "../support/oracle/side.ts";
import { SERVICE_CASES } from "../support/oracle/service_cases.ts";
import { CLIENT_CASES, CODE_CASES, REFRESH_CASES } from "../support/oracle/token_cases.ts";

/** The same requests to Foyer and to oidc-provider, a certified library, with the same clients. */

const ALL = ["openid", "profile", "email"].join(" ");
const common = { redirect_uris: [REDIRECT_URI], scope: ALL, access_ttl: HOUR_SECONDS };
const hashes = (id: string) => [`sha256:${hashClientSecret(SECRETS[id])}`];
const CLIENTS_FILE = await writeClientsFile([
  {
    ...common,
    client_id: "wiki",
    client_name: "Wiki",
    client_secret_hashes: hashes("wiki"),
    post_logout_redirect_uris: ["https://app.example/out"],
  },
  { ...common, client_id: "phone", client_name: "Phone", scope: `${ALL} notes:read`, resources: [API] },
  { ...common, client_id: "one-time", client_name: "One", grant_types: ["authorization_code"] },
  {
    ...common,
    client_id: "notes-api",
    client_name: "Notes",
    client_secret_hashes: hashes("notes-api"),
    resources: [API],
    grant_types: ["authorization_code"],
  },
  {
    client_id: "robot",
    client_name: "Robot",
    client_secret_hashes: hashes("robot"),
    scope: "notes:read",
    resources: [API],
    grant_types: ["client_credentials"],
  },
], RESOURCES);

const app = await openSharedTestApp({ CLIENTS_FILE, LOGIN_MAX_ATTEMPTS: "0" });
await prepareSigningKeys(app.services);
const oracle = await startOracle();
Deno.test.afterAll(() => oracle[Symbol.asyncDispose]());
let people = 0;
const newPerson = async () => (await registerVerifiedUser(app, `person-${++people}@example.com`)).client;

const foyer: Side = {
  name: "Foyer",
  issuer: app.services.config.baseUrl,
  client: () => app.client(),
  async member() {
    const person = await newPerson();
    // The person has agreed before.
    await giveCode(app, person, "wiki");
    return person;
  },
  async code(clientId, { scopes = ["openid"], resource = null, hasChallenge }: CodeOptions = {}) {
    return (await giveCode(app, await newPerson(), clientId, { scopes, resource, hasChallenge })).code;
  },
  advance: (seconds) => app.advance(seconds),
};

const CASES = {
  ...CODE_CASES,
  ...CLIENT_CASES,
  ...REFRESH_CASES,
  ...SERVICE_CASES,
  ...REVOKE_CASES,
  ...INTROSPECT_CASES,
  ...USERINFO_CASES,
  ...AUTHORIZE_CASES,
  ...LOGOUT_CASES,
};

for (const [name, send] of Object.entries(CASES)) {
  Deno.test(`oracle: ${name}`, async () => {
    const [ours, theirs] = [await classOf(await send(foyer)), await classOf(await send(oracle))];
    const difference = DIFFERENCES[name];
    if (difference === undefined) return strictEqual(ours, theirs);
    notStrictEqual(ours, theirs, "They no longer differ: remove it from the list");
    deepStrictEqual([ours, theirs], [difference.foyer, difference.oracle]);
  });
}

Deno.test("every difference belongs to a request and has a reason, and the names are unique", () => {
  for (const [name, { reason }] of Object.entries(DIFFERENCES)) {
    ok(name in CASES, name);
    ok(reason.length > 20, name);
  }
  const tables = [
    CODE_CASES,
    CLIENT_CASES,
    REFRESH_CASES,
    SERVICE_CASES,
    REVOKE_CASES,
    INTROSPECT_CASES,
    USERINFO_CASES,
  ];
  const names = [...tables, AUTHORIZE_CASES, LOGOUT_CASES].flatMap((table) => Object.keys(table));
  strictEqual(new Set(names).size, names.length);
});
