import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { openTestApp, PRODUCTION } from "../support/app/test_app.ts";
import { freePort } from "../support/processes/free_port.ts";
import { FORGED_PLACES, KINDS, NOT_OPEN, openTunnel, OTHER_UPGRADES } from "../support/processes/behind_cases.ts";
import { startProduct } from "../support/processes/product.ts";
import { CADDY, ensure } from "../support/prerequisites.ts";
import { bytesOf, sendBytes, type WireResponse } from "../support/random/wire.ts";
import { waitFor } from "../support/wait_for.ts";

const FOYER = "foyer.example";
const WIKI = "wiki.foyer.example";

const folder = await Deno.makeTempDir({ prefix: "foyer-caddy-" });
const [port, portForGroups, appPort] = [freePort(), freePort(), freePort()];
const env = { COOKIE_DOMAIN: FOYER, RETURN_ORIGINS: `https://${WIKI}`, TRUSTED_PROXIES: "1", LOGIN_MAX_ATTEMPTS: "0" };
const app = await openTestApp({ ...PRODUCTION, ...env }, { port: appPort });
const product = await startProduct();
const caddy = await startCaddy(port);
Deno.test.afterAll(async () => {
  await end(caddy);
  await product[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
});
const { client, id } = await registerVerifiedUser(app, "zoe@example.com", "Zoë");
const session = client.cookies.get("auth_session")!;

/**
 * Starts Caddy with docs/Caddyfile-behind, without TLS. Replaces only addresses, and can close the wiki to all but some
 * groups.
 */
async function startCaddy(port: number, { forGroups = false } = {}): Promise<Deno.ChildProcess> {
  const shipped = await Deno.readTextFile(new URL("../../docs/Caddyfile-behind", import.meta.url));
  const sites = shipped.replaceAll(/^\{\$\w+:https:\/\/((wiki\.)?foyer\.example)\} \{/gm, `http://$1:${port} {`);
  const file = `${folder}/Caddyfile-${port}`;
  await Deno.writeTextFile(file, forGroups ? sites.replace("# rewrite", "rewrite") : sites);
  const child = new Deno.Command("setpriv", {
    args: ["--pdeathsig=TERM", await ensure(CADDY), "run", "--config", file, "--adapter", "caddyfile"],
    env: {
      ADMIN: "off",
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      FOYER: `127.0.0.1:${appPort} 127.0.0.1:${appPort}`,
      WIKI: new URL(product.url).host,
    },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await waitFor("Caddy", async () => {
    const connection = await Deno.connect({ port }).catch(() => null);
    connection?.close();
    return connection !== null;
  });
  return child;
}

async function end(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  await child.status;
}

/** Sends a request to the wiki, with headers exactly as given. */
function send(
  headers: [string, string][],
  { method = "GET", target = "/", to = port } = {},
): Promise<WireResponse> {
  product.requests.length = 0;
  const body = method === "GET" ? "" : "a=1";
  return sendBytes(to, bytesOf({ method, target, headers: [["Host", WIKI], ...headers], body }));
}

const IDENTITY = [
  "X-Foyer-User-Id",
  "X-Foyer-User-Email-Verified",
  "X-Foyer-User-Role",
  "X-Foyer-User-Groups",
  "X-Foyer-User-Session",
]
  .flatMap((name) =>
    [name, name.toLowerCase(), name.replaceAll("-", "_"), name.replace("-", "_"), name.replaceAll("-", ".")]
      .map((each): [string, string] => [each, "forged"])
  );
const FORGED = [...IDENTITY, ...FORGED_PLACES];

Deno.test("behind Caddy, forged headers, API tokens and sessions never reach a product", async () => {
  const { headers: { Authorization } } = await createToken(client, { scopes: ["profile:read"] });
  const cookie: [string, string] = ["Cookie", `auth_session=${session}`];
  for (const method of ["GET", "POST"]) {
    for (const headers of [[...FORGED, cookie], [cookie, ...FORGED], [["Authorization", Authorization], ...FORGED]]) {
      strictEqual((await send(headers as [string, string][], { method })).status, 200);
      const received = product.requests[0].headers;
      const text = JSON.stringify([...received]);
      ok(![session, Authorization, "forged", "{http"].some((secret) => text.includes(secret)), text);
      deepStrictEqual([received.get("x-foyer-user-id"), received.get("x-foyer-user-role")], [id, "user"]);
    }
  }
  strictEqual((await send([cookie, ["Connection", "X-Foyer-User-Id"]])).status, 400);
  deepStrictEqual(product.requests, []);
});

Deno.test("behind Caddy, a product gets none of the sessions, however many it plants, and its own cookies", async () => {
  for (const count of [2, 3, 10, 50]) {
    const planted = Array.from({ length: count }, (_, i) => `auth_session=planted${i}`);
    const mixed = planted.map((each, i) => `${each}; c${i}=${i}`);
    for (const run of [planted, mixed, planted.map((each) => each.replace("=", " ="))]) {
      for (
        const own of [[...run, `auth_session=${session}`, "b=2"], [
          `auth_session=${session}`,
          ...run,
          "xauth_session=3",
        ]]
      ) {
        strictEqual((await send([["Cookie", own.join("; ")]])).status, 200);
        const received = product.requests[0].headers.get("cookie")!.split(";").map((each) => each.trim());
        const expected = own.join("; ").split("; ").filter((each) => !/^auth_session\b/.test(each));
        deepStrictEqual(received.filter((each) => each !== ""), expected);
      }
    }
  }
  await send([["Cookie", "a=1"], ["Cookie", `auth_session=${session}`], ["Cookie", "auth_session=planted"]]);
  ok(!JSON.stringify([...product.requests[0].headers]).includes("auth_session"));
});

Deno.test("behind Caddy, a page leads to the login without a session, and fetch() gets 401; with one, both get in", async () => {
  for (const [name, isPage, headers] of KINDS) {
    for (const method of ["GET", "POST"]) {
      const { status, body } = await send([...headers, ["Cookie", "auth_session=ended"]], { method, target: "/data" });
      strictEqual(status, isPage ? 303 : 401, name);
      if (!isPage) strictEqual(JSON.parse(body).code, "UNAUTHENTICATED", name);
      deepStrictEqual(product.requests, []);
    }
    strictEqual((await send([...headers, ["Cookie", `auth_session=${session}`]])).status, 200, name);
  }
});

Deno.test("behind Caddy, an open page is for guests and members alike, and only below its path", async () => {
  const cookie: [string, string] = ["Cookie", `a=1; auth_session=${session}`];
  const cases: [headers: [string, string][], id: string | null][] = [
    [FORGED, null],
    [[["Sec-Fetch-Mode", "navigate"], ["Cookie", "auth_session=ended"]], null],
    [[["Sec-Fetch-Mode", "cors"], ...FORGED], null],
    [[...FORGED, cookie], id],
  ];
  for (const [headers, expected] of cases) {
    strictEqual((await send(headers, { target: "/open/page?x=1" })).status, 200);
    const [received] = product.requests;
    strictEqual(received.headers.get("x-foyer-user-id"), expected);
    strictEqual(received.headers.has("x-foyer-user-role"), expected !== null);
    const text = JSON.stringify([...received.headers]);
    ok(!text.includes("forged") && !text.includes(session) && !text.includes("{http"), text);
    strictEqual(received.url.pathname + received.url.search, "/open/page?x=1");
  }
  for (const target of NOT_OPEN) {
    ok([303, 400].includes((await send([], { target })).status), target);
    deepStrictEqual(product.requests, []);
  }
});

Deno.test("behind Caddy, a WebSocket opens with a session only", async () => {
  const open = (headers: [string, string][]) =>
    openTunnel(port, [["Host", WIKI], ["Sec-Fetch-Mode", "websocket"], ...headers]);
  product.requests.length = 0;
  deepStrictEqual(await open([]), { status: 401, echo: "" });
  strictEqual(product.requests.length, 0);
  deepStrictEqual(await open([...FORGED, ["Cookie", `auth_session=${session}`]]), { status: 101, echo: "hi" });
  strictEqual(product.requests[0].headers.get("x-foyer-user-id"), id);
});

Deno.test("behind Caddy, only a WebSocket opens a tunnel to the product", async () => {
  const headers: [string, string][] = [["Host", WIKI], ["Cookie", `auth_session=${session}`]];
  for (const upgrade of [...OTHER_UPGRADES.map((each) => [each]), ["h2c", "websocket"], ["websocket", "h2c"]]) {
    product.requests.length = 0;
    deepStrictEqual(await openTunnel(port, headers, { upgrade }), { status: 200, echo: "" }, upgrade.join());
    strictEqual(product.requests[0].headers.get("upgrade"), null);
  }
  for (const upgrade of [["websocket"], ["WebSocket"]]) {
    deepStrictEqual(await openTunnel(port, headers, { upgrade }), { status: 101, echo: "hi" }, upgrade.join());
  }
});

Deno.test("behind Caddy, a product for some groups is closed to all others, who read why, and open to members", async () => {
  const closed = await startCaddy(portForGroups, { forGroups: true });
  const cookie: [string, string] = ["Cookie", `auth_session=${session}`];
  const claim: [string, string] = ["X-Foyer-User-Groups", "staff"];
  const sendForGroups = (headers: [string, string][], target?: string) =>
    send([...headers, claim], { target, to: portForGroups });
  const moveTo = (groups: string[]) => setGroups(app.services, { userId: id, groups, by, reason: "a test" });
  for (const name of ["choir", "ops"]) await saveGroup(app.services, { name, title: name, by });
  try {
    await moveTo(["choir"]);
    for (const [name, isPage, headers] of KINDS) {
      const { status, headers: received, body } = await sendForGroups([...headers, cookie], "/data");
      deepStrictEqual([status, received.get("location")], [403, null], name);
      match(
        body,
        isPage && headers.length > 0 ? /<h1>This is for members only<\/h1>/ : /"code":"FORBIDDEN"/,
        name,
      );
      deepStrictEqual(product.requests, [], name);
    }
    strictEqual((await sendForGroups([], "/data")).status, 303);
    strictEqual((await sendForGroups([cookie], "/open/page")).status, 200, "an open page is for everyone");
    strictEqual(product.requests[0].headers.get("x-foyer-user-groups"), "choir");
    await moveTo(["choir", "ops"]);
    strictEqual((await sendForGroups([cookie])).status, 200);
    strictEqual(product.requests[0].headers.get("x-foyer-user-groups"), "choir,ops");
  } finally {
    await end(closed);
  }
});

Deno.test("behind Caddy, nothing reaches a product without a session, and the check extends one", async () => {
  for (const headers of [[], FORGED, [["Cookie", "auth_session=x"]]] as [string, string][][]) {
    const response = await send([...headers, ["X-Original-URL", "https://evil.example/"]], { target: "/a%20b?x=%26" });
    const next = new URLSearchParams({ next: `https://${WIKI}/a%20b?x=%26` });
    deepStrictEqual([response.status, response.headers.get("location")], [303, `https://${FOYER}/login?${next}`]);
    deepStrictEqual(product.requests, []);
  }
  const cookie: [string, string] = ["Cookie", `auth_session=${session}`];
  strictEqual((await send([cookie])).headers.get("set-cookie"), null);
  app.advance(4 * DAY_SECONDS);
  match((await send([cookie])).headers.get("set-cookie")!, /^auth_session=[^,]*; Domain=foyer\.example;[^,]*$/i);
});
