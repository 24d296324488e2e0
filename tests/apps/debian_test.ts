import { deepStrictEqual, match, notStrictEqual, strictEqual } from "node:assert/strict";
import { ClientSecretBasic } from "oauth4webapi";
import {
  assertLoggedOut,
  deliverLogouts,
  documentedClient,
  logInAtFoyer,
  NAME,
  openAppsWorld,
  SECRET,
} from "../support/apps/apps_world.ts";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { saveGroup } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { startApache } from "../support/apps/auth_openidc.ts";
import { ANSWERED, openDesktopProgram } from "../support/apps/desktop_program.ts";
import { startDovecot, TOKEN_CHECKS } from "../support/apps/dovecot.ts";
import { startOidcAgent } from "../support/apps/oidc_agent.ts";
import { assertRefreshes, shown } from "../support/apps/shown_person.ts";
import { canInstall, type RunningProgram, startProgram } from "../support/apps/programs.ts";
import { type Page, type PageOptions, withPage } from "../support/browser/browser.ts";
import {
  AUTH_OPENIDC,
  AUTHLIB,
  DOVECOT,
  GO,
  GO_OIDC,
  GO_PACKAGES,
  OIDC_AGENT,
  OMNIAUTH,
  type Prerequisite,
  PYTHON,
  REQUESTS,
  REQUESTS_OAUTHLIB,
  RUBY,
  WEBRICK,
} from "../support/prerequisites.ts";
import { freePort } from "../support/processes/free_port.ts";

/** Programs from Debian that sign people in with Foyer. */

const SUPPORT = new URL("../support/apps", import.meta.url).pathname;
const ports = { apache: freePort(), authlib: freePort(), omniauth: freePort(), oauthlib: freePort(), go: freePort() };
const [apache, authlib, omniauth, oauthlib, go] = Object.values(ports).map((port) => `http://localhost:${port}`);
/** A program on this machine stands for the mail program. */
const mail = { ...await documentedClient("dovecot", ""), redirect_uris: ["http://127.0.0.1/callback"] };
const world = await openAppsWorld([
  await documentedClient("mod_auth_openidc", apache),
  await documentedClient("authlib", authlib),
  await documentedClient("requests-oauthlib", oauthlib),
  await documentedClient("omniauth", omniauth),
  await documentedClient("go-oidc", go),
  await documentedClient("oidc-agent", "http://localhost"),
  mail,
  { ...mail, client_id: "other-mail" },
]);
const { issuer, person, app: { services } } = world;

/** A test that is skipped only where the packages cannot be installed. */
async function testWith(
  name: string,
  packages: Prerequisite[],
  visit: (page: Page) => Promise<void>,
  options: PageOptions = {},
): Promise<void> {
  Deno.test({ name, ignore: !await canInstall(packages), fn: () => withPage(world.browser, visit, options) });
}

await testWith(
  "mod_auth_openidc: Apache protects a wiki, refreshes, reads userinfo and logs out",
  [AUTH_OPENIDC],
  async (page) => {
    await using _apache = await startApache({ issuer, port: ports.apache, clientSecret: SECRET });
    await page.goto(`${apache}/wiki/`);
    await logInAtFoyer(page, person);
    await page.waitForURL(`${apache}/wiki/`);
    const text = (id: string) => page.locator(`#${id}`).textContent();
    strictEqual(await text("name"), NAME);
    strictEqual(await text("email"), person.email);
    const token = (await text("token"))!;
    await page.goto(
      `${apache}/wiki/callback?${new URLSearchParams({ refresh: `${apache}/wiki/`, access_token: token })}`,
    );
    strictEqual(page.url(), `${apache}/wiki/`);
    notStrictEqual(await text("token"), token);
    await page.goto(`${apache}/wiki/callback?info=json`);
    match(await page.locator("body").innerText(), new RegExp(person.email));
    await page.goto(`${apache}/wiki/callback?${new URLSearchParams({ logout: `${apache}/goodbye.html` })}`);
    await page.waitForURL(`${apache}/goodbye.html`);
    await assertLoggedOut(page, world);
  },
);

await testWith("mod_auth_openidc: Apache lets in the members of a group", [AUTH_OPENIDC], async (page) => {
  await using _apache = await startApache({ issuer, port: ports.apache, clientSecret: SECRET });
  await saveGroup(services, { name: "staff", title: "Staff", by });
  const open = async () => {
    await page.context().clearCookies();
    await page.goto(`${apache}/staff/index.html`);
    await logInAtFoyer(page, person);
    await page.waitForURL(`${apache}/staff/index.html`);
    return await page.locator("h1").innerText();
  };
  strictEqual(await open(), "Unauthorized");
  await setGroups(services, { userId: person.id, groups: ["staff"], by, reason: "a test" });
  strictEqual(await open(), "For staff");
}, { allow: [/status of 401/] });

await testWith("mod_auth_openidc: Apache hears that someone has logged out at Foyer", [AUTH_OPENIDC], async (page) => {
  await using _apache = await startApache({ issuer, port: ports.apache, clientSecret: SECRET });
  await page.goto(`${apache}/wiki/`);
  await logInAtFoyer(page, person);
  await page.waitForURL(`${apache}/wiki/`);
  await page.goto(`${issuer}/logout`);
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(`${issuer}/login`);
  await page.goto(`${apache}/wiki/`);
  strictEqual(page.url(), `${apache}/wiki/`, "Apache has a session of its own");
  await deliverLogouts(world);
  await page.goto(`${apache}/wiki/`);
  match(page.url(), new RegExp(`^${issuer}/login\\?next=`));
});

const PRODUCTS = [
  { name: "authlib", url: authlib, requires: [AUTHLIB, REQUESTS], start: () => startScript(PYTHON, "authlib") },
  {
    name: "requests-oauthlib",
    url: oauthlib,
    requires: [REQUESTS_OAUTHLIB],
    start: () => startScript(PYTHON, "oauthlib"),
  },
  { name: "go-oidc", url: go, requires: [GO, GO_OIDC], start: startGoProduct },
];
for (const { name, url, requires, start } of PRODUCTS) {
  await testWith(
    `${name}: a product signs people in, refreshes, reads userinfo and logs out`,
    requires,
    async (page) => {
      await using _product = await start();
      await page.goto(`${url}/login`);
      await logInAtFoyer(page, person);
      await page.waitForURL(`${url}/`);
      await assertRefreshes(page, { url, email: person.email });
      await page.goto(`${url}/logout`);
      await page.waitForURL(`${url}/`);
      strictEqual((await shown(page)).name, "guest");
      await assertLoggedOut(page, world);
    },
  );
}

const OMNIAUTH_TITLE = "omniauth: a product signs people in, refreshes, reads userinfo and logs out";
await testWith(OMNIAUTH_TITLE, [OMNIAUTH, WEBRICK], async (page) => {
  await using _product = await startScript(RUBY, "omniauth");
  await page.goto(omniauth);
  await page.getByRole("button", { name: "Log in" }).click();
  await logInAtFoyer(page, person);
  await page.waitForURL(`${omniauth}/`);
  await assertRefreshes(page, { url: omniauth, email: person.email });
  // OmniAuth sends neither an ID token nor its id, so Foyer asks, and no one gets back.
  await page.goto(`${omniauth}/auth/openid_connect/logout`);
  await page.getByRole("heading", { name: "Log out of Foyer?" }).waitFor();
  await page.getByRole("main").getByRole("button", { name: "Log out" }).click();
  await page.getByRole("heading", { name: "You’ve logged out" }).waitFor();
  await assertLoggedOut(page, world);
});

const AGENT_TITLE =
  "oidc-agent: commands get tokens for a person, also for fewer scopes and after a restart, and end it";
await testWith(AGENT_TITLE, [OIDC_AGENT], async (page) => {
  await using agent = await startOidcAgent({ issuer, port: freePort() });
  await agent.signIn(async (address) => {
    await page.goto(address);
    await logInAtFoyer(page, person);
    await page.getByText("Successfully performed code exchange").waitFor();
  });
  const userinfo = async (...options: string[]) => {
    const headers = { Authorization: `Bearer ${await agent.run("oidc-token", ...options, "foyer")}` };
    return await (await fetch(`${issuer}/oauth/userinfo`, { headers })).json();
  };
  strictEqual((await userinfo()).email, person.email);
  deepStrictEqual(await userinfo("--force-new", "--scope=openid"), { sub: person.id });
  await agent.restart();
  await agent.run("oidc-add", "--pw-env", "foyer");
  strictEqual((await userinfo("--force-new")).email, person.email, "with the refresh token that it has stored");
  const token = await agent.run("oidc-token", "foyer");
  await agent.run("oidc-gen", "--delete", "--pw-env", "--confirm-yes", "foyer");
  const response = await fetch(`${issuer}/oauth/userinfo`, { headers: { Authorization: `Bearer ${token}` } });
  strictEqual(response.status, 401);
});

for (const check of TOKEN_CHECKS) {
  await testWith(
    `Dovecot, by ${check}: a token opens the mailbox of its person until it is revoked`,
    [DOVECOT],
    async (page) => {
      await using dovecot = await startDovecot({ issuer, port: freePort(), clientSecret: SECRET, check });
      const [program, other] = await Promise.all(
        ["mail", "other-mail"].map((id) => openDesktopProgram(issuer, id, ClientSecretBasic(SECRET))),
      );
      const [ofOther, tokens] = [
        await other.signIn(async (address) => {
          await page.goto(address);
          await logInAtFoyer(page, person);
          await page.getByText(ANSWERED).waitFor();
        }),
        await program.signIn(async (address) => {
          await page.goto(address);
          await page.getByRole("button", { name: "Allow" }).click();
          await page.getByText(ANSWERED).waitFor();
        }),
      ];
      const { email } = person;
      const token = tokens.access_token;
      const opened = /^a OK .*Logged in$/;
      const refused = check === "userinfo" ? /^a NO \[UNAVAILABLE\]/ : /^a NO \[AUTHENTICATIONFAILED\]/;
      match(await dovecot.logIn("XOAUTH2", { email, token }), opened);
      match(await dovecot.logIn("OAUTHBEARER", { email, token }), opened);
      match(await dovecot.logIn("XOAUTH2", { email: "eve@example.com", token }), /^a NO \[AUTHENTICATIONFAILED\]/);
      match(await dovecot.logIn("XOAUTH2", { email, token: token.slice(0, -4) + "AAAA" }), refused);
      match(await dovecot.logIn("XOAUTH2", { email, token: tokens.id_token! }), refused);
      const foreign = await dovecot.logIn("XOAUTH2", { email, token: ofOther.access_token });
      match(foreign, check === "userinfo" ? opened : refused);
      await program.endAccess(tokens);
      match(await dovecot.logIn("XOAUTH2", { email, token }), refused);
      match(await dovecot.logIn("OAUTHBEARER", { email, token }), refused);
    },
  );
}

/** Starts a product in a language of scripts. */
function startScript(
  path: typeof PYTHON | typeof RUBY,
  id: "authlib" | "oauthlib" | "omniauth",
): Promise<RunningProgram> {
  const file = `${SUPPORT}/${id}_product.${path === PYTHON ? "py" : "rb"}`;
  return startProgram({ path, args: [file, issuer, String(ports[id]), id, SECRET], port: ports[id] });
}

/** Builds the product in Go with nothing but the packages of Debian, and starts it. */
async function startGoProduct(): Promise<RunningProgram> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-go-" });
  const path = `${folder}/product`;
  const env = { GO111MODULE: "off", GOPATH: GO_PACKAGES, GOCACHE: `${folder}/cache` };
  const build = new Deno.Command("go", { args: ["build", "-o", path, `${SUPPORT}/go_product.go`], env });
  const { success, stderr } = await build.output();
  strictEqual(success, true, new TextDecoder().decode(stderr));
  const program = await startProgram({ path, args: [issuer, String(ports.go), "go", SECRET], port: ports.go });
  await Deno.remove(folder, { recursive: true });
  return program;
}
