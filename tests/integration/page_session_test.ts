import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };

Deno.test("a page that needs a session redirects to the login page, which returns to it", async () => {
  for (const site of ["same-origin", "same-site", "none"]) {
    const response = await app.client().get("/dashboard?tab=1", { "Sec-Fetch-Site": site });
    strictEqual(response.status, 303);
    strictEqual(response.headers.get("Location"), "/login?next=%2Fdashboard%3Ftab%3D1");
  }
});

Deno.test("a navigation from another site gets a page that reloads itself, once", async () => {
  const client = app.client();
  const hop = await client.get("/dashboard", CROSS_SITE);
  strictEqual(hop.status, 200);
  strictEqual(hop.headers.get("Cache-Control"), "no-store");
  strictEqual(hop.headers.get("Refresh"), "0");
  const page = await readPage(hop);
  strictEqual(page.link("Continue").href, "http://foyer.test/dashboard");
  deepStrictEqual(page.findAll("script"), []);

  const stillCrossSite = await client.get("/dashboard", CROSS_SITE);
  strictEqual(stillCrossSite.headers.get("Location"), "/login?next=%2Fdashboard");
  strictEqual((await client.get("/dashboard", CROSS_SITE)).status, 200, "the next navigation may hop again");
});

Deno.test("a navigation without Sec-Fetch-Site hops once, even in a browser that keeps no cookies", async () => {
  const page = { Accept: "text/html,*/*;q=0.8" };
  const { client } = await registerVerifiedUser(app, "plain-http@example.com", "Hopper");
  match(await (await client.get("/dashboard?tab=1", page)).text(), /Hopper/, "a session needs no hop");

  const stranger = app.client();
  const hop = await stranger.get("/dashboard?tab=1", page);
  deepStrictEqual([hop.status, hop.headers.get("Refresh")], [200, "0; url=?same_site_hop=1&tab=1"]);
  const address = "/dashboard?same_site_hop=1&tab=1";
  const login = "/login?next=%2Fdashboard%3Ftab%3D1";
  for (const path of ["/dashboard?tab=1", address]) {
    const kept = { ...page, Cookie: "same_site_hop=/dashboard" };
    strictEqual((await app.client().get(path, kept)).headers.get("Location"), login, path);
  }
  strictEqual((await app.client().get(address, page)).headers.get("Location"), login, "no cookies");
  strictEqual((await client.get(address, page)).headers.get("Location"), "/dashboard?tab=1", "the address is clean");
  strictEqual((await app.client().get(address, CROSS_SITE)).status, 200, "a link with the parameter hops");
  strictEqual((await app.client().get("/dashboard")).status, 303, "a program does not hop");
});

Deno.test("the pages before dangerous actions reload themselves too", async () => {
  for (const path of ["/close-account", "/reauthenticate?next=%2Fprofile"]) {
    const client = app.client();
    const hop = await client.get(path, CROSS_SITE);
    deepStrictEqual([hop.status, hop.headers.get("Refresh")], [200, "0"], path);
    const stillCrossSite = await client.get(path, CROSS_SITE);
    strictEqual(stillCrossSite.headers.get("Location"), `/login?next=${encodeURIComponent(path)}`);
  }
});

Deno.test("the page that reloads itself has no navigation of settings or of administration", async () => {
  for (const path of ["/settings/language", "/admin", "/admin/nothing"]) {
    const hop = await app.client().get(path, CROSS_SITE);
    deepStrictEqual([hop.status, hop.headers.get("Refresh")], [200, "0"], path);
    deepStrictEqual((await readPage(hop)).findAll(".settings"), [], path);
  }
});

Deno.test("a navigation with a session gets the page itself and resets the hop", async () => {
  const { client } = await registerVerifiedUser(app, "hopping@example.com", "Hopper");
  match(await (await client.get("/dashboard", CROSS_SITE)).text(), /Hopper/);

  const stranger = app.client();
  await stranger.get("/dashboard", CROSS_SITE);
  stranger.cookies.set("auth_session", client.cookies.get("auth_session")!);
  const response = await stranger.get("/dashboard", { "Sec-Fetch-Site": "same-origin" });
  match(await response.text(), /Hopper/);
  strictEqual(stranger.cookies.has("same_site_hop"), false);
});

Deno.test("the page after the hop shows the notice, once", async () => {
  const { client } = await registerVerifiedUser(app, "noticed@example.com");
  const stranger = app.client();
  stranger.cookies.set("notice", "profile_saved");
  ok(!(await (await stranger.get("/dashboard", CROSS_SITE)).text()).includes("Profile saved"));
  stranger.cookies.set("auth_session", client.cookies.get("auth_session")!);
  match(await (await stranger.get("/dashboard", { "Sec-Fetch-Site": "same-origin" })).text(), /Profile saved/);
  ok(!(await (await stranger.get("/dashboard")).text()).includes("Profile saved"));
});

Deno.test("a request that is not a navigation does not hop", async () => {
  const response = await app.client().get("/dashboard", { ...CROSS_SITE, "Sec-Fetch-Mode": "no-cors" });
  strictEqual(response.status, 303);
});

Deno.test("a response with other cookies still sets the cookie of an extended session", async () => {
  const { client } = await registerVerifiedUser(app, "extended-hop@example.com");
  client.cookies.set("same_site_hop", "/dashboard");
  app.advance(4 * DAY_SECONDS);
  const lines = (await client.get("/dashboard")).headers.getSetCookie();
  ok(lines.some((line) => line.startsWith("auth_session=")));
  ok(lines.some((line) => line.startsWith("same_site_hop=;")));
});
