import fc from "fast-check";
import { bytesOf, type WireRequest } from "./wire.ts";

/** Requests that nobody writes by hand: near what the service understands, and far from it. */

/** What the requests may speak of. */
export interface WildWorld {
  host: string;
  /** A value of the session cookie that is good. */
  session: string;
  userId: string;
  email: string;
  /** The path of a stored object. */
  filePath: string;
  /** A presigned address, path and query. */
  presignedPath: string;
}

type Kind = "json" | "form" | "multipart" | "none";

interface Endpoint {
  method: string;
  path: string;
  kind: Kind;
  fields?: string[];
  query?: string[];
}

function endpointsOf({ userId, filePath, presignedPath }: WildWorld): Endpoint[] {
  const json = (method: string, path: string, ...fields: string[]): Endpoint => ({
    method,
    path,
    kind: "json",
    fields,
  });
  const get = (path: string, ...query: string[]): Endpoint => ({ method: "GET", path, kind: "none", query });
  const form = (path: string, ...fields: string[]): Endpoint => ({ method: "POST", path, kind: "form", fields });
  const multipart = (path: string): Endpoint => ({ method: "POST", path, kind: "multipart", fields: ["file", "type"] });
  return [
    json("POST", "/auth/register", "name", "email", "password"),
    json("POST", "/auth/login", "email", "password"),
    json("POST", "/auth/verify-email", "email", "token", "reject"),
    json("POST", "/auth/resend-verification", "email"),
    json("POST", "/auth/forgot-password", "email"),
    json("POST", "/auth/reset-password", "email", "token", "password"),
    json("POST", "/auth/logout"),
    json("PUT", "/api/profile", "name", "bio", "location", "website", "avatar"),
    json("POST", "/api/users", "name", "email"),
    json("POST", "/api/upload/presign", "filename", "contentType", "size"),
    multipart("/api/upload/image"),
    multipart("/profile"),
    multipart("/uploads"),
    get("/api/users", "limit", "cursor"),
    get(`/api/users/${userId}`),
    get("/api/profile"),
    get("/api/health"),
    get("/auth/idp"),
    get("/auth/idp/callback", "code", "state", "error"),
    get("/"),
    get("/users", "cursor"),
    get(`/users/${userId}`),
    get("/dashboard"),
    get("/profile"),
    get("/uploads", "file"),
    get("/dev/outbox"),
    get("/login", "next", "error"),
    get("/reset-password", "email", "token"),
    get("/verify-email", "email", "token"),
    get("/styles.css"),
    get(filePath),
    { method: "PUT", path: presignedPath, kind: "none" },
    form("/login?next=/users", "email", "password"),
    form("/register", "name", "email", "password"),
    form("/logout"),
    form("/forgot-password", "email"),
    form("/reset-password", "email", "token", "password"),
    form("/verify-email", "email", "token", "action"),
    form("/profile", "name", "bio", "location", "website", "avatar"),
  ];
}

/** Mostly the one, now and then the other. */
function mostly<T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>, weight = 5): fc.Arbitrary<T> {
  return fc.oneof({ arbitrary: usual, weight }, { arbitrary: unusual, weight: 1 });
}

const utf8 = (text: string) =>
  new TextEncoder().encode(text).reduce((all, byte) => all + String.fromCharCode(byte), "");
const bytes = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
/** Bytes that a header's value may hold. */
const headerText = fc.string({
  unit: fc.oneof(fc.integer({ min: 32, max: 126 }), fc.constant(9), fc.integer({ min: 128, max: 255 })).map((code) =>
    String.fromCharCode(code)
  ),
}).map((text) => text.trim());

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "X-Y_Z"];
const method = fc.oneof(fc.constantFrom(...METHODS), fc.stringMatching(/^[A-Z]{1,12}$/));

const SEGMENTS = [
  "..",
  ".",
  "%2e%2e",
  "%2F",
  "%5C",
  "%00",
  "%0d%0a",
  "%ff",
  "%zz",
  "%",
  "",
  "a".repeat(5000),
  "%E2%82%AC",
];
const NOISE = [
  "//",
  "/",
  "?",
  "&",
  "=",
  ";",
  "\\",
  "%",
  "+",
  "[",
  "]",
  "{",
  "}",
  "|",
  "^",
  "`",
  '"',
  "<",
  ">",
  "*",
  ":",
  "@",
];
const segment = fc.oneof(
  fc.constantFrom(...SEGMENTS, "api", "auth", "users", "files", "profile", "_fresh", "__proto__", "constructor"),
  fc.string().map(encodeURIComponentLoosely),
  fc.uuid(),
);
/** A path far from ours. */
const anyPath = fc.oneof(
  fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`),
  fc.constantFrom("http://evil.example/api/profile", "/api/", "/auth", "/files", "/files/", "/users/", "/.."),
  fc.array(fc.oneof(fc.constantFrom(...NOISE), segment), { maxLength: 8 }).map((parts) => `/${parts.join("")}`),
);

function encodeURIComponentLoosely(text: string): string {
  return utf8(text).replace(/[^!-~]|[?#]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** A path of ours with something put in, taken away or written in another way. */
function bentPath(path: string): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(path.length), fc.constantFrom("insert", "cut", "encode", "upper", "append"), segment).map((
    [at, how, extra],
  ) => {
    const [head, rest] = [path.slice(0, at), path.slice(at)];
    const bent = {
      insert: head + extra + rest,
      cut: head + rest.slice(1),
      encode: rest === "" ? path : `${head}%${rest.charCodeAt(0).toString(16)}${rest.slice(1)}`,
      upper: head + rest.toUpperCase(),
      append: `${path}/${extra}`,
    }[how]!;
    return bent.startsWith("/") ? bent : `/${bent}`;
  });
}

const TEXTS = [
  "",
  " ",
  "x",
  "Ada Lovelace",
  "Correct-horse-7",
  "https://example.com/a",
  "javascript:alert(1)",
  "http://[::1",
  "/dashboard",
  "//evil.example",
  "/\\evil.example",
  "nobody@example.com",
  "a@b",
  "\u0000",
  "\u202e",
  "\ud800",
  "ß".repeat(300),
  "😀".repeat(128),
  "x".repeat(3000),
  "image/png",
  "text/html",
  "avatar",
  "verify",
  "resend",
  "reject",
  "../../etc/passwd",
  "1e400",
  "-1",
  "500",
  "__proto__",
];

function texts({ email, userId }: WildWorld): fc.Arbitrary<string> {
  const random = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.emailAddress(), fc.webUrl(), fc.uuid());
  return fc.oneof(fc.constantFrom(...TEXTS, email, userId), random);
}

/** A value that would be good in this field, as often as not. */
function valueOf(field: string, world: WildWorld): fc.Arbitrary<string> {
  const good: Record<string, fc.Arbitrary<string>> = {
    email: fc.oneof(fc.constant(world.email), fc.emailAddress()),
    name: fc.string({ minLength: 2, maxLength: 100 }),
    password: fc.constantFrom("Correct-horse-7", "Wrong-horse-77"),
    token: fc.stringMatching(/^[\w-]{43}$/),
    action: fc.constantFrom("verify", "reject", "resend"),
    type: fc.constantFrom("avatar", "post"),
    contentType: fc.constantFrom("image/png", "text/plain", "application/x-y+json"),
    filename: fc.string({ minLength: 1, maxLength: 255 }),
    form_id: fc.constantFrom("00000000-0000-4000-8000-000000000000", "x"),
    website: fc.webUrl(),
    avatar: fc.webUrl({ validSchemes: ["https"] }),
    limit: fc.integer({ min: -1, max: 501 }).map(String),
    cursor: fc.constant(btoa(world.userId).replaceAll("=", "")),
    next: fc.webPath(),
    state: fc.constant("s"),
  };
  return mostly(good[field] ?? texts(world), texts(world));
}

const anyJson = fc.jsonValue({ maxDepth: 3 });

function jsonBody(fields: string[], world: WildWorld): fc.Arbitrary<string> {
  const values = fields.map((field) => {
    const others = field === "size" ? fc.oneof(fc.integer(), fc.double()) : fc.oneof(anyJson, fc.boolean());
    return [field, mostly<unknown>(valueOf(field, world), others, 8)];
  });
  const record = mostly(
    fc.record(Object.fromEntries(values)),
    fc.record(Object.fromEntries(values), { requiredKeys: [] }),
  );
  return fc.oneof(
    { arbitrary: record.map((value) => utf8(JSON.stringify(value))), weight: 6 },
    { arbitrary: anyJson.map((value) => utf8(JSON.stringify(value))), weight: 1 },
    { arbitrary: record.chain((value) => broken(utf8(JSON.stringify(value)))), weight: 2 },
    {
      arbitrary: fc.constantFrom("", "{", "nul", "[".repeat(20_000), '{"a":1}{"b":2}', "\ufeff{}".slice(1)),
      weight: 1,
    },
  );
}

/** The bytes with some of them taken away, doubled or replaced. */
function broken(text: string): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(text.length), fc.nat(8), bytes).map(([at, removed, inserted]) =>
    text.slice(0, at) + inserted + text.slice(at + removed)
  );
}

function formBody(fields: string[], world: WildWorld): fc.Arbitrary<string> {
  const pairs = ["form_id", ...fields].map((field) => fc.tuple(fc.constant(field), valueOf(field, world)));
  const some = fc.array(fc.oneof(...pairs), { maxLength: 8 });
  const form = mostly(fc.tuple(...pairs), some).map((all) => String(new URLSearchParams(wellFormed(all))));
  return mostly(form, fc.oneof(form.chain(broken), bytes), 4);
}

function wellFormed(pairs: [string, string][]): [string, string][] {
  return pairs.map(([name, value]) => [name, value.toWellFormed()]);
}

const BOUNDARY = "----wild";
/** One pixel. */
const PNG = atob(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
);

function multipartBody(world: WildWorld): fc.Arbitrary<string> {
  const file = fc.record({
    filename: mostly(fc.constantFrom("a.png", "b.txt"), fc.string().map((name) => utf8(name).replace(/["\r\n]/g, "_"))),
    type: mostly(fc.constant("image/png"), fc.constantFrom("image/gif", "text/html", "", "image/png; x=y")),
    content: mostly(fc.constant(PNG), fc.oneof(bytes, broken(PNG)), 2),
  }).map(({ filename, type, content }) =>
    `Content-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n${content}`
  );
  const field = fc.tuple(fc.constantFrom("type", "name", "file", "form_id"), valueOf("type", world)).map((
    [name, value],
  ) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${utf8(value)}`);
  const parts = fc.oneof(
    fc.tuple(file, fc.constant('Content-Disposition: form-data; name="type"\r\n\r\navatar')),
    fc.array(fc.oneof(file, field), { maxLength: 20 }),
  );
  const body = parts.map((all) => `${all.map((part) => `--${BOUNDARY}\r\n${part}\r\n`).join("")}--${BOUNDARY}--\r\n`);
  return mostly(body, body.chain(broken), 3);
}

function bodyOf({ kind, fields = [] }: Endpoint, world: WildWorld): fc.Arbitrary<string> {
  if (kind === "json") return jsonBody(fields, world);
  if (kind === "form") return formBody(fields, world);
  if (kind === "multipart") return multipartBody(world);
  return mostly(fc.constant(""), bytes);
}

const CONTENT_TYPES = { json: "application/json", form: "application/x-www-form-urlencoded", none: "image/png" };
const contentType = fc.oneof(
  fc.constantFrom(
    "application/json; charset=utf-16",
    "APPLICATION/JSON",
    "text/plain",
    "multipart/form-data",
    `multipart/form-data; boundary="${BOUNDARY}"`,
    "multipart/form-data; boundary=;",
    "application/x-www-form-urlencoded; charset=latin1",
    "text/html",
    "",
  ),
  headerText,
);

function headersOf({ kind }: Endpoint, world: WildWorld): fc.Arbitrary<[string, string][]> {
  const usual = kind === "multipart" ? `multipart/form-data; boundary=${BOUNDARY}` : CONTENT_TYPES[kind];
  const origin = `http://${world.host}`;
  const session = `auth_session=${world.session}`;
  const cookies = fc.oneof(
    fc.constantFrom(session, `notice=logged_in; ${session}`, `same_site_hop=1; notice=${"x".repeat(3000)}`),
    fc.constantFrom(
      "auth_session=",
      "auth_session=x; auth_session=y",
      "notice=__proto__",
      "=;=;",
      "idp_oauth_state=%zz",
      "idp_oauth_state=s; idp_code_verifier=v",
    ),
    headerText,
    headerText.map((value) => `auth_session=${value}; notice=${value}; idp_oauth_state=${value}`),
  );
  const values: Record<string, fc.Arbitrary<string>> = {
    "Origin": fc.oneof(fc.constantFrom(origin, "null", "https://evil.example"), headerText),
    "Range": fc.oneof(fc.constantFrom("bytes=0-0", "bytes=-1", "bytes=5-1", "bytes=99999999999999999999-"), headerText),
    "If-None-Match": fc.oneof(fc.constantFrom("*", 'W/"x"', '"'), headerText),
    "If-Modified-Since": fc.oneof(fc.constantFrom("Sat, 21 Nov 2026 00:00:00 GMT", "never"), headerText),
    "If-Range": headerText,
    "Accept": fc.oneof(fc.constantFrom("text/html", "application/json", "*/*;q=0"), headerText),
    "Accept-Encoding": fc.oneof(fc.constantFrom("gzip", "identity;q=0", "br, zstd"), headerText),
    "Sec-Fetch-Site": fc.constantFrom("same-origin", "cross-site", "none", "x"),
    "Sec-Fetch-Mode": fc.constantFrom("navigate", "cors"),
    "Sec-Fetch-Dest": fc.constantFrom("document", "empty"),
    "X-Forwarded-For": fc.oneof(fc.ipV4(), fc.ipV6(), headerText),
    "X-Request-Id": headerText,
    "Access-Control-Request-Method": fc.constantFrom("PUT", "X"),
    "Authorization": headerText,
    "Content-Encoding": fc.constantFrom("gzip", "br"),
    "X-HTTP-Method-Override": fc.constantFrom("DELETE", "PUT"),
    "Upgrade": fc.constantFrom("websocket", "h2c"),
    "Cookie": cookies,
  };
  const extra = fc.constantFrom(...Object.keys(values)).chain((name) => fc.tuple(fc.constant(name), values[name]));
  return fc.tuple(
    mostly(fc.constant(usual), contentType),
    mostly(fc.constant(session), cookies, 3),
    fc.array(extra, { maxLength: 4 }),
    mostly(fc.constant(true), fc.constant(false), 2),
  ).map(([type, cookie, extras, isLoggedIn]): [string, string][] => [
    ["Host", world.host],
    ["Content-Type", type],
    ...isLoggedIn ? [["Cookie", cookie] as [string, string]] : [],
    ...extras,
  ]);
}

/** HTTP that a server must understand, with whatever content. */
export function wildRequests(world: WildWorld): fc.Arbitrary<WireRequest> {
  return fc.constantFrom(...endpointsOf(world)).chain((endpoint) => {
    const { path, query = [] } = endpoint;
    const parameter = fc.constantFrom("x", ...query, ...query).chain((name) =>
      valueOf(name, world).map((value) => `${name}=${encodeURIComponentLoosely(value)}`)
    );
    const target = fc.tuple(
      mostly(fc.constant(path), fc.oneof(bentPath(path), anyPath), 4),
      fc.array(parameter, { maxLength: query.length > 0 ? 3 : 1 }),
    ).map(([to, parameters]) => [to, ...parameters].join(to.includes("?") ? "&" : "?"));
    return fc.record({
      method: mostly(fc.constant(endpoint.method), method),
      target,
      headers: headersOf(endpoint, world),
      body: mostly(bodyOf(endpoint, world), fc.oneof(bytes, fc.constant("x".repeat(70_000)), multipartBody(world)), 8),
    });
  });
}

/** Bytes that are hardly HTTP any more: bent request lines and headers, wrong lengths, a Host of any kind. */
export function wildBytes(world: WildWorld): fc.Arbitrary<string> {
  const hosts = fc.constantFrom(
    "",
    "[",
    "[::1",
    "a b",
    "evil.example/api/profile?x=",
    "x:99999",
    "é",
    ":",
    "@",
    "a".repeat(9000),
  );
  const host = fc.oneof(hosts, headerText).map((value): [string, string] => ["Host", value]);
  const odd = fc.constantFrom<[string, string]>(
    ["Content-Length", "5, 6"],
    ["Content-Length", "-1"],
    ["Content-Length", "99999999999999999999"],
    ["Transfer-Encoding", "chunked"],
    ["Transfer-Encoding", "gzip, chunked"],
    ["Transfer-Encoding", "x"],
    ["Expect", "100-continue"],
    ["Expect", "x"],
    ["Upgrade", "h2c"],
    ["Bad Name", "x"],
    ["", "x"],
    ["X", "a\r\n b"],
    ["X", "a\u0000b"],
    ["X", "x".repeat(70_000)],
  );
  const request = fc.tuple(wildRequests(world), fc.array(fc.oneof(host, odd), { minLength: 1, maxLength: 3 })).map((
    [{ headers, ...rest }, others],
  ) => bytesOf({ ...rest, headers: [...headers.slice(others[0][0] === "Host" ? 1 : 0), ...others] }));
  return fc.oneof(
    { arbitrary: request, weight: 4 },
    { arbitrary: wildRequests(world).chain((wild) => broken(bytesOf(wild))), weight: 3 },
    { arbitrary: bytes, weight: 1 },
  );
}
