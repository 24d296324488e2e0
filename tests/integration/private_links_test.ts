import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { type ActiveToken, findPresentedToken } from "../../lib/access/api_token.ts";
import { type Caller, eventBy, lockCaller } from "../../lib/access/principal.ts";
import { findApiAccess } from "../../lib/authorization_server/tokens/api_access.ts";
import { DAY_SECONDS, unixSeconds } from "../../lib/duration.ts";
import { createPrivateProbe } from "../../lib/jobs/store_checks.ts";
import { makeLink, revokeLinks } from "../../lib/uploads/private/links.ts";
import { principalOf, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { readPage } from "../support/app/page_reader.ts";
import { connect, REDIRECT_URI } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { startMemoryS3 } from "../support/uploads/memory_s3.ts";
import { openUploader, uploaderOf } from "../support/uploads/upload_world.ts";

const CLIENTS_FILE = await writeClientsFile([{
  client_id: "sharer",
  client_name: "Sharer",
  redirect_uris: [REDIRECT_URI],
  scope: "openid uploads:write",
}]);
const app = await openSharedTestApp({ CLIENTS_FILE });
const { services } = app;
const { db } = services;
const owner = await openUploader(app);
const stranger = await openUploader(app);

type Json = ReturnType<typeof JSON.parse>;

async function send(
  client: TestClient,
  path: string,
  { body = {}, method = "POST", headers = {} }: { body?: unknown; method?: string; headers?: HeadersInit } = {},
): Promise<{ status: number; replayed: string | null } & Json> {
  const response = await client.request(path, {
    method,
    body: method === "DELETE" ? undefined : JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
  });
  const text = await response.text();
  const replayed = response.headers.get("Idempotent-Replayed");
  return { status: response.status, replayed, ...text === "" ? {} : JSON.parse(text) };
}

/** Asks for a link as someone who may have it. */
const link = (id: string, body?: unknown, headers?: HeadersInit) =>
  send(owner.client, `/api/uploads/${id}/link`, { body, headers });

async function open(url: string): Promise<Response> {
  const { pathname, search } = new URL(url);
  return await app.client().get(pathname + search);
}

Deno.test("a link opens the file for everyone until it expires", async () => {
  const { id, publicUrl } = await owner.store("hello", "private");
  const { status, data, ...rest } = await link(id, { expiresIn: 60 });
  deepStrictEqual([status, Object.keys(data), Object.keys(rest)], [200, ["url", "expiresAt"], ["replayed"]]);
  strictEqual(data.expiresAt, unixSeconds(services.now()) + 60);
  strictEqual(data.url.split("?")[0], publicUrl);
  match(data.url, /\?link=[\w-]{52}$/);
  strictEqual(await (await open(data.url)).text(), "hello");
  app.advance(59.9);
  strictEqual((await open(data.url)).status, 200);
  app.advance(0.1);
  strictEqual((await open(data.url)).status, 404);
});

Deno.test("a link is for an hour and for reading, unless the request says otherwise", async () => {
  const pdf = await owner.presign({
    filename: "a.pdf",
    contentType: "application/pdf",
    size: 8,
    visibility: "private",
  });
  strictEqual(await owner.put(pdf, "%PDF-1.4", "application/pdf"), 200);
  const { id } = pdf;
  strictEqual((await owner.confirm(id)).status, 200);
  const path = `/api/uploads/${id}/link`;
  const plain = await owner.client.request(path, { method: "POST" });
  for (const data of [(await plain.json()).data, (await link(id)).data]) {
    strictEqual(data.expiresAt, unixSeconds(services.now()) + 3600);
    strictEqual((await open(data.url)).headers.get("Content-Disposition"), null);
  }
  const { data } = await link(id, { expiresIn: 7 * DAY_SECONDS, download: true });
  strictEqual(data.expiresAt, unixSeconds(services.now()) + 604_800);
  match((await open(data.url)).headers.get("Content-Disposition")!, /^attachment/);
});

Deno.test("a bad request for a link names the field that is wrong", async () => {
  const { id } = await owner.store("hello", "private");
  const bodies: [body: unknown, fields: string[]][] = [
    ...[59, 604_801, 0, -1, 60.5, "3600", null, true, [60], {}].map((
      expiresIn,
    ): [unknown, string[]] => [{ expiresIn }, ["expiresIn"]]),
    ...["true", 1, null, []].map((download): [unknown, string[]] => [{ download }, ["download"]]),
    [{ expiresIn: 1, download: "x" }, ["expiresIn", "download"]],
  ];
  for (const [body, fields] of bodies) {
    const { status, code, details } = await link(id, body);
    deepStrictEqual([status, code, Object.keys(details)], [400, "VALIDATION_FAILED", fields], JSON.stringify(body));
  }
  const { status, details } = await link(id, { expiresIn: 59 });
  deepStrictEqual([status, details], [400, { expiresIn: ["Must be a whole number from 60 to 604800"] }]);
});

Deno.test("only private files that are stored have links, and only for their owner", async () => {
  const { id } = await owner.store("hello", "private");
  const discarded = await owner.store("hello", "private");
  await owner.client.submit("/uploads", { action: "delete", [discarded.id]: "on" });
  const deleted = await owner.store("hello", "private");
  await owner.delete(deleted.id);
  const refused = await owner.presign({ visibility: "private", contentType: "image/png" });
  await owner.put(refused, "hello", "image/png");
  strictEqual((await owner.confirm(refused.id)).status, 400);
  const cases: [client: TestClient, id: string, made: string, revoked: string][] = [
    [owner.client, (await owner.presign({ visibility: "private" })).id, "409 NOT_UPLOADED", "204"],
    [owner.client, refused.id, "409 NOT_UPLOADED", "204"],
    [owner.client, (await owner.store()).id, "400 VALIDATION_FAILED", "400 VALIDATION_FAILED"],
    [owner.client, (await owner.image("post")).id, "400 VALIDATION_FAILED", "400 VALIDATION_FAILED"],
    [owner.client, discarded.id, "404 NOT_FOUND", "404 NOT_FOUND"],
    [owner.client, deleted.id, "404 NOT_FOUND", "404 NOT_FOUND"],
    [owner.client, crypto.randomUUID(), "404 NOT_FOUND", "404 NOT_FOUND"],
    [stranger.client, id, "404 NOT_FOUND", "404 NOT_FOUND"],
    [app.client(), id, "401 UNAUTHENTICATED", "401 UNAUTHENTICATED"],
  ];
  for (const [index, [client, id, made, revoked]] of cases.entries()) {
    const first = await send(client, `/api/uploads/${id}/link`);
    const second = await send(client, `/api/uploads/${id}/links`, { method: "DELETE" });
    deepStrictEqual(
      [`${first.status} ${first.code}`, `${second.status} ${second.code ?? ""}`.trim()],
      [made, revoked],
      `case ${index}`,
    );
    if (first.status === 400) deepStrictEqual(first.details, { visibility: ["Must be private"] });
  }
});

Deno.test("programs make and revoke links with uploads:write", async () => {
  const { id } = await owner.store("hello", "private");
  const [path, paths] = [`/api/uploads/${id}/link`, `/api/uploads/${id}/links`];
  const { headers } = await createToken(owner.client, { scopes: ["uploads:write"] });
  const { headers: reading } = await createToken(owner.client, { scopes: ["uploads:read"] });
  const { data } = await send(app.client(), path, { headers });
  strictEqual((await open(data.url)).status, 200);
  for (const [each, method] of [[path, "POST"], [paths, "DELETE"]]) {
    const { status, code } = await send(app.client(), each, { method, headers: reading });
    deepStrictEqual([status, code], [403, "SCOPE_MISSING"]);
  }
  strictEqual((await send(app.client(), paths, { method: "DELETE", headers })).status, 204);
  strictEqual((await open(data.url)).status, 404);
});

Deno.test("a request that is repeated with the same key gets the same link, and there is one event", async () => {
  const { id } = await owner.store("hello", "private");
  const key = { "Idempotency-Key": crypto.randomUUID() };
  const first = await link(id, { expiresIn: 600 }, key);
  app.advance(30);
  const again = await link(id, { expiresIn: 600 }, key);
  deepStrictEqual([again.status, again.replayed, again.data], [200, "true", first.data]);
  strictEqual((await link(id, { expiresIn: 601 }, key)).code, "IDEMPOTENCY_KEY_REUSED");
  const { events } = await db.selectFrom("events").select((eb) => eb.fn.countAll().as("events"))
    .where("kind", "=", "upload.linked").where("details", "@>", JSON.stringify({ upload: id }) as never)
    .executeTakeFirstOrThrow();
  strictEqual(Number(events), 1);
});

Deno.test("LIMIT_LINK limits the links that someone makes, whichever file and program", async () => {
  await using limited = await openTestApp({ LIMIT_LINK: "2/3600" });
  const person = uploaderOf(limited, await registerVerifiedUser(limited, "busy@example.com"));
  const files = [await person.store("a", "private"), await person.store("b", "private")];
  const { headers } = await createToken(person.client);
  const make = async (client: TestClient, { id }: { id: string }, headers?: HeadersInit) =>
    (await send(client, `/api/uploads/${id}/link`, { headers })).status;
  strictEqual(await make(person.client, files[0]), 200);
  strictEqual(await make(limited.client(), files[1], headers), 200);
  strictEqual(await make(limited.client(), files[0], headers), 429);
  strictEqual(await make(person.client, files[1]), 429);
  strictEqual((await send(person.client, `/api/uploads/${files[0].id}/links`, { method: "DELETE" })).status, 204);
});

Deno.test("the activity says who made and revoked links", async () => {
  const person = await openUploader(app);
  const { id } = await person.store("hello", "private");
  const { headers, id: token } = await createToken(person.client, { scopes: ["uploads:write"] });
  await send(person.client, `/api/uploads/${id}/link`);
  await send(app.client(), `/api/uploads/${id}/link`, { headers });
  await send(person.client, `/api/uploads/${id}/links`, { method: "DELETE" });
  const { data } = await (await person.client.get("/api/account/events?limit=3")).json();
  deepStrictEqual(data.map(({ kind, details, current, device }: Json) => [kind, details, current, device !== null]), [
    ["upload.links_revoked", { upload: id, name: "a.txt" }, true, true],
    ["upload.linked", { upload: id, name: "a.txt", token }, false, true],
    ["upload.linked", { upload: id, name: "a.txt" }, true, true],
  ]);
  const { text } = await readPage(person.client.get("/settings/activity"));
  match(
    text,
    /Links to the private file “a\.txt” ended .*Link to the private file “a\.txt” created .*File “a\.txt” uploaded/,
  );
  // Events of older releases have no names.
  await db.updateTable("events").set({ details: sql`details - 'name'` })
    .where("user_id", "=", person.id).where("kind", "in", ["upload.stored", "upload.linked", "upload.links_revoked"])
    .execute();
  match(
    (await readPage(person.client.get("/settings/activity"))).text,
    /Links to a private file ended .*File uploaded/,
  );
});

Deno.test("with a bucket, a link leads to Foyer, so it can be revoked", async () => {
  await using s3 = startMemoryS3();
  await using withBucket = await openTestApp(s3.env);
  await createPrivateProbe(withBucket.services)();
  const person = uploaderOf(withBucket, await registerVerifiedUser(withBucket, "bucket@example.com"));
  const { id, publicUrl } = await person.store("hello", "private");
  const { data } = await send(person.client, `/api/uploads/${id}/link`);
  strictEqual(data.url.split("?")[0], publicUrl);
  const { pathname, search } = new URL(data.url);
  const opened = await withBucket.client().get(pathname + search);
  strictEqual(opened.status, 303);
  strictEqual(opened.headers.get("Location")!.includes("link="), false, "the bucket does not learn the link");
  await send(person.client, `/api/uploads/${id}/links`, { method: "DELETE" });
  strictEqual((await withBucket.client().get(pathname + search)).status, 404);
});

Deno.test("a request that began before access ended makes no link", async () => {
  const client = SOME_CLIENT;
  const person = uploaderOf(app, await registerVerifiedUser(app, "quick@example.com"));
  const { id } = await person.store("hello", "private");
  const token = await createToken(person.client, { scopes: ["uploads:write"] });
  const { access_token } = await connect(app, person.client, "sharer", { scopes: ["openid", "uploads:write"] });
  const ofToken = (await findPresentedToken(services, token.token))!.token;
  const ofApp = (await findApiAccess(services, access_token))!.token as ActiveToken;
  const callers: Caller[] = [
    { user: ofToken.user, token: ofToken, client },
    { user: ofApp.user, token: ofApp, client },
    await principalOf(app, person.client),
  ];
  const act = (caller: Caller) => ({ id, by: eventBy(caller), lock: lockCaller(caller) });
  const make = (caller: Caller) => makeLink(services, { ...act(caller), expiresInSeconds: 60, download: false });
  for (const caller of callers) match((await make(caller)).url, /\?link=/);
  await person.client.request("/api/account", { method: "DELETE" });
  for (const caller of callers) {
    await rejects(make(caller), { code: "UNAUTHENTICATED" });
    await rejects(revokeLinks(services, act(caller)), { code: "UNAUTHENTICATED" });
  }
});
