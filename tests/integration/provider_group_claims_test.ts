import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { prepareGroups } from "../../lib/groups/group.ts";
import { groupNamesOf } from "../../lib/groups/membership.ts";
import { createVisitor } from "../support/app/cookie_jar.ts";
import { serveTestApp } from "../support/app/served_app.ts";
import { ADA, type OidcProvider, startOidcProvider } from "../support/providers/oidc_provider.ts";

/** The groups claim of a real provider, in every form in which providers send one. */

/** What the provider says about someone, besides who they are, and where it says so. */
type Said = Partial<Record<"id_token" | "userinfo", Record<string, unknown>>>;

const MANY = Array.from({ length: 250 }, (_, number) => `many-${String(number).padStart(3, "0")}`);
const TOO_MANY = /"message":"a person is in more groups than can be".*"left":200/;
const NOTHING_SAID = /"message":"the provider has not said which groups a person is in"/;

let said: Said = {};
let idToken = "";
let provider!: OidcProvider;
const { app, url, [Symbol.asyncDispose]: close } = await serveTestApp(async (url) => {
  provider = await startOidcProvider({
    redirectUri: `${url}/auth/idp/callback`,
    dialect: {
      configuration: {
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
        conformIdTokenClaims: false,
        findAccount: (_ctx, sub) => ({
          accountId: sub,
          claims: (use) => ({ ...ADA, ...said[use === "id_token" ? use : "userinfo"] }),
        }),
      },
      adapt: (provider) =>
        provider.on("grant.success", ({ body }) => idToken = (body as { id_token: string }).id_token),
    },
  });
  const groups = MANY.map((name) => `${name}:${name}`).join(" ");
  return { ...provider.env, IDP_GROUPS: `6f1e:staff Wiki%20Editors:editors ${groups}` };
});
Deno.test.afterAll(async () => {
  await close();
  await provider[Symbol.asyncDispose]();
});
await prepareGroups(app.services);

/** Logs the same person in, and returns the groups that they are in then, and what was logged. */
async function logIn(now: Said): Promise<{ groups: string[]; log: string }> {
  said = now;
  app.logLines.length = 0;
  const visitor = createVisitor();
  const question = await visitor.follow(`${url}/auth/idp`);
  const body = new URLSearchParams({ sub: ADA.sub });
  strictEqual((await visitor.follow(question.url, { method: "POST", body })).url, `${url}/dashboard`);
  const { user } = await (await visitor.fetch(`${url}/api/profile`)).json();
  const groups = await groupNamesOf(app.services.db, { userId: user.id, now: app.services.now() });
  return { groups, log: app.logLines.join("\n") };
}

const inIdToken = (groups: unknown): Said => ({ id_token: { groups } });

Deno.test("a claim that changes between logins changes the groups, and one that is empty removes them", async () => {
  deepStrictEqual((await logIn(inIdToken(["6f1e", "Wiki Editors", "not mapped"]))).groups, ["editors", "staff"]);
  deepStrictEqual((await logIn(inIdToken(["6f1e"]))).groups, ["staff"]);
  deepStrictEqual((await logIn(inIdToken([]))).groups, []);
});

Deno.test("one text is a list of one, also in userinfo alone", async () => {
  deepStrictEqual((await logIn(inIdToken("Wiki Editors"))).groups, ["editors"]);
  deepStrictEqual((await logIn({ userinfo: { groups: "6f1e" } })).groups, ["staff"]);
});

Deno.test("a claim that is absent changes nothing, and is logged", async () => {
  await logIn(inIdToken(["6f1e"]));
  const { groups, log } = await logIn({});
  deepStrictEqual(groups, ["staff"]);
  match(log, NOTHING_SAID);
});

Deno.test("a claim that is stored elsewhere, because there are too many, counts as absent", async () => {
  await logIn(inIdToken(["6f1e"]));
  const elsewhere = {
    _claim_names: { groups: "src1" },
    _claim_sources: { src1: { endpoint: "https://graph.example/users/ada/getMemberObjects" } },
  };
  const { groups, log } = await logIn({ id_token: elsewhere, userinfo: elsewhere });
  deepStrictEqual(decodeJwt(idToken)._claim_names, elsewhere._claim_names);
  deepStrictEqual(groups, ["staff"]);
  match(log, NOTHING_SAID);
});

Deno.test("of 250 groups the first 50 by name count, and nobody is refused", async () => {
  const { groups, log } = await logIn(inIdToken(MANY.toReversed()));
  deepStrictEqual(groups, MANY.slice(0, 50));
  match(log, TOO_MANY);
  ok(!NOTHING_SAID.test(log));
});
