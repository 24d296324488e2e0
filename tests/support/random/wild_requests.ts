import fc from "fast-check";
import { broken, bytes, headerText, mostly, percentEncoded, valueOf, type WildWorld } from "./wild_values.ts";
import { formBody, jsonBody, multipartBody } from "./wild_bodies.ts";
import { headersOf, type Kind } from "./wild_headers.ts";
import { anyPath, bentPath } from "./wild_paths.ts";
import { bytesOf, type WireRequest } from "./wire.ts";

/** Generates requests that are close to valid ones, and some that are far from them. */

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
    json("POST", "/auth/code", "email"),
    json("POST", "/auth/code/verify", "email", "code"),
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
    get("/auth/idp/contoso"),
    get("/auth/idp/contoso/callback", "code", "state", "iss"),
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
    form("/login-code", "email", "code", "action"),
    form("/forgot-password", "email"),
    form("/reset-password", "email", "token", "password"),
    form("/verify-email", "email", "token", "action"),
    form("/profile", "name", "bio", "location", "website", "avatar"),
  ];
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get", "X-Y_Z"];
const method = fc.oneof(fc.constantFrom(...METHODS), fc.stringMatching(/^[A-Z]{1,12}$/));

function bodyOf({ kind, fields = [] }: Endpoint, world: WildWorld): fc.Arbitrary<string> {
  if (kind === "json") return jsonBody(fields, world);
  if (kind === "form") return formBody(fields, world);
  if (kind === "multipart") return multipartBody(world);
  return mostly(fc.constant(""), bytes);
}

/** Valid HTTP with any content. */
export function wildRequests(world: WildWorld): fc.Arbitrary<WireRequest> {
  return fc.constantFrom(...endpointsOf(world)).chain((endpoint) => {
    const { path, query = [] } = endpoint;
    const parameter = fc.constantFrom("x", "constructor", ...query, ...query).chain((name) =>
      valueOf(name, world).map((value) => `${name}=${percentEncoded(value)}`)
    );
    const target = fc.tuple(
      mostly(fc.constant(path), fc.oneof(bentPath(path), anyPath), 4),
      fc.array(parameter, { maxLength: query.length > 0 ? 3 : 1 }),
    ).map(([to, parameters]) => [to, ...parameters].join(to.includes("?") ? "&" : "?"));
    return fc.record({
      method: mostly(fc.constant(endpoint.method), method),
      target,
      headers: headersOf(endpoint.kind, world),
      body: mostly(bodyOf(endpoint, world), fc.oneof(bytes, fc.constant("x".repeat(70_000)), multipartBody(world)), 8),
    });
  });
}

/** Bytes that may be invalid HTTP: broken request lines and headers, wrong lengths, any Host. */
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
