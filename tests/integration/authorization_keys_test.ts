import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { importJWK, jwtVerify } from "jose";
import {
  discardSigningKeys,
  getSigningKey,
  getSigningKeys,
  listPublicKeys,
  prepareSigningKeys,
  renewSigningKeys,
  SIGNING_KEY_IDS,
} from "../../lib/access/signing_keys.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { signJwt } from "../../lib/crypto/jwt.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { revokeSecrets } from "../../lib/installation/secrets.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const CLIENTS_FILE = await writeClientsFile([{ client_id: "wiki", client_name: "Wiki" }]);
const EMPTY_FILE = await writeClientsFile([]);
const app = await openSharedTestApp({ CLIENTS_FILE });
const { services } = app;
const algorithms = async () => (await listPublicKeys(services)).map(({ alg }) => alg).sort();

async function published() {
  const response = await app.client().get("/.well-known/jwks.json", { Origin: "https://anywhere.example" });
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Access-Control-Allow-Origin"), "*");
  return (await response.json()).keys;
}

Deno.test("the key for RS256 exists before the first request, and only its public part is published", async () => {
  const keys = await published();
  deepStrictEqual(keys.map((key: { alg: string }) => [key.alg, Object.keys(key).sort()]), [
    ["ES256", ["alg", "crv", "kid", "kty", "use", "x", "y"]],
    ["RS256", ["alg", "e", "kid", "kty", "n", "use"]],
  ]);
  const { kty, use, alg, n, e } = keys[1];
  deepStrictEqual([kty, use, alg, e], ["RSA", "sig", "RS256", "AQAB"]);
  strictEqual(Uint8Array.fromBase64(n, { alphabet: "base64url" }).length * 8, 2048);
  const { privateKey } = await getSigningKey(services, "RS256");
  const stored = JSON.stringify(await services.db.selectFrom("signing_keys").selectAll().execute());
  for (const part of [privateKey.d!, privateKey.p!, privateKey.q!]) ok(!stored.includes(part));
});

Deno.test("clients verify signatures of both algorithms with the published keys", async () => {
  for (const algorithm of ["RS256", "ES256"] as const) {
    const signing = await getSigningKey(services, algorithm);
    const token = await signJwt({ sub: "ada" }, signing, "at+jwt");
    const key = (await published()).find(({ kid }: { kid: string }) => kid === signing.id);
    const { payload, protectedHeader } = await jwtVerify(token, await importJWK(key, algorithm));
    deepStrictEqual(payload, { sub: "ada" });
    deepStrictEqual(protectedHeader, { alg: algorithm, typ: "at+jwt", kid: signing.id });
  }
});

Deno.test("no request makes a key for RS256", async () => {
  await services.db.deleteFrom("signing_keys").execute();
  await rejects(getSigningKey(services, "RS256"), { code: "UNAVAILABLE", retryAfterSeconds: 5 });
  deepStrictEqual((await published()).map(({ alg }: { alg: string }) => alg), ["ES256"]);
  await Promise.all(Array.from({ length: 3 }, () => prepareSigningKeys(services)));
  deepStrictEqual(await algorithms(), ["ES256", "RS256"], "instances that start at once make one");
  strictEqual((await getSigningKey(services, "RS256")).algorithm, "RS256");
  strictEqual((await getSigningKey(services, "ES256")).algorithm, "ES256");
});

Deno.test("revoking secrets replaces the key for RS256 at once", async () => {
  const { id } = await getSigningKey(services, "RS256");
  strictEqual((await revokeSecrets(services, COMMAND_LINE)).signingKeys, 2);
  notStrictEqual((await getSigningKey(services, "RS256")).id, id);
});

Deno.test("an instance that cannot read the key makes another one at its start", async () => {
  const changed = { ...services, config: { ...services.config, appSecret: "another secret that is 32 bytes long" } };
  const { id } = await getSigningKey(services, "RS256");
  await rejects(getSigningKey(changed, "RS256"), { code: "UNAVAILABLE" });
  await prepareSigningKeys(changed);
  notStrictEqual((await getSigningKey(changed, "RS256")).id, id);
  strictEqual((await getSigningKey(services, "RS256")).id, id);
});

Deno.test("keys for RS256 are renewed like the others, and independently of them", async () => {
  await using other = await openTestApp({ CLIENTS_FILE });
  const kids = async (alg: string) =>
    (await listPublicKeys(other.services)).filter((key) => key.alg === alg).map(({ kid }) => kid);
  const signing = async () => (await getSigningKey(other.services, "RS256")).id;
  const first = await signing();
  other.advance(DAY_SECONDS);
  await renewSigningKeys(other.services);
  const [ofAccess] = await kids("ES256");

  other.advance(89 * DAY_SECONDS - HOUR_SECONDS);
  await renewSigningKeys(other.services);
  const [second, ...rest] = await kids("RS256");
  deepStrictEqual(rest, [first], "published an hour before it signs");
  deepStrictEqual(await kids("ES256"), [ofAccess]);
  strictEqual(await signing(), first);
  other.advance(HOUR_SECONDS);
  strictEqual(await signing(), second);
  other.advance(DAY_SECONDS);
  deepStrictEqual(await kids("RS256"), [second], "a day longer than it signed");
});

Deno.test("keys are read again only when their ids have changed, and a key that was discarded signs nothing", async () => {
  const { db } = services;
  await discardSigningKeys(db);
  await renewSigningKeys(services);
  const selectIds = async () => (await db.selectNoFrom(SIGNING_KEY_IDS.as("ids")).executeTakeFirstOrThrow()).ids;
  const keysAt = async (ids: string[]) => (await getSigningKeys(services, ["ES256", "RS256"], ids)).map(({ id }) => id);
  const ids = await selectIds();
  const before = await keysAt(ids);
  deepStrictEqual(before.toSorted(), ids.toSorted());
  const failing = { ...services, db: null as unknown as typeof db };
  const [unread] = await getSigningKeys(failing, ["ES256"], ids);
  strictEqual(unread.id, before[0], "nothing is read again");
  await discardSigningKeys(db);
  await rejects(keysAt(await selectIds()), { code: "UNAVAILABLE" });
  await prepareSigningKeys(services);
  const after = await keysAt(await selectIds());
  deepStrictEqual([after.length, after.filter((id) => before.includes(id))], [2, []]);
});

Deno.test("without clients there is no key for RS256", async () => {
  for (const file of ["", EMPTY_FILE]) {
    await using other = await openTestApp({ CLIENTS_FILE: file, TOKEN_AUDIENCES: "wiki" });
    await renewSigningKeys(other.services);
    deepStrictEqual((await listPublicKeys(other.services)).map(({ alg }) => alg), ["ES256"]);
  }
});

Deno.test("who reads the keys before the first access token finds the key that will sign it", async () => {
  await discardSigningKeys(services.db);
  await prepareSigningKeys(services);
  const before = await algorithms();
  deepStrictEqual(before, ["ES256", "RS256"]);
  const { id } = await getSigningKey(services, "ES256");
  ok((await listPublicKeys(services)).some(({ kid }) => kid === id));
});
