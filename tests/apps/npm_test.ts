import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";
import {
  assertLoggedOut,
  deliverLogouts,
  documentedClient,
  logInAtFoyer,
  NAME,
  openAppsWorld,
  SECRET,
} from "../support/apps/apps_world.ts";
import { AUTH_JS_PROVIDERS, authJsSession, startAuthJsProduct } from "../support/apps/auth_js_product.ts";
import { ANSWERED, openDesktopProgram } from "../support/apps/desktop_program.ts";
import { type RunningProgram, startProgram } from "../support/apps/programs.ts";
import { assertRefreshes, shown } from "../support/apps/shown_person.ts";
import { serveSinglePageApp, withManager } from "../support/apps/single_page_app.ts";
import { startWebProduct } from "../support/apps/web_product.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { freePort } from "../support/processes/free_port.ts";

/** Libraries from npm that sign people in with Foyer. */

const ports = {
  webProduct: freePort(),
  authJs: freePort(),
  singlePageApp: freePort(),
  express: freePort(),
  passport: freePort(),
  nextAuth: freePort(),
};
const [webProduct, authJs, singlePageApp, express, passport, nextAuth] = Object.values(ports).map((port) =>
  `http://localhost:${port}`
);
const world = await openAppsWorld([
  await documentedClient("openid-client", webProduct),
  {
    ...await documentedClient("auth-js", authJs),
    redirect_uris: Object.keys(AUTH_JS_PROVIDERS).map((id) => `${authJs}/auth/callback/${id}`),
  },
  await documentedClient("express-openid-connect", express),
  await documentedClient("passport-openidconnect", passport),
  await documentedClient("next-auth", nextAuth),
  await documentedClient("oidc-client-ts", singlePageApp),
  await documentedClient("oauth4webapi", "http://127.0.0.1"),
]);
const { issuer, person } = world;

for (const javaScriptEnabled of [true, false]) {
  Deno.test(`openid-client: the demo product signs people in, refreshes and logs out, scripts ${javaScriptEnabled}`, () =>
    withPage(world.browser, async (page) => {
      const client = { clientId: "web-product", clientSecret: SECRET };
      await using _product = startWebProduct({ issuer, ...client, port: ports.webProduct });
      await page.goto(webProduct);
      await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
      await page.getByRole("link", { name: "Log in with Foyer" }).click();
      await logInAtFoyer(page, person);
      await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
      strictEqual(page.url(), `${webProduct}/`);
      strictEqual(await page.getByText(person.email).count(), 4, "twice each in userinfo and the ID token");
      const expiry = page.getByText("The access token expires at");
      const before = await expiry.textContent();
      await page.getByRole("button", { name: "Refresh" }).click();
      await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
      notStrictEqual(await expiry.textContent(), before);
      await page.getByRole("button", { name: "Log out" }).click();
      await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
      strictEqual(page.url(), `${webProduct}/`);
      await assertLoggedOut(page, world);
    }, { javaScriptEnabled }));
}

Deno.test("openid-client: the demo product hears that someone has logged out at Foyer", () =>
  withPage(world.browser, async (page) => {
    const client = { clientId: "web-product", clientSecret: SECRET };
    await using _product = startWebProduct({ issuer, ...client, port: ports.webProduct });
    await page.goto(`${webProduct}/login`);
    await logInAtFoyer(page, person);
    await page.getByRole("heading", { name: `Hello, ${NAME}` }).waitFor();
    await page.goto(`${issuer}/logout`);
    await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
    await page.waitForURL(`${issuer}/login`);
    await page.goto(webProduct);
    await page.getByText("Foyer has ended this access").waitFor();
    await deliverLogouts(world);
    await page.reload();
    await page.getByRole("heading", { name: "Hello, guest" }).waitFor();
  }));

Deno.test("oauth4webapi: a desktop program signs in, refreshes, reads userinfo, ends its access and logs out", () =>
  withPage(world.browser, async (page) => {
    const program = await openDesktopProgram(issuer, "desktop");
    const tokens = await program.signIn(async (address) => {
      await page.goto(address);
      await logInAtFoyer(page, person);
      await page.getByText(ANSWERED).waitFor();
    });
    const refreshed = await program.refresh(tokens.refresh_token!);
    notStrictEqual(refreshed.access_token, tokens.access_token);
    notStrictEqual(refreshed.refresh_token, tokens.refresh_token);
    const { name, email, email_verified } = await program.userinfo(refreshed.access_token, person.id);
    deepStrictEqual([name, email, email_verified], [NAME, person.email, true]);
    strictEqual(await program.endAccess(refreshed), 401);
    await page.goto(program.logoutAddress(refreshed));
    await page.getByRole("heading", { name: "You’ve logged out" }).waitFor();
    await assertLoggedOut(page, world);
  }));

for (const id of Object.keys(AUTH_JS_PROVIDERS)) {
  Deno.test(`@auth/core: a product signs people in by ${id}, refreshes, reads userinfo and logs out`, () =>
    withPage(world.browser, async (page) => {
      const client = { clientId: "auth-js", clientSecret: SECRET };
      await using _product = startAuthJsProduct({ issuer, ...client, port: ports.authJs });
      await useAuthJs(page, { url: authJs, basePath: "/auth", provider: `Foyer by ${id}` });
    }));
}

Deno.test("next-auth 4: a product signs people in, refreshes, reads userinfo and logs out", () =>
  withPage(world.browser, async (page) => {
    const folder = await Deno.makeTempDir({ prefix: "foyer-next-auth-" });
    await using _product = await startNextAuth(folder);
    await useAuthJs(page, { url: nextAuth, basePath: "/api/auth", provider: "Foyer" });
    await Deno.remove(folder, { recursive: true });
  }));

Deno.test("oidc-client-ts: a single-page app signs people in, refreshes, reads userinfo and logs out", () =>
  withPage(world.browser, async (page) => {
    await using _app = serveSinglePageApp(ports.singlePageApp);
    const settings = {
      authority: issuer,
      client_id: "single-page-app",
      redirect_uri: `${singlePageApp}/callback`,
      post_logout_redirect_uri: `${singlePageApp}/`,
      scope: "openid profile email",
      loadUserInfo: true,
    };
    const storedUser = () => withManager(page, settings, async (manager) => ({ ...await manager.getUser() }));
    await page.goto(singlePageApp);
    await withManager(page, settings, (manager) => Promise.resolve(void manager.signinRedirect()));
    await logInAtFoyer(page, person);
    await page.waitForURL(`${singlePageApp}/callback?**`);
    await withManager(page, settings, async (manager) => void await manager.signinRedirectCallback());
    const { profile, access_token } = await storedUser();
    deepStrictEqual([profile?.sub, profile?.name, profile?.email], [person.id, NAME, person.email]);
    await withManager(page, settings, async (manager) => void await manager.signinSilent());
    notStrictEqual((await storedUser()).access_token, access_token, "with the refresh token");
    await withManager(page, settings, (manager) => Promise.resolve(void manager.signoutRedirect()));
    await page.waitForURL(`${singlePageApp}/`);
    deepStrictEqual(await storedUser(), {});
    await assertLoggedOut(page, world);
  }));

Deno.test("express-openid-connect: a product signs people in, refreshes, reads userinfo and logs out", () =>
  withPage(world.browser, async (page) => {
    await using _product = await startExpress("express");
    await page.goto(`${express}/login`);
    await logInAtFoyer(page, person);
    await page.waitForURL(`${express}/`);
    await assertRefreshes(page, { url: express, email: person.email });
    await page.goto(`${express}/logout`);
    await page.waitForURL(`${express}/`);
    strictEqual((await shown(page)).name, "guest");
    await assertLoggedOut(page, world);
  }));

Deno.test("passport-openidconnect: a product signs people in and reads userinfo", () =>
  withPage(world.browser, async (page) => {
    await using _product = await startExpress("passport");
    await page.goto(`${passport}/login`);
    await logInAtFoyer(page, person);
    await page.waitForURL(`${passport}/`);
    deepStrictEqual(await shown(page), { id: person.id, name: NAME, givenName: NAME, email: person.email });
  }));

/** Signs in to a product with Auth.js or its predecessor, and out again. */
async function useAuthJs(
  page: Page,
  { url, basePath, provider }: { url: string; basePath: string; provider: string },
): Promise<void> {
  await page.goto(`${url}${basePath}/signin?callbackUrl=${url}/`);
  await page.getByRole("button", { name: `Sign in with ${provider}` }).click();
  await logInAtFoyer(page, person);
  await page.waitForURL(`${url}/`);
  const { user, accessToken } = (await authJsSession(page, { basePath }))!;
  deepStrictEqual([user.name, user.email], [NAME, person.email]);
  const refreshed = (await authJsSession(page, { basePath, isUpdated: true }))!;
  notStrictEqual(refreshed.accessToken, accessToken);
  const headers = { Authorization: `Bearer ${refreshed.accessToken}` };
  const userinfo = await (await fetch(`${issuer}/oauth/userinfo`, { headers })).json();
  strictEqual(userinfo.sub, person.id);
  await page.goto(`${url}${basePath}/signout?callbackUrl=${url}/`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${url}/`);
  strictEqual(await authJsSession(page, { basePath }), null);
  // Auth.js ends only its own session, so its products link to the one of the provider.
  const hint = { id_token_hint: refreshed.idToken, post_logout_redirect_uri: `${url}/` };
  await page.goto(`${issuer}/oauth/logout?${new URLSearchParams(hint)}`);
  await page.waitForURL(`${url}/`);
  await assertLoggedOut(page, world);
}

/** Starts a product that is written for Node, with the packages of deno.json. */
function startExpress(clientId: "express" | "passport"): Promise<RunningProgram> {
  const file = new URL(`../support/apps/${clientId}_product.js`, import.meta.url).pathname;
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const args = ["run", "-A", "--quiet", "--config", config, file, issuer, String(ports[clientId]), clientId, SECRET];
  return startProgram({ path: Deno.execPath(), args, port: ports[clientId] });
}

/** Starts a product with NextAuth.js 4, which is installed without its peers: its handler needs nothing of Next. */
async function startNextAuth(folder: string): Promise<RunningProgram> {
  const args = ["install", "--no-audit", "--no-fund", "--legacy-peer-deps", "--prefix", folder, "next-auth@4.24.15"];
  const { success, stderr } = await new Deno.Command("npm", { args }).output();
  strictEqual(success, true, new TextDecoder().decode(stderr));
  const file = new URL("../support/apps/next_auth_product.mjs", import.meta.url).pathname;
  const port = ports.nextAuth;
  return await startProgram({ path: "node", args: [file, folder, issuer, String(port), "next-auth", SECRET], port });
}
