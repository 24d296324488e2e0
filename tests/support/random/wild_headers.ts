import fc from "fast-check";
import { BOUNDARY } from "./wild_bodies.ts";
import { headerText, mostly, type WildWorld } from "./wild_values.ts";

/** The format of a request's body. */
export type Kind = "json" | "form" | "multipart" | "none";

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

/** The usual headers of this kind of request, and others. */
export function headersOf(kind: Kind, world: WildWorld): fc.Arbitrary<[string, string][]> {
  const usual = kind === "multipart" ? `multipart/form-data; boundary=${BOUNDARY}` : CONTENT_TYPES[kind];
  const origin = `http://${world.host}`;
  const session = `auth_session=${world.session}`;
  const cookies = fc.oneof(
    fc.constantFrom(session, `notice=profile_saved; ${session}`, `same_site_hop=1; notice=${"x".repeat(3000)}`),
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
