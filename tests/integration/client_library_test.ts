import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { createFoyer, type FoyerError, FoyerUnavailable, type IncomingRequest } from "../../lib/client/foyer.ts";
import { foyerSession as expressSession, requireUser as expressUser } from "../../lib/client/express.ts";
import { foyerSession as freshSession, requireUser as freshUser } from "../../lib/client/fresh.ts";
import { foyerSession as honoSession, requireUser as honoUser } from "../../lib/client/hono.ts";
import { nextFoyer } from "../../lib/client/next.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { signWith } from "../../lib/webhooks/webhook_secret.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { serveTestApp } from "../support/app/served_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { freePort } from "../support/processes/free_port.ts";

const PRODUCT = "http://127.0.0.1:3000";
const { app, url, ...served } = await serveTestApp(() => ({
  RETURN_ORIGINS: PRODUCT,
  TOKEN_AUDIENCES: PRODUCT,
  LOGIN_MAX_ATTEMPTS: "0",
}));
Deno.test.afterAll(() => served[Symbol.asyncDispose]());
const foyer = createFoyer({ url, origin: PRODUCT, audience: PRODUCT });
const ada = await registerVerifiedUser(app, "ada@example.com", "Zoë “Ada”");
const cookie = await cookieOf(ada.client);

/** The cookies that a browser would send to the product. */
async function cookieOf(client: TestClient): Promise<string> {
  return sessionCookie(await client.send("POST", "/auth/login", { email: "ada@example.com", password: PASSWORD }));
}

function sessionCookie({ headers }: Response): string {
  return headers.getSetCookie()[0].split(";")[0];
}

function requestTo(path: string, headers: Record<string, string> = {}): Request {
  return new Request(PRODUCT + path, { headers });
}

/** Serves one answer for every request, and collects the headers of the requests. */
async function withServer(answer: () => Response, act: (url: string, seen: Headers[]) => Promise<void>) {
  const seen: Headers[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ headers }) => {
    seen.push(headers);
    return answer();
  });
  await act(`http://127.0.0.1:${server.addr.port}`, seen);
  await server.shutdown();
}

Deno.test("the session says who sends a request, to Request and to the requests of Node", async () => {
  const session = await foyer.session(requestTo("/", { cookie: `other=1; ${cookie}` }));
  deepStrictEqual(session?.user, {
    id: ada.id,
    email: "ada@example.com",
    emailVerified: true,
    name: "Zoë “Ada”",
    picture: null,
    role: "user",
  });
  strictEqual((await foyer.session({ headers: { cookie } }))?.user.id, ada.id);
  const { data: [{ id }] } = await (await ada.client.get("/api/account/sessions")).json();
  strictEqual(session?.session?.id, id);
});

Deno.test("a guest, a wrong session and an unconfirmed address are null", async () => {
  strictEqual(await foyer.session(requestTo("/")), null);
  strictEqual(await foyer.session(requestTo("/", { cookie: "auth_session=wrong" })), null);
  const person = { name: "Anyone", email: "anyone@example.com", password: PASSWORD };
  const unconfirmed = sessionCookie(await app.client().send("POST", "/auth/register", person));
  strictEqual(await foyer.session(requestTo("/", { cookie: unconfirmed })), null);
});

Deno.test("Foyer gets the session cookie and nothing else, once for each request, and not for guests", () =>
  withServer(() => new Response(null, { status: 401 }), async (server, seen) => {
    const foyer = createFoyer({ url: server });
    const request = requestTo("/", { cookie: "a=1; auth_session=x; b=2; auth_session=y", authorization: "Bearer t" });
    strictEqual(await foyer.session(request), null);
    strictEqual(await foyer.session(request), null);
    strictEqual(await foyer.session(requestTo("/", { cookie: "a=1", authorization: "Bearer t" })), null);
    deepStrictEqual(seen.map((headers) => headers.get("cookie")), ["auth_session=x; auth_session=y"]);
    strictEqual(seen[0].get("authorization"), null);
    await foyer.session(requestTo("/", { authorization: "Bearer t" }), { bearer: true });
    strictEqual(seen[1].get("authorization"), "Bearer t");
  }));

Deno.test("an API token counts only if asked for, and one that may not read its person is nobody's", async () => {
  const { headers } = await createToken(ada.client, { scopes: ["profile:read"] });
  const request = requestTo("/", { authorization: headers.Authorization });
  strictEqual(await foyer.session(request), null);
  strictEqual((await foyer.session(request, { bearer: true }))?.user.id, ada.id);
  const other = await createToken(ada.client, { scopes: ["users:read"] });
  const refused = requestTo("/", { authorization: other.headers.Authorization });
  strictEqual(await foyer.session(refused, { bearer: true }), null);
});

Deno.test("without an answer of Foyer nobody is let in", async () => {
  const request = () => requestTo("/", { cookie: "auth_session=x" });
  await rejects(createFoyer({ url: `http://127.0.0.1:${freePort()}` }).session(request()), FoyerUnavailable);
  for (const status of [200, 204, 302, 404, 429, 500, 503]) {
    const answer = () => new Response(status === 204 ? null : "hello", { status });
    await withServer(answer, (url) => rejects(createFoyer({ url }).require(request()), FoyerUnavailable));
  }
});

Deno.test("where Foyer does not answer, Express and Fresh answer with 503, and Hono gets the response", async () => {
  const away = createFoyer({ url: `http://127.0.0.1:${freePort()}` });
  const headers = { cookie: "auth_session=x" };
  const error = await away.session({ headers }).catch((error) => error);
  const answers = [
    error.getResponse(), // Hono asks for it
    await freshSession(away)({ req: requestTo("/", headers), state: {}, next: () => Promise.reject() }),
  ];
  const product = express().set("env", "test").use(expressSession(away));
  const server = product.listen(0, "127.0.0.1");
  await once(server, "listening");
  answers.push(await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers }));
  for (const answer of answers) {
    deepStrictEqual([answer.status, answer.headers.get("retry-after")], [503, "5"]);
    await answer.body.cancel();
  }
  await new Promise((resolve) => server.close(resolve));
});

Deno.test("a guest who opens a page is led to the login and back, a script gets 401", async () => {
  const refusalTo = (request: IncomingRequest) =>
    foyer.require(request).then(() => null, (refusal) => refusal as Response);
  for (
    const headers of [
      { "sec-fetch-mode": "navigate" },
      { accept: "text/html,*/*" },
      { "upgrade-insecure-requests": "1" },
    ] as Record<string, string>[]
  ) {
    const response = await refusalTo(requestTo("/notes?page=2", headers));
    strictEqual(response?.status, 303);
    strictEqual(response.headers.get("location"), `${url}/login?next=${encodeURIComponent(`${PRODUCT}/notes?page=2`)}`);
  }
  for (
    const headers of [{ "sec-fetch-mode": "cors", accept: "text/html" }, { accept: "application/json" }] as Record<
      string,
      string
    >[]
  ) {
    const response = await refusalTo(requestTo("/notes", headers));
    deepStrictEqual([response?.status, (await response?.json()).code], [401, "UNAUTHENTICATED"]);
  }
  const nodeRequest = { headers: { accept: "text/html", host: "internal:1" }, url: "/2", originalUrl: "/notes/2" };
  const response = await refusalTo(nodeRequest);
  strictEqual(new URL(response!.headers.get("location")!).searchParams.get("next"), `${PRODUCT}/notes/2`);
  strictEqual((await foyer.require(requestTo("/notes", { cookie }))).user.id, ada.id);
});

Deno.test("a page for one group is open to its members, and no one else", async () => {
  for (const name of ["staff", "choir"]) await saveGroup(app.services, { name, title: name, by: COMMAND_LINE });
  await setGroups(app.services, { userId: ada.id, groups: ["staff", "choir"], by: COMMAND_LINE, reason: "a test" });
  const request = () => requestTo("/notes", { cookie, "sec-fetch-mode": "navigate" });
  deepStrictEqual((await foyer.session(request()))?.groups, ["choir", "staff"]);
  strictEqual((await foyer.require(request(), { group: "staff" })).user.id, ada.id);
  const refusal = await foyer.require(request(), { group: "ops" }).catch((refusal) => refusal);
  deepStrictEqual([refusal.status, (await refusal.json()).code], [403, "FORBIDDEN"]);
  const guest = await foyer.require(requestTo("/notes", { accept: "text/html" }), { group: "ops" }).catch((r) => r);
  strictEqual(guest.status, 303);
});

Deno.test("the login at the address of loginUrl leads back, and logoutUrl logs out", async () => {
  const login = await app.client().get(foyer.loginUrl("/notes").slice(url.length));
  ok((await login.text()).includes(encodeURIComponent(`/continue?next=${encodeURIComponent(`${PRODUCT}/notes`)}`)));
  strictEqual(foyer.logoutUrl(), `${url}/logout?next=${encodeURIComponent(`${PRODUCT}/`)}`);
  strictEqual(createFoyer({ url }).loginUrl(), `${url}/login`);
});

Deno.test("addresses that are none, or not safe, are refused before any request", () => {
  for (const wrong of ["foyer.example", "http://foyer.example", "https://foyer.example/a", "ftp://localhost", ""]) {
    throws(() => createFoyer({ url: wrong }), TypeError, wrong);
    throws(() => createFoyer({ url, origin: wrong }), TypeError, wrong);
  }
  strictEqual(createFoyer({ url: "https://foyer.example/" }).url, "https://foyer.example");
});

Deno.test("an access token is verified by the keys of Foyer, and refused for another product", async () => {
  app.advance((Date.now() - app.services.now().getTime()) / 1000);
  const fresh = await cookieOf(ada.client);
  const api = foyer.api({ request: requestTo("/", { cookie: fresh }) });
  const { accessToken } = await api.createAccessToken({ audience: PRODUCT });
  const claims = await foyer.verify(accessToken);
  deepStrictEqual([claims.sub, claims.email, claims.role], [ada.id, "ada@example.com", "user"]);
  const refused = { name: "FoyerError", code: "TOKEN_INVALID", status: 401 };
  await rejects(createFoyer({ url, audience: "https://other.example" }).verify(accessToken), refused);
  await rejects(foyer.verify(`${accessToken.slice(0, -8)}AAAAAAAA`), refused);
  await rejects(foyer.verify("no token"), refused);
  await rejects(createFoyer({ url }).verify(accessToken), TypeError);
  await rejects(
    createFoyer({ url: `http://127.0.0.1:${freePort()}`, audience: PRODUCT }).verify(accessToken),
    FoyerUnavailable,
  );
});

Deno.test("the API takes one object, returns the body, goes through lists and throws what Foyer refuses", async () => {
  const { token } = await createToken(ada.client);
  const api = foyer.api({ token });
  strictEqual((await api.updateProfile({ location: "London" })).user.location, "London");
  strictEqual((await api.getUser({ id: ada.id })).data.name, "Zoë “Ada”");
  await rejects(api.updateProfile({ website: "not a website" }), (error: FoyerError) => {
    deepStrictEqual([error.status, error.code], [400, "VALIDATION_FAILED"]);
    const { website } = error.details as Record<string, string[]>;
    strictEqual(error.message, `Validation failed: website: ${website[0]}`);
    ok(error.requestId);
    return true;
  });
  await rejects(foyer.api().getProfile(), { code: "UNAUTHENTICATED" });
  await rejects(api.getUser({}), TypeError);

  for (let i = 0; i < 5; i++) await registerVerifiedUser(app, `person${i}@example.com`);
  const people: string[] = [];
  for await (const user of api.listUsers.pages({ limit: 2 })) people.push((user as { id: string }).id);
  deepStrictEqual(
    [people.length, new Set(people).size],
    [7, 7],
    "Ada, the one without a confirmed address, and five more",
  );
});

Deno.test("a program logs in with a password and calls the API as that person", async () => {
  const api = await foyer.logIn({ email: "ada@example.com", password: PASSWORD });
  strictEqual((await api.getProfile()).user.id, ada.id);
  await rejects(foyer.logIn({ email: "ada@example.com", password: "wrong" }), { code: "INVALID_CREDENTIALS" });
});

Deno.test("a file and a photo are stored with one call each", async () => {
  const api = foyer.api(await createToken(ada.client));
  const stored = await api.upload(new File(["hello"], "notes.txt", { type: "text/plain" }), { visibility: "private" });
  deepStrictEqual([stored.data.filename, stored.data.status, stored.data.visibility], [
    "notes.txt",
    "stored",
    "private",
  ]);
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
  const file = new File([Uint8Array.fromBase64(pixel)], "photo.png", { type: "image/png" });
  match((await api.uploadImage({ type: "avatar", file })).url, /\.webp$/);
  strictEqual(await api.deleteUpload({ id: stored.data.id }), undefined);
  await rejects(api.confirmUpload({ id: stored.data.id }), { code: "NOT_FOUND" });
});

Deno.test("an event is read if its signature is right and fresh, and refused otherwise", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const old = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  const body = JSON.stringify({ type: "user.deleted", timestamp: "2026-11-29T12:00:00.000Z", data: { userId: "1" } });
  const event = async ({ secrets = [old, secret], at = Date.now(), sent = body, id = "event-1" } = {}) => {
    const timestamp = Math.round(at / 1000);
    const signature = await signWith(secrets, { id: "event-1", timestamp, body });
    const headers = { "webhook-id": id, "webhook-timestamp": String(timestamp), "webhook-signature": signature };
    return new Request(PRODUCT, { method: "POST", headers, body: sent });
  };
  deepStrictEqual(await foyer.webhook(await event(), secret), { id: "event-1", ...JSON.parse(body) });
  const refused = { code: "SIGNATURE_INVALID", status: 400 };
  await rejects(foyer.webhook(await event({ sent: body.replace("1", "2") }), secret), refused);
  await rejects(foyer.webhook(await event({ id: "event-2" }), secret), refused);
  await rejects(foyer.webhook(await event({ secrets: [old] }), secret), refused);
  for (const minutes of [-6, 6]) {
    await rejects(foyer.webhook(await event({ at: Date.now() + minutes * 60_000 }), secret), refused);
  }
  await rejects(foyer.webhook(new Request(PRODUCT, { method: "POST", body }), secret), refused);
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
  await rejects(foyer.webhook(new Request(await event(), { body: endless }), secret), refused);

  await rejects(foyer.webhook(await event(), "secret"), TypeError);

  const headers = Object.fromEntries((await event()).headers);
  for (const read of [body, new TextEncoder().encode(body)]) {
    deepStrictEqual(await foyer.webhook({ headers, body: read }, secret), { id: "event-1", ...JSON.parse(body) });
  }
  await rejects(foyer.webhook({ headers, body: `${body} ` }, secret), refused);
  await rejects(foyer.webhook({ headers, body: JSON.parse(body) }, secret), /express\.raw/);
});

Deno.test("a session that the check extends is extended in the browser too", async () => {
  const client = app.client();
  const before = await cookieOf(client);
  strictEqual((await foyer.session(requestTo("/", { cookie: before })))?.cookies.length, 0);
  app.advance(4 * DAY_SECONDS);
  const cookies = (await foyer.session(requestTo("/", { cookie: before })))?.cookies ?? [];
  match(cookies.join(), /^auth_session=.*HttpOnly/);

  const added: string[] = [];
  const context = {
    req: { raw: requestTo("/", { cookie: before }) },
    set() {},
    header: (_: string, value: string) => added.push(value),
  };
  app.advance(4 * DAY_SECONDS);
  await honoSession(foyer)(
    { ...context, req: { raw: requestTo("/", { cookie: cookies[0].split(";")[0] }) } },
    () => Promise.resolve(),
  );
  strictEqual(added.length, 1);
});

Deno.test("Hono, Fresh, Express and Next get the session where they expect it", async () => {
  const own = await cookieOf(app.client());
  const page = { accept: "text/html" };
  const told: unknown[] = [];

  const hono = (headers: Record<string, string>) => ({
    req: { raw: requestTo("/hono", headers) },
    set: (_key: "foyer", session: unknown) => told.push(session),
    header() {},
  });
  await honoSession(foyer)(hono({}), () => Promise.resolve());
  strictEqual(told.pop(), null);
  await honoUser(foyer)(hono({ cookie: own }), () => Promise.resolve());
  strictEqual((told.pop() as { user: { id: string } }).user.id, ada.id);
  strictEqual((await honoUser(foyer)(hono(page), () => Promise.reject(new Error("next"))) as Response).status, 303);

  const fresh = (headers: Record<string, string>) => {
    const state: { foyer?: { user: { id: string } } | null } = {};
    return {
      req: requestTo("/fresh", headers),
      state,
      next: () => Promise.resolve(Response.json(state.foyer?.user.id)),
    };
  };
  strictEqual(await (await freshSession(foyer)(fresh({ cookie: own }) as never)).json(), ada.id);
  strictEqual(await (await freshUser(foyer)(fresh({ cookie: own }) as never)).json(), ada.id);
  strictEqual((await freshUser(foyer)(fresh(page) as never)).status, 303);

  const express = async (middleware: typeof expressUser, headers: Record<string, string>) => {
    const request: IncomingRequest & { foyer?: { user: { id: string } } | null } = { headers, originalUrl: "/express" };
    let sent: unknown[] = [];
    const response = {
      append: () => {},
      status: (status: number) => ({
        set: ({ location }: Record<string, string>) => ({ send: () => sent = [status, location] }),
      }),
    };
    await middleware(foyer)(request as never, response, (error) => sent = [error ?? "next"]);
    return [...sent, request.foyer?.user.id];
  };
  deepStrictEqual(await express(expressSession, { cookie: own }), ["next", ada.id]);
  deepStrictEqual(await express(expressUser, { cookie: own }), ["next", ada.id]);
  const location = `${url}/login?next=${encodeURIComponent(`${PRODUCT}/express`)}`;
  deepStrictEqual(await express(expressUser, page), [303, location, undefined]);

  const next = (headers: Record<string, string>) =>
    nextFoyer(foyer, {
      headers: () => new Headers(headers),
      redirect: (to) => {
        throw to;
      },
    });
  strictEqual((await next({ cookie: own }).requireUser("/next")).user.id, ada.id);
  strictEqual(await next({}).session(), null);
  await rejects(
    next({}).requireUser("/next"),
    (to) => to === `${url}/login?next=${encodeURIComponent(`${PRODUCT}/next`)}`,
  );
});
