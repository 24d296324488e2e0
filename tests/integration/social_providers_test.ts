import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import { startFakeSocial } from "../support/providers/fake_social.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { consentScreen, envOf, signInAt } from "../support/providers/idp.ts";

const social = startFakeSocial();
const slack = await startFalseProvider();
Deno.test.afterAll(async () => {
  for (const provider of [social, slack]) await provider[Symbol.asyncDispose]();
});
const ENV = {
  IDP_PROVIDERS: "discord facebook linkedin x slack",
  LOGIN_MAX_ATTEMPTS: "0",
  ...social.env,
  ...envOf("slack", slack.env),
};
const app = await openSharedTestApp(ENV);

async function signInWith(key: string, profile: Record<string, unknown>, client = app.client()) {
  social.profile = profile;
  slack.userinfo = profile;
  const { consent } = key === "slack" ? slack : social;
  return (await signInAt(key, { client, consent })).headers.get("Location");
}

/** What people get from a profile, or why they are refused. */
type Expected = { email: string; name: string; avatar: string | null } | string;

const EMAIL_REFUSED = (key: string) => `/login?error=idp_email&provider=${key}`;
const CDN = "https://cdn.discordapp.com/avatars";

const CASES: [what: string, key: string, profile: Record<string, unknown>, expected: Expected][] = [
  [
    "Discord's confirmed address, name and photo",
    "discord",
    {
      id: "80351110224678912",
      username: "nelly",
      global_name: "Nelly",
      avatar: "8342",
      email: "n@d.example",
      verified: true,
    },
    { email: "n@d.example", name: "Nelly", avatar: `${CDN}/80351110224678912/8342.png` },
  ],
  [
    "the user name at Discord, of someone without a name and a photo",
    "discord",
    { id: "2", username: "ben", global_name: null, avatar: null, email: "b@d.example", verified: true },
    { email: "b@d.example", name: "ben", avatar: null },
  ],
  [
    "no unconfirmed address of Discord",
    "discord",
    { id: "3", username: "c", email: "c@d.example", verified: false },
    EMAIL_REFUSED("discord"),
  ],
  [
    "nobody at Discord without an address",
    "discord",
    { id: "4", username: "d", email: null, verified: false },
    EMAIL_REFUSED("discord"),
  ],
  [
    "nobody whose field at Discord claims what Discord does not say",
    "discord",
    { id: "5", username: "e", email: "e@d.example", email_verified: true },
    EMAIL_REFUSED("discord"),
  ],
  [
    "no address of Facebook, which does not say whether it is confirmed",
    "facebook",
    { id: "10", name: "Fay", email: "fay@f.example" },
    EMAIL_REFUSED("facebook"),
  ],
  ["nobody at Facebook with a phone number only", "facebook", { id: "11", name: "Gus" }, EMAIL_REFUSED("facebook")],
  [
    "LinkedIn's confirmed address, without PKCE",
    "linkedin",
    { sub: "782bbtaQ", name: "Li", email: "li@l.example", email_verified: true, picture: "https://media.example/li" },
    { email: "li@l.example", name: "Li", avatar: "https://media.example/li" },
  ],
  [
    "no unconfirmed address of LinkedIn",
    "linkedin",
    { sub: "2", name: "Lo", email: "lo@l.example", email_verified: false },
    EMAIL_REFUSED("linkedin"),
  ],
  [
    "the address that X has confirmed, within its envelope",
    "x",
    { data: { id: "2244994945", name: "Xe", username: "xe", confirmed_email: "xe@x.example", verified: false } },
    { email: "xe@x.example", name: "Xe", avatar: null },
  ],
  [
    "nobody at X without a confirmed address",
    "x",
    { data: { id: "20", name: "Xi", username: "xi" }, email: "xi@x.example", email_verified: true },
    EMAIL_REFUSED("x"),
  ],
  ["nobody without an id", "x", { errors: [{ title: "Not Found" }] }, "/login?error=idp_failed&provider=x"],
  [
    "Slack's confirmed address",
    "slack",
    {
      ok: true,
      sub: "U0R7JM",
      "https://slack.com/user_id": "U0R7JM",
      email: "s@s.example",
      email_verified: true,
      date_email_verified: 1622128723,
      name: "Sly",
    },
    { email: "s@s.example", name: "Sly", avatar: null },
  ],
  [
    "no unconfirmed address of Slack",
    "slack",
    { ok: true, sub: "U2", email: "s2@s.example", email_verified: false, name: "Sal" },
    EMAIL_REFUSED("slack"),
  ],
];

for (const [what, key, profile, expected] of CASES) {
  Deno.test(`a login takes ${what}`, async () => {
    const client = app.client();
    const location = await signInWith(key, profile, client);
    if (typeof expected === "string") {
      strictEqual(location, expected);
      ok(!client.cookies.has("auth_session"));
      return;
    }
    strictEqual(location, "/dashboard");
    const { user: { email, name, avatar } } = await (await client.get("/api/profile")).json();
    deepStrictEqual({ email, name, avatar }, expected);
    strictEqual(await signInWith(key, profile), "/dashboard", "and again");
    const { subject } = await app.services.db.selectFrom("identities").select("subject").where("provider", "=", key)
      .where("subject", "like", `% ${profile.id ?? profile.sub ?? Object(profile.data).id}`).executeTakeFirstOrThrow();
    ok(!subject.includes("?"), "the query of userinfo may change");
  });
}

Deno.test("IDP_FACEBOOK_TRUST_EMAIL accepts Facebook's addresses, with the photo", async () => {
  await using trusting = await openTestApp({ ...ENV, IDP_FACEBOOK_TRUST_EMAIL: "true" });
  const client = trusting.client();
  const picture = { data: { height: 512, is_silhouette: false, url: "https://lookaside.example/fay", width: 512 } };
  const profile = { id: "10", name: "Fay", email: "fay@f.example", picture };
  strictEqual(await signInWith("facebook", profile, client), "/dashboard");
  const { user } = await (await client.get("/api/profile")).json();
  deepStrictEqual([user.email, user.name, user.avatar], ["fay@f.example", "Fay", picture.data.url]);
});

Deno.test("an unconfirmed address at a provider leads into nobody's account", async () => {
  const { email } = await registerVerifiedUser(app, "owned@d.example");
  const client = app.client();
  const profile = { id: "99", username: "thief", email, verified: false };
  strictEqual(await signInWith("discord", profile, client), EMAIL_REFUSED("discord"));
  strictEqual((await client.get("/api/profile")).status, 401);
});

Deno.test("the consent screens of the presets get the scopes that the providers know", async () => {
  const asked = async (key: string) => {
    const { searchParams } = new URL(await consentScreen(app.client(), `/auth/idp/${key}`));
    return [searchParams.get("scope"), searchParams.has("code_challenge"), searchParams.has("nonce")];
  };
  deepStrictEqual(await asked("discord"), ["identify email", true, false]);
  deepStrictEqual(await asked("facebook"), ["public_profile email", true, false]);
  deepStrictEqual(await asked("linkedin"), ["openid email profile", false, false]);
  deepStrictEqual(await asked("x"), ["users.read tweet.read users.email", true, false]);
  deepStrictEqual(await asked("slack"), ["openid email profile", true, true]);
});
