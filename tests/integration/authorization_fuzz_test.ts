import { ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { client, connect, openAuthorizationApp, REDIRECT_URI } from "../support/app/authorization.ts";
import { authorizePath } from "../support/app/authorize_page.ts";
import { mostly } from "../support/random/wild_values.ts";

/** Whatever /oauth/authorize gets, it leads to its own pages or to addresses that are registered. */

/** `FUZZ_RUNS=20000` searches longer. */
const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 2000);
const LOOPBACK = "http://127.0.0.1/callback";
const OWN_SCHEME = "com.example.app:/callback";
const WITH_QUERY = "https://app.example/back?a=b&c";
const app = await openAuthorizationApp({}, [client("device", { redirect_uris: [OWN_SCHEME, LOOPBACK, WITH_QUERY] })]);
const { baseUrl } = app.services.config;
const { client: person, id: user } = await registerVerifiedUser(app, "fuzz@example.com");
const { id_token } = await connect(app, person, "wiki", { scopes: ["openid", "email"] });
const marked = new URL((await app.client().get(authorizePath("portal"))).headers.get("Location")!, baseUrl);
const SEEN = /seen=([^&]*)$/.exec(marked.searchParams.get("next")!)![1];

/** What an answer to an app begins with. */
const REGISTERED = [
  /^https:\/\/app\.example\/callback\?(?:code|error)=/,
  /^https:\/\/app\.example\/back\?a=b&c&(?:code|error)=/,
  /^http:\/\/127\.0\.0\.1(?::[1-9]\d{0,4})?\/callback\?(?:code|error)=/,
  /^com\.example\.app:\/callback\?(?:code|error)=/,
];
const OWN_PATH = /^\/(?:login|register|verify-email|reauthenticate|keep-account|oauth\/authorize)\?/;

const uri = fc.constantFrom(REDIRECT_URI, LOOPBACK, OWN_SCHEME, WITH_QUERY, "http://127.0.0.1:49152/callback");
const attack = fc.constantFrom(
  ...[
    "https://evil.example",
    "//evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "@evil.example",
  ],
  ...[
    "\r\nLocation: https://evil.example",
    "; url=https://evil.example",
    "%0d%0a",
    "%2f..%2f",
    "/../",
    "..;/",
    "#",
    "?",
  ],
  ...[
    "\u0000",
    "\u2028",
    "\ud800",
    "'\"><a href=//evil.example>",
    "http://127.0.0.1:0/callback",
    "http://127.0.0.1:99999/callback",
  ],
);
const text = mostly(fc.string({ maxLength: 12 }), fc.oneof(attack, fc.string({ unit: "binary", maxLength: 40 })), 2);
const bent = fc.tuple(uri, fc.nat(30), text).map(([base, at, part]) => base.slice(0, at) + part + base.slice(at));
const redirectUri = mostly(uri, fc.oneof(bent, attack, fc.tuple(uri, attack).map((parts) => parts.join(""))), 4);

const VALUES: Record<string, fc.Arbitrary<string>> = {
  response_type: mostly(fc.constant("code"), text, 12),
  state: text,
  scope: mostly(fc.constantFrom("openid", "openid email", "offline_access"), text),
  code_challenge: mostly(fc.constant("x".repeat(43)), text, 12),
  code_challenge_method: mostly(fc.constant("S256"), text, 12),
  prompt: mostly(fc.constantFrom("", "none", "login", "consent", "select_account", "create"), text, 6),
  nonce: mostly(fc.constantFrom("", "n"), text, 8),
  max_age: mostly(fc.constantFrom("", "", "0", "9".repeat(15)), text, 8),
  acr_values: fc.constantFrom("", "2", "1 2"),
  login_hint: mostly(fc.constant("ada@example.com"), text, 1),
  id_token_hint: mostly(fc.constantFrom("", id_token), text),
  ui_locales: mostly(fc.constantFrom("", "de", "xx ar"), text),
  response_mode: mostly(fc.constantFrom("", "query"), text, 12),
  resource: mostly(fc.constant(""), text, 8),
  next: attack,
  seen: mostly(fc.constantFrom("", SEEN), text),
};

const RIGHT_PAIRS: [clientId: string, redirectUri: string][] = [
  ...["wiki", "portal", "phone"].map((id): [string, string] => [id, REDIRECT_URI]),
  ...[LOOPBACK, OWN_SCHEME, WITH_QUERY, "http://127.0.0.1:49152/callback"].map((
    of,
  ): [string, string] => ["device", of]),
];
const pair = mostly(
  fc.constantFrom(...RIGHT_PAIRS),
  fc.tuple(mostly(fc.constantFrom("wiki", "device"), text), redirectUri),
  2,
);
const repeated = fc.array(fc.tuple(fc.constantFrom("client_id", "redirect_uri", ...Object.keys(VALUES)), text), {
  minLength: 1,
  maxLength: 1,
});
const parameters = fc.tuple(pair, fc.record(VALUES), mostly(fc.constant<[string, string][]>([]), repeated, 6))
  .map(([[client_id, redirect_uri], values, more]) => {
    const sent = Object.entries({ client_id, redirect_uri, ...values }).filter(([, value]) => value !== "");
    return new URLSearchParams([...sent, ...more]).toString();
  });
/** Not always encoded as browsers do it. */
const query = mostly(
  parameters,
  fc.tuple(parameters, fc.nat(300), attack).map(([all, at, part]) => all.slice(0, at) + part + all.slice(at)),
);
const request = fc.record({
  query,
  isPost: fc.boolean(),
  answer: fc.constantFrom(null, null, "allow", "cancel", "continue", "other", "x"),
  isMember: fc.boolean(),
  site: fc.constantFrom(null, "none", "same-origin", "cross-site"),
  destination: mostly(fc.constantFrom(null, "document"), fc.constantFrom("iframe", "image")),
});
type Sent = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

async function send({ query, isPost, answer, isMember, site, destination }: Sent): Promise<Response> {
  // Someone who uses another account has no session anymore.
  const headers = new Headers(
    isMember && answer !== "other" ? { Cookie: `auth_session=${person.cookies.get("auth_session")}` } : {},
  );
  if (site !== null) headers.set("Sec-Fetch-Site", site);
  if (destination !== null) headers.set("Sec-Fetch-Dest", destination);
  const url = `${baseUrl}/oauth/authorize`;
  const info = {
    remoteAddr: { transport: "tcp", hostname: "10.1.1.1", port: 1 },
    completed: Promise.resolve(),
  } as const;
  if (!isPost) return await app.handler(new Request(`${url}?${query}`, { headers }), info);
  headers.set("Content-Type", "application/x-www-form-urlencoded");
  const [target, body] = answer === null
    ? [url, query]
    : [`${url}?${query}`, String(new URLSearchParams({ answer, user }))];
  return await app.handler(new Request(target, { method: "POST", headers, body }), info);
}

/** Returns where a response leads; null for a page that stays. */
function targetOf({ headers }: Response): string | null {
  const refresh = headers.get("Refresh");
  if (refresh === null) return headers.get("Location");
  return refresh === "0" ? null : refresh.replace("0; url=", "");
}

Deno.test("no request leads to an address that is neither ours nor registered", async () => {
  const seen = { pages: 0, own: 0, apps: 0, codes: 0 };
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      const response = await send(sent);
      await response.body?.cancel();
      ok(response.status < 500, `${response.status}`);
      const target = targetOf(response);
      if (target === null) return void seen.pages++;
      if (target.startsWith("/")) {
        ok(OWN_PATH.test(target), target);
        strictEqual(new URL(target, baseUrl).origin, baseUrl);
        return void seen.own++;
      }
      ok(REGISTERED.some((form) => form.test(target)), target);
      ok(!/[^!-~]/.test(target), target);
      ok(!new URL(target).host.includes("evil"), target);
      seen.apps++;
      if (new URL(target).searchParams.has("code")) seen.codes++;
    }),
    { numRuns: RUNS },
  );
  console.log(`${RUNS} requests: ${JSON.stringify(seen)}`);
  for (const [kind, count] of Object.entries(seen)) ok(count > 0, `no ${kind}`);
});
