import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import axe from "axe-core";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { createToken } from "../support/app/api_tokens.ts";
import { deliverDueMails } from "../support/mail/deliver_due_mails.ts";
import { type Page, sharedBrowser, withPage } from "../support/browser/browser.ts";
import { freePort } from "../support/processes/free_port.ts";
import { originOf, proxyPorts, startFrontProxy } from "../support/processes/front_proxy.ts";
import { FORGED_PLACES, KINDS, NOT_OPEN, openTunnel, OTHER_UPGRADES } from "../support/processes/behind_cases.ts";
import { startProduct } from "../support/processes/product.ts";
import { BOTH_WAYS } from "../support/browser/shared_site.ts";
import { openTestApp, PRODUCTION } from "../support/app/test_app.ts";
import { bytesOf, sendBytes, type WireResponse } from "../support/random/wire.ts";

const FOYER = "foyer.localhost";
const WIKI = "wiki.foyer.localhost";
const NAME = "Zoë “Z” ✨";

const ports = proxyPorts();
const [foyer, wiki] = [originOf(ports, FOYER), originOf(ports, WIKI)];
const portsForGroups = proxyPorts();
const wikiForGroups = originOf(portsForGroups, WIKI);
const folder = await Deno.makeTempDir({ prefix: "foyer-behind-" });
const appPort = freePort();
const app = await openTestApp({
  ...PRODUCTION,
  BASE_URL: foyer,
  COOKIE_DOMAIN: FOYER,
  RETURN_ORIGINS: `${wiki} ${wikiForGroups}`,
  TRUSTED_PROXIES: "1",
  LOGIN_MAX_ATTEMPTS: "0",
}, { port: appPort });
const product = await startProduct();
const appUrl = `http://127.0.0.1:${appPort}`;
const proxy = await startFrontProxy(folder, ports, [appUrl, appUrl], {
  host: FOYER,
  product: { url: product.url, host: WIKI },
});
const browser = await sharedBrowser();
Deno.test.afterAll(async () => {
  await browser.close();
  await proxy[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
});
const { client, id, email } = await registerVerifiedUser(app, "zoe@example.com", NAME);
const session = client.cookies.get("auth_session")!;

/** The window of a page that has loaded axe. */
interface Axe {
  axe: typeof axe;
}

/** Sends a request to the wiki, with headers exactly as given. */
function send(
  headers: [string, string][],
  { method = "GET", target = "/", port = ports.https, certificate = proxy.certificate } = {},
): Promise<WireResponse> {
  const bytes = bytesOf({ method, target, headers: [["Host", WIKI], ...headers], body: method === "GET" ? "" : "a=1" });
  return sendBytes(port, bytes, { certificate });
}

async function logIn(page: Page): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
}

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`an anonymous visitor of a product logs in and gets to the page they wanted, ${way}`, () =>
    withPage(browser, async (page) => {
      const wanted = `${wiki}/page?title=a%20%26%20b;c&x=%C3%BC`;
      await page.goto(wanted);
      strictEqual(new URL(page.url()).origin, foyer);
      await logIn(page);
      await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
      strictEqual(page.url(), wanted);
      const { headers, url } = product.requests.at(-1)!;
      strictEqual(url.pathname + url.search, wanted.slice(wiki.length));
      strictEqual(headers.get("x-foyer-user-id"), id);
      strictEqual(headers.get("x-foyer-user-email"), email);
      strictEqual(headers.get("x-foyer-user-email-verified"), "true");
      strictEqual(headers.get("x-foyer-user-role"), "user");
    }, { javaScriptEnabled, ignoreHTTPSErrors: true }));

  Deno.test(`someone with a session who follows a link from another site needs no login, ${way}`, () =>
    withPage(browser, async (page) => {
      await page.goto(`${wiki}/`);
      await logIn(page);
      await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
      await page.goto(`${product.url.replace("127.0.0.1", "localhost")}/elsewhere`);
      await page.setContent(`<a href="${wiki}/linked?x=1">Go</a>`);
      await page.getByRole("link", { name: "Go" }).click();
      await page.waitForURL(`${wiki}/linked?x=1`);
      await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
    }, { javaScriptEnabled, ignoreHTTPSErrors: true }));
}

for (const { way, javaScriptEnabled } of BOTH_WAYS) {
  Deno.test(`a product that sends everyone to the login keeps no browser in a loop, ${way}`, () =>
    withPage(browser, async (page) => {
      const login = `${foyer}/login?${new URLSearchParams({ next: `${wiki}/page` })}`;
      await page.goto(login);
      await logIn(page);
      await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
      product.requests.length = 0;
      const broken = `${wiki}/loop`;
      const again = `${foyer}/login?${new URLSearchParams({ next: broken })}`;
      product.loopsTo = again;
      await page.goto(broken);
      await page.getByRole("heading", { name: "We’re going around in circles" }).waitFor();
      strictEqual(product.requests.length, 4, "the first visit and three leaves");
      strictEqual(new URL(page.url()).origin, foyer);
      strictEqual(await page.getByRole("link", { name: "Try again" }).getAttribute("href"), broken);
      if (javaScriptEnabled) {
        await page.evaluate(axe.source);
        deepStrictEqual(
          await page.evaluate(async () => (await (globalThis as unknown as Axe).axe.run()).violations),
          [],
        );
      }
    }, { javaScriptEnabled, ignoreHTTPSErrors: true }));
}

Deno.test("registration on the way leads to the product once the address is confirmed, and not before", () =>
  withPage(browser, async (page) => {
    product.requests.length = 0;
    await page.goto(`${wiki}/welcome`);
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("Your name").fill("New Member");
    await page.getByLabel("Email address").fill("new@example.com");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("heading", { name: "Confirm your email address" }).waitFor();
    strictEqual(product.requests.length, 0);
    await deliverDueMails(app.services);
    await page.goto(app.mails.findLast(({ to }) => to === "new@example.com")!.text.match(/https:\S+/)![0]);
    await page.getByRole("button", { name: "Yes, confirm my email" }).click();
    await page.waitForURL(`${wiki}/welcome`);
    strictEqual(product.requests.at(-1)!.headers.get("x-foyer-user-email-verified"), "true");
  }, { ignoreHTTPSErrors: true }));

const IDENTITY: [string, string][] = [
  "X-Foyer-User-Id",
  "X-Foyer-User-Email",
  "X-Foyer-User-Email-Verified",
  "X-Foyer-User-Name",
  "X-Foyer-User-Picture",
  "X-Foyer-User-Role",
  "X-Foyer-User-Groups",
  "X-Foyer-User-Session",
].flatMap((name) =>
  [name, name.toLowerCase(), name.replaceAll("-", "_"), name.replace("-", "_"), name.replaceAll("-", ".")].map((
    each,
  ): [string, string] => [each, "forged"])
);
const FORGED = [...IDENTITY, ...FORGED_PLACES];

Deno.test("headers that a client forges never reach the product, and neither does the session", async () => {
  product.requests.length = 0;
  const cookie: [string, string] = ["Cookie", `a=1; auth_session=${session}; b=2; auth_session=${session}`];
  strictEqual((await send([...FORGED, cookie])).status, 200);
  strictEqual((await send([cookie, ...FORGED], { method: "POST" })).status, 200);
  strictEqual((await send([["Cookie", `auth_session=${session}`]])).status, 200);
  strictEqual((await send([["Cookie", `auth_session=${session}; xauth_session=1`]])).status, 200);
  for (const { headers } of product.requests) {
    const text = JSON.stringify([...headers]);
    ok(!text.includes("forged") && !text.includes(session), text);
    strictEqual(headers.get("x-foyer-user-id"), id);
    strictEqual(headers.get("x-foyer-user-role"), "user");
  }
  const cookies = product.requests.map(({ headers }) => headers.get("cookie"));
  deepStrictEqual(cookies, ["a=1; b=2;", "a=1; b=2;", null, "xauth_session=1"]);
});

/** Cookie headers with planted sessions around the real one, and what the product gets. */
const PLANTED: [header: string, received: string | null][] = [2, 3, 10, 50].flatMap((count) => {
  const times = (of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i));
  const real = `auth_session=${session}`;
  const run = times((i) => `auth_session=planted${i}`);
  const mixed = times((i) => `auth_session=planted${i}; c${i}=${i}`);
  const kept = times((i) => `c${i}=${i}`).join("; ");
  return [
    [[...run, real].join("; "), null],
    [[real, ...run].join("; "), null],
    [["a=1", ...run, real, "b=2"].join("; "), "a=1; b=2"],
    [["a=1", real, ...run, "xauth_session=3", "auth_session2=4"].join("; "), "a=1; xauth_session=3; auth_session2=4"],
    [["a=1", ...run, "b=2", real, "c=3", ...run, "d=4"].join("; "), "a=1; b=2; c=3; d=4"],
    [[...times((i) => `auth_session="planted ${i}"`), real, 'q="x"'].join("; "), 'q="x"'],
    [[...times(() => "auth_session="), real, "a=auth_session"].join("; "), "a=auth_session"],
    [["a=1", ...run, real, "b=2"].join(";"), "a=1;b=2"],
    [["a=1", ...times((i) => ` auth_session =planted${i}`), real, "b=2"].join(";   "), "a=1;   b=2"],
    [['sandwich="', ...run, real, 'end"'].join("; "), 'sandwich="; end"'],
    // nginx removes four runs. Beyond that, no cookie passes.
    [[...mixed, real].join("; "), count < 4 ? kept : null],
    [[real, ...mixed].join("; "), count < 5 ? kept : null],
    [
      ["a=1", ...mixed.map((each) => each.replace("session", "session ")), real, "b=2"].join(";  "),
      count < 4 ? ["a=1", ...times((i) => `c${i}=${i}`), "b=2"].join("; ") : null,
    ],
  ];
});

function cookiesOf(header: string | null): string[] {
  return (header ?? "").split(";").map((cookie) => cookie.trim()).filter((cookie) => cookie !== "");
}

Deno.test("however many sessions a product plants, it gets none of them, and its own cookies", async () => {
  for (const [header, expected] of PLANTED) {
    product.requests.length = 0;
    const { status } = await send([["Cookie", header]]);
    strictEqual(status, 200, header);
    const received = product.requests[0].headers.get("cookie");
    ok(!received?.includes(session) && !received?.includes("planted"), `${header} -> ${received}`);
    deepStrictEqual(cookiesOf(received), cookiesOf(expected), header);
  }
});

Deno.test("a session in a Cookie header of its own does not reach the product either", async () => {
  product.requests.length = 0;
  const headers = ["a=1", `auth_session=${session}`, "b=2", "auth_session=planted", `auth_session=${session}`];
  strictEqual((await send(headers.map((header) => ["Cookie", header]))).status, 200);
  deepStrictEqual(cookiesOf(product.requests[0].headers.get("cookie")), ["a=1", "b=2"]);
});

Deno.test("without a session nothing reaches the product, whatever the client claims", async () => {
  product.requests.length = 0;
  const claims: [string, string][] = [...FORGED, ["X-Original-URL", "https://evil.example/"], [
    "X-Forwarded-Host",
    "evil.example",
  ]];
  for (
    const [headers, method] of [[[], "GET"], [claims, "GET"], [claims, "POST"], [
      [["Cookie", "auth_session=x"]],
      "GET",
    ]] as const
  ) {
    const response = await send([...headers] as [string, string][], { method, target: "/a%20b?x=%26" });
    strictEqual(response.status, 303);
    strictEqual(
      response.headers.get("location"),
      `${foyer}/login?${new URLSearchParams({ next: `${wiki}/a%20b?x=%26` })}`,
    );
  }
  for (const target of ["/_foyer/check", "/_foyer/login"]) {
    strictEqual((await send([["Cookie", `auth_session=${session}`]], { target })).status, 404, "only nginx itself may");
  }
  deepStrictEqual(product.requests, []);
});

Deno.test("without a session, a page leads to the login, and fetch() gets 401; with one, both get in", async () => {
  product.requests.length = 0;
  for (const [name, isPage, headers] of KINDS) {
    for (const method of ["GET", "POST"]) {
      const { status, body } = await send([...headers, ["Cookie", "auth_session=ended"]], { method, target: "/data" });
      strictEqual(status, isPage ? 303 : 401, name);
      if (!isPage) strictEqual(JSON.parse(body).code, "UNAUTHENTICATED", name);
    }
  }
  deepStrictEqual(product.requests, []);
  for (const [name, , headers] of KINDS) {
    strictEqual((await send([...headers, ["Cookie", `auth_session=${session}`]])).status, 200, name);
  }
});

Deno.test("an open page is for guests and members alike, and only below its path", async () => {
  const cookie: [string, string] = ["Cookie", `a=1; auth_session=${session}`];
  const cases: [headers: [string, string][], id: string | null][] = [
    [[], null],
    [FORGED, null],
    [[["Cookie", "auth_session=ended"], ...FORGED], null],
    [[["Authorization", "Bearer foyer_invalid"]], null],
    [[cookie], id],
    [[...FORGED, cookie], id],
  ];
  for (const [headers, expected] of cases) {
    product.requests.length = 0;
    strictEqual((await send(headers, { target: "/open/page?x=1" })).status, 200);
    const [received] = product.requests;
    strictEqual(received.headers.get("x-foyer-user-id"), expected);
    strictEqual(received.headers.has("x-foyer-user-role"), expected !== null);
    const text = JSON.stringify([...received.headers]);
    ok(!text.includes("forged") && !text.includes(session) && !text.includes("foyer_invalid"), text);
    strictEqual(received.url.pathname + received.url.search, "/open/page?x=1");
  }
  product.requests.length = 0;
  for (const target of NOT_OPEN) ok([303, 400].includes((await send([], { target })).status), target);
  for (const target of ["/_foyer/look", "/_foyer/guest"]) strictEqual((await send([cookie], { target })).status, 404);
  deepStrictEqual(product.requests, []);
});

Deno.test("a WebSocket opens with a session only", async () => {
  const open = (headers: [string, string][]) =>
    openTunnel(ports.https, [["Host", WIKI], ["Sec-Fetch-Mode", "websocket"], ...headers], proxy);
  product.requests.length = 0;
  deepStrictEqual(await open([]), { status: 401, echo: "" });
  strictEqual(product.requests.length, 0);
  deepStrictEqual(await open([...FORGED, ["Cookie", `auth_session=${session}`]]), { status: 101, echo: "hi" });
  strictEqual(product.requests[0].headers.get("x-foyer-user-id"), id);
  ok(!JSON.stringify([...product.requests[0].headers]).includes(session));
});

Deno.test("only a WebSocket opens a tunnel to the product", async () => {
  const headers: [string, string][] = [["Host", WIKI], ["Cookie", `auth_session=${session}`]];
  const open = (upgrade: string[]) => openTunnel(ports.https, headers, { certificate: proxy.certificate, upgrade });
  for (const upgrade of [...OTHER_UPGRADES.map((each) => [each]), ["h2c", "websocket"]]) {
    product.requests.length = 0;
    deepStrictEqual(await open(upgrade), { status: 200, echo: "" }, upgrade.join());
    strictEqual(product.requests[0].headers.get("upgrade"), null);
  }
  for (const upgrade of [["websocket"], ["WebSocket"]]) {
    deepStrictEqual(await open(upgrade), { status: 101, echo: "hi" }, upgrade.join());
  }
});

Deno.test("a program with an API token gets in, if its scopes allow that, and the product does not see the token", async () => {
  product.requests.length = 0;
  const { headers } = await createToken(client, { scopes: ["profile:read"] });
  strictEqual((await send([["Authorization", headers.Authorization]])).status, 200);
  const [received] = product.requests;
  strictEqual(received.headers.get("x-foyer-user-id"), id);
  strictEqual(received.headers.get("authorization"), null);
  const other = await createToken(client, { scopes: ["users:read"] });
  strictEqual((await send([["Authorization", other.headers.Authorization]])).status, 403);
  const cookie: [string, string] = ["Cookie", `auth_session=${session}`];
  strictEqual((await send([["Authorization", "Bearer foyer_invalid"], cookie])).status, 401);
  strictEqual(product.requests.length, 1);
});

Deno.test("a product for some groups is closed to all others, who read why, and open to members", async () => {
  const proxyFolder = `${folder}/groups`;
  await Deno.mkdir(proxyFolder);
  await using proxyForGroups = await startFrontProxy(proxyFolder, portsForGroups, [appUrl, appUrl], {
    host: FOYER,
    product: { url: product.url, host: WIKI, groups: "staff,ops" },
  });
  const { certificate } = proxyForGroups;
  const cookie: [string, string] = ["Cookie", `auth_session=${session}`];
  const claim: [string, string] = ["X-Foyer-User-Groups", "staff"];
  const sendForGroups = (headers: [string, string][], target?: string) =>
    send(headers, { target, port: portsForGroups.https, certificate });
  const moveTo = (groups: string[]) => setGroups(app.services, { userId: id, groups, by, reason: "a test" });
  for (const name of ["choir", "ops"]) await saveGroup(app.services, { name, title: name, by });

  product.requests.length = 0;
  await moveTo(["choir"]);
  for (const [name, isPage, headers] of KINDS) {
    const { status, headers: received, body } = await sendForGroups([...headers, claim, cookie], "/data");
    deepStrictEqual([status, received.get("location")], [403, null], name);
    match(
      body,
      isPage && headers.length > 0 ? /<h1>This is for members only<\/h1>/ : /"code":"FORBIDDEN"/,
      name,
    );
  }
  const guest = await sendForGroups([claim], "/data");
  const login = `${foyer}/login?${new URLSearchParams({ next: `${wikiForGroups}/data` })}`;
  deepStrictEqual([guest.status, guest.headers.get("location")], [303, login]);
  strictEqual(product.requests.length, 0);
  strictEqual((await sendForGroups([cookie, claim], "/open/page")).status, 200, "an open page is for everyone");
  strictEqual((await sendForGroups([cookie, claim], "/choir/page")).status, 200, "another group for one location");
  await moveTo(["ops"]);
  strictEqual((await sendForGroups([cookie, claim], "/choir/page")).status, 403, "in a group for the rest only");
  await moveTo(["choir", "ops"]);
  strictEqual((await sendForGroups([claim, cookie])).status, 200);
  deepStrictEqual(product.requests.map(({ headers }) => headers.get("x-foyer-user-groups")), [
    "choir",
    "choir",
    "choir,ops",
  ]);

  await moveTo([]);
  await withPage(browser, async (page) => {
    await page.goto(`${foyer}/login?${new URLSearchParams({ next: wikiForGroups })}`);
    await logIn(page);
    await page.getByRole("heading", { name: "This is for members only" }).waitFor();
    strictEqual(new URL(page.url()).origin, wikiForGroups);
    await page.waitForLoadState();
    strictEqual(await page.evaluate(() => document.styleSheets.length), 1);
    await page.getByRole("link", { name: "Go to the home page" }).click();
    await page.waitForURL(`${foyer}/**`);
  }, { ignoreHTTPSErrors: true, allow: [/status of 403/] });
});

Deno.test("the product's own responses pass, and the check extends the session", async () => {
  const cookie: [string, string] = ["Cookie", `auth_session=${session}`];
  const own = await send([cookie], { target: "/own-401" });
  deepStrictEqual([own.status, own.headers.get("location")], [401, null]);
  strictEqual(own.headers.get("set-cookie"), null);
  app.advance(4 * DAY_SECONDS);
  match((await send([cookie])).headers.get("set-cookie")!, /^auth_session=[^,]*; Domain=foyer\.localhost;[^,]*$/i);
});
