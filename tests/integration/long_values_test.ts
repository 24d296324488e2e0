import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { type ApiDocument, publishedDocument } from "../../lib/api/document.ts";
import type { JsonSchema } from "../../lib/api/schemas.ts";
import { AccountPageSchema, ActPageSchema, AuditPageSchema } from "../../lib/admin/schema.ts";
import { FilePageSchema } from "../../lib/uploads/schema.ts";
import { exampleBody } from "../support/api/entries.ts";
import { LIMITED_FORMS } from "../support/api/limited_forms.ts";
import { handlersUnder } from "../support/api/route_handlers.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { registerAdmin } from "../support/app/admins.ts";
import { CLIENTS, credentialsOf, RESOURCES } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { readPage } from "../support/app/page_reader.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { LONG_BYTES, LONG_JSON, longValues } from "../support/random/long_values.ts";
import { readProject } from "../support/source/import_graph.ts";

/** How much longer than a plain request to the same route a request with a long value may keep the event loop busy. */
const EXCESS_MAX_MS = 50;
const RUNS = 3;
/** A slow request is repeated: the others may have compiled code or collected garbage. */
const REPETITIONS = 5;

const PROVIDER = "http://127.0.0.1:9"; // no server listens here
const app = await openSharedTestApp({
  LOGIN_MAX_ATTEMPTS: "0",
  SIGN_IN_CODES: "true",
  TRUSTED_PROXIES: "1",
  CORS_ORIGINS: "https://wiki.example.com",
  RETURN_ORIGINS: "http://foyer.test:3000",
  TOKEN_AUDIENCES: "https://wiki.example.com",
  CLIENTS_FILE: await writeClientsFile(CLIENTS, RESOURCES),
  IDP_AUTH_URL: PROVIDER,
  IDP_TOKEN_URL: PROVIDER,
  IDP_USERINFO_URL: PROVIDER,
  IDP_CLIENT_ID: "foyer",
});
const read = { headers: new Set<string>(), query: new Set<string>() };
recordNames(Headers.prototype, ["get", "has"], read.headers);
recordNames(URLSearchParams.prototype, ["get", "has", "getAll"], read.query);

const { client: admin, id: adminId } = await registerAdmin(app);
const session = await app.services.db.selectFrom("sessions").selectAll().where("user_id", "=", adminId)
  .executeTakeFirstOrThrow();
const { id: otherId } = await registerVerifiedUser(app, "other@example.com");
const { client: careful, email } = await registerVerifiedUser(app, "careful@example.com");
await enableTotp(app, careful);
const waiting = await startLogin(app, email);
const handlers = await handlersUnder("routes");
const { document } = await publishedDocument(app.services);
const paths = await pathsOfRoutes();

/** What a request has besides its method and path. */
interface Sent {
  client?: TestClient;
  headers?: Record<string, string>;
  /** One character per byte. */
  body?: string;
}

Deno.test("a long query or path costs no more than a plain one", async () => {
  const walk = startWalk();
  for (const key of handlers.map(({ key }) => key).filter((key) => key.startsWith("GET "))) {
    const [, route] = key.split(" ");
    const [path, query = ""] = pathOf(route).split("?");
    const usual = new URLSearchParams(query);
    const request = (search: string) => requestTo(key, `${path}?${search}`);
    read.query.clear();
    await responseTo(request(query));
    const names = new Set([...read.query, ...parametersOf(route), ...usual.keys()]);
    await walk.overAll(key, [...names], longValues("url"), (value, long) => {
      const others = new URLSearchParams([...usual].filter(([name]) => !long.includes(name)));
      return request([others, ...long.map((name) => `${name}=${value}`)].join("&"));
    });
    if (route.includes("{")) {
      const inPath = (value: string) => requestTo(key, route.replaceAll(/\{\w+\*?\}/g, value));
      await walk.over(`${key} path`, longValues("url"), inPath);
    }
  }
  walk.end(1_000);
});

Deno.test("a long field of a JSON body costs no more than a plain one", async () => {
  const walk = startWalk();
  const values = [...longValues("json").map((text) => `"${text}"`), ...LONG_JSON];
  for (const { key, schema } of bodiesOf("application/json")) {
    for (const place of placesIn(schema)) {
      const body = JSON.stringify(withMark(exampleBody(key) ?? {}, place));
      await walk.over(`${key} ${place.join(".")}`, values, (value) =>
        requestTo(key, pathOf(key.split(" ")[1]), {
          headers: { "Content-Type": "application/json", "Accept": "application/json" },
          body: body.replace(`"${MARK}"`, () => value),
        }), '"x"');
    }
  }
  walk.end(1_000);
});

Deno.test("a long field of a form costs no more than a plain one", async () => {
  const walk = startWalk();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  for (const { key, schema } of bodiesOf(headers["Content-Type"])) {
    const usual: Record<string, string> = { ...credentialsOf("wiki"), ...exampleBody(key) as object };
    const client = app.client();
    for (const name of Object.keys(schema.properties ?? {})) {
      await walk.over(
        `${key} ${name}`,
        longValues("url"),
        (value) => requestTo(key, pathOf(key.split(" ")[1]), { client, headers, body: formWith(usual, name, value) }),
      );
    }
  }
  for (const { key } of handlers.filter(({ key, entry }) => entry === undefined && key.startsWith("POST "))) {
    const path = pathOf(key.split(" ")[1]);
    const page = await readPage(responseTo(requestTo(`GET ${path}`, path)));
    const usual = LIMITED_FORMS[key]?.fields ?? {};
    for (const name of new Set([...page.forms.flatMap(({ names }) => names), ...Object.keys(usual)])) {
      await walk.over(
        `${key} ${name}`,
        longValues("url"),
        (value) => requestTo(key, path, { headers, body: formWith(usual, name, value) }),
      );
    }
  }
  walk.end(1_000);
});

Deno.test("the name and the texts of a long multipart form cost no more than plain ones", async () => {
  const walk = startWalk();
  const headers = { "Content-Type": "multipart/form-data; boundary=b" };
  const part = (name: string, text: string) => `--b\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${text}\r\n`;
  for (const key of ["POST /api/upload/image", "POST /uploads", "POST /profile"]) {
    for (const name of ["type", "crop", "name", "file; filename"]) {
      const body = (value: string) => name.includes(";") ? part(`${name}="${value}`, "x") : part(name, value);
      await walk.over(
        `${key} ${name}`,
        longValues("header"),
        (value) => requestTo(key, key.split(" ")[1], { headers, body: `${body(value)}--b--\r\n` }),
      );
    }
  }
  walk.end(200);
});

/** Routes that read every header between them: a page, a file, an endpoint, a form, and those of proxies and apps. */
const READERS: [key: string, body?: string][] = [
  ["GET /dashboard"],
  ["GET /styles.css"],
  ["PUT /api/profile", "{}"],
  ["POST /language", "language=de"],
  ["GET /auth/check?login=redirect"],
  ["POST /oauth/token", "a=b"],
];

/** Routes that read every cookie between them. */
const COOKIE_READERS = [
  ...["GET /login", "GET /dashboard", "GET /settings/tokens", "GET /continue?next=http://foyer.test:3000/"],
  ...["GET /auth/idp", "GET /auth/idp/callback?code=c&state=s", "POST /auth/second-factor"],
];

Deno.test("a long header costs no more than a plain one", async () => {
  const walk = startWalk();
  const names = [...new Set([...KNOWN_HEADERS, ...read.headers])].filter((name) => name !== "cookie");
  // The others are read before one of these is refused.
  const together = names.filter((name) => !REFUSED_HEADERS.includes(name));
  const starts: [names: string[], start: string][] = [
    [together, ""],
    ...REFUSED_HEADERS.map((name): [string[], string] => [[name], ""]),
    [["authorization"], "Bearer "],
    [["authorization"], "Basic "],
    [["if-match", "if-none-match"], '"'],
    [["range"], "bytes="],
    [["content-type"], "multipart/form-data; boundary="],
  ];
  for (const [key, body] of READERS) {
    const type = body === "{}" ? "application/json" : "application/x-www-form-urlencoded";
    for (const [group, start] of starts) {
      await walk.over(`${key} ${group} ${start}`, longValues("header"), (value) => {
        const long = Object.fromEntries(group.map((name) => [name, start + value]));
        return requestTo(key, key.split(" ")[1], { body, headers: { "content-type": type, ...long } });
      });
    }
  }
  walk.end(1_000);
});

Deno.test("a long cookie costs no more than a plain one, and neither do many", async () => {
  const walk = startWalk();
  const names = await cookieNames();
  ok(names.includes("language") && names.includes("auth_session") && names.length > 10, names.join());
  for (const key of COOKIE_READERS) {
    const request = (cookie: string) => requestTo(key, key.split(" ")[1], { headers: { Cookie: cookie } });
    for (const name of names) {
      const many = Array.from({ length: LONG_BYTES / 58 }, (_, index) => `${name}=${String(index).padStart(43, "x")}`);
      const values = [...longValues("header").map((value) => `${name}=${value}`), many.join("; ")];
      await walk.over(`${key} ${name}`, values, request, `${name}=x`);
    }
  }
  walk.end(1_000);
  await restoreSession();
  strictEqual((await admin.get("/api/profile")).status, 200, "the account has outlived the walk");
});

/** Measures requests with long values, and collects those that are slow. */
function startWalk() {
  const slow: string[] = [];
  let requests = 0;
  return {
    /** Sends each value, and compares it with a plain one. */
    async over(what: string, values: string[], make: (value: string) => Request, plain = "x"): Promise<void> {
      await restoreSession();
      const plainMs = await bestOf(RUNS, () => make(plain));
      for (const value of values) {
        requests++;
        const limitMs = plainMs + EXCESS_MAX_MS;
        const ms = await bestOf(REPETITIONS, () => make(value), limitMs);
        if (ms > limitMs) {
          slow.push(`${what} ${value.slice(0, 20)}: ${ms.toFixed(1)} ms, plain ${plainMs.toFixed(1)} ms`);
        }
      }
    },
    /** Sends each value in all fields at once, and in one field after another only if that is slow. */
    async overAll(
      what: string,
      names: string[],
      values: string[],
      make: (value: string, names: string[]) => Request,
    ): Promise<void> {
      if (names.length === 0) return;
      await restoreSession();
      const plainMs = await bestOf(RUNS, () => make("x", names));
      for (const value of values) {
        requests++;
        if (await bestOf(2, () => make(value, names), plainMs + EXCESS_MAX_MS) <= plainMs + EXCESS_MAX_MS) continue;
        for (const name of names) await this.over(`${what} ${name}`, [value], (each) => make(each, [name]));
      }
    },
    end(expected: number): void {
      deepStrictEqual(slow, []);
      ok(requests >= expected, `only ${requests} requests were sent`);
    },
  };
}

/** Restores the session: a request may have ended it, or given it another token. */
async function restoreSession(): Promise<void> {
  await app.services.db.insertInto("sessions").values(session).onConflict((conflict) => conflict.doNothing()).execute();
}

/** Returns the shortest time that the event loop was busy, of one run if it is short enough. */
async function bestOf(runs: number, make: () => Request, enoughMs = 0): Promise<number> {
  let bestMs = Infinity;
  for (let run = 0; run < runs && bestMs > enoughMs; run++) {
    const request = make();
    const startedAt = threadMs();
    await responseTo(request).then((response) => response.bytes());
    bestMs = Math.min(bestMs, threadMs() - startedAt);
  }
  return bestMs;
}

/**
 * Returns how long this thread has used a core: what the database and other processes do does not count. Linux only.
 */
function threadMs(): number {
  return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]) / 1e6;
}

function responseTo(request: Request): Promise<Response> {
  const remoteAddr = { transport: "tcp", hostname: "127.0.0.1", port: 40_000 } as const;
  return app.handler(request, { remoteAddr, completed: Promise.resolve() });
}

/** Returns a request with the session that its route requires. A client of its own is a guest, or says who it is. */
function requestTo(key: string, path: string, { client = clientOf(key), headers, body }: Sent = {}): Request {
  const [method] = key.split(" ");
  const sent = new Headers({ "Host": "foyer.test", "Accept": "text/html", ...headers });
  if (method !== "GET" && !sent.has("Origin")) sent.set("Origin", BASE_URL);
  const own = [...client.cookies].map(([name, value]) => `${name}=${value}`);
  sent.set("Cookie", [...own, sent.get("Cookie") ?? []].flat().join("; "));
  return new Request(BASE_URL + path, { method, headers: sent, body: body && bytesOf(body) });
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

const guest = app.client();

function clientOf(key: string): TestClient {
  if (/ (\/auth)?\/second-factor/.test(key)) return waiting;
  return / \/(auth\/)?(check|login|register|code|passkey|idp)/.test(key) ? guest : admin;
}

/** The paths of routes with parameters, with a thing that exists. */
async function pathsOfRoutes(): Promise<Record<string, string>> {
  const forms = Object.entries(LIMITED_FORMS).filter(([, { path }]) => path !== undefined);
  const found = await Promise.all(
    forms.map(async ([key, { path }]) => [key.slice("POST ".length), await path!(admin)]),
  );
  const file = { filename: "a.png", contentType: "image/png" };
  const { presignedUrl } = await (await admin.send("POST", "/api/upload/presign", file)).json();
  return {
    ...Object.fromEntries(found),
    "/files/{key*}": presignedUrl.slice(BASE_URL.length),
    "/auth/idp/callback": "/auth/idp/callback?code=c&state=s",
    "/auth/idp/{key}": "/auth/idp/default",
    "/auth/idp/{key}/callback": "/auth/idp/default/callback?code=c&state=s",
    "/auth/check": "/auth/check?login=redirect",
  };
}

function pathOf(route: string): string {
  return paths[route] ?? route.replaceAll(/\{\w+\*?\}/g, otherId);
}

/** The documented parameters of an endpoint. Pages take theirs from all at once, which no record of names shows. */
function parametersOf(route: string): string[] {
  const { get } = document.paths[route] ?? {};
  if (get !== undefined) return get.parameters.filter((each) => each.in === "query").map(({ name }) => name);
  const schemas = [AccountPageSchema, AuditPageSchema, ActPageSchema, FilePageSchema];
  return /^\/(admin|users|uploads|settings\/activity)/.test(route)
    ? schemas.flatMap(({ shape }) => Object.keys(shape))
    : [];
}

/** The bodies of this type, by method and path. */
function bodiesOf(type: string): { key: string; schema: JsonSchema }[] {
  return Object.entries(document.paths).flatMap(([path, methods]: [string, ApiDocument["paths"][string]]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content[type]?.schema;
      return schema === undefined ? [] : [{ key: `${method.toUpperCase()} ${path}`, schema }];
    })
  );
}

/** The places of all values in a body, as the names that lead there. */
function placesIn(schema: JsonSchema): string[][] {
  const { properties } = (schema.anyOf?.[0] ?? schema) as JsonSchema;
  if (properties === undefined) return [[]];
  return Object.entries(properties).flatMap(([name, part]) =>
    placesIn(part as JsonSchema).map((place) => [name, ...place])
  );
}

const MARK = "the long value";

/** The value with a mark at this place. */
function withMark(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined) return MARK;
  const object = (value ?? {}) as Record<string, unknown>;
  return { ...object, [name]: withMark(object[name], rest) };
}

function formWith(usual: Record<string, string>, name: string, encoded: string): string {
  const others = Object.entries(usual).filter(([each]) => each !== name);
  return `${new URLSearchParams(others)}&${encodeURIComponent(name)}=${encoded}`;
}

/** Headers that some routes read. The walk adds those that it sees being read. */
const KNOWN_HEADERS = [
  ...["accept", "accept-encoding", "accept-language", "authorization", "content-length", "content-type", "host"],
  ...["idempotency-key", "if-match", "if-none-match", "if-range", "origin", "purpose", "range", "referer"],
  ...["sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "sec-purpose", "user-agent", "x-forwarded-for"],
  ...["x-forwarded-host", "x-forwarded-proto", "x-forwarded-uri", "x-original-url"],
];
/** Headers for which a request may be refused before others are read. */
const REFUSED_HEADERS = [
  ...["authorization", "content-length", "content-type", "host", "idempotency-key", "if-match", "origin", "range"],
  ...["sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site"],
];

/** The names of the cookies that the code declares. */
async function cookieNames(): Promise<string[]> {
  const modules = await readProject(new URL("../../", import.meta.url));
  const web = modules.map(({ path }) => path).filter((path) => path.startsWith("lib/web/"));
  const sources = await Promise.all(web.map((path) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url))));
  return sources.flatMap((source) => [...source.matchAll(/const \w+_COOKIE = (?:\{ name: )?"(\w+)"/g)])
    .map(([, name]) => name);
}

/** Makes methods that look something up by its name record the name. */
function recordNames<Name extends string>(
  prototype: Record<Name, (name: string) => unknown>,
  methods: Name[],
  names: Set<string>,
): void {
  for (const method of methods) {
    const original = prototype[method];
    prototype[method] = function (this: unknown, name: string) {
      names.add(String(name).toLowerCase());
      return original.call(this, name);
    };
  }
}
