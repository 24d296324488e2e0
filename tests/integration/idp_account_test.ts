import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { signInWithIdp } from "../../lib/sign_in/providers/idp_login.ts";
import { logIn, mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { consentScreen, signedIn, signIn } from "../support/providers/idp.ts";
import { SOME_CLIENT } from "../support/app/some_client.ts";
import { BASE_URL, openSharedTestApp, openTestApp } from "../support/app/test_app.ts";
import { isStored, later, openUploader, sweepAllUploads } from "../support/uploads/upload_world.ts";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp(provider.env);
const { db } = app.services;

function person(sub: string, more: Record<string, unknown> = {}) {
  return { sub, email: `${sub}@example.com`, email_verified: true, name: `Person ${sub}`, ...more };
}

async function rowOf(email: string) {
  return await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirst();
}

Deno.test("a new person gets a verified account without a password, and a session", async () => {
  const client = app.client();
  const picture = "https://pictures.example/new.png";
  const response = await signIn(app, provider, person("new", { picture, email: " NEW@Example.com" }), client);

  strictEqual(response.status, 302);
  strictEqual(response.headers.get("Location"), "/dashboard");
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  const { user } = await (await client.get("/api/profile")).json();
  deepStrictEqual({ ...user, id: "", createdAt: 0 }, {
    id: "",
    email: "new@example.com",
    name: "Person new",
    bio: "",
    location: "",
    website: "",
    avatar: picture,
    provider: "idp",
    emailVerified: true,
    language: null,
    createdAt: 0,
  });
  const row = await rowOf("new@example.com");
  strictEqual(row?.password_hash, null);
  strictEqual(row?.idp_id, `${provider.issuer} new`);
  const login = await logIn(client, "new@example.com");
  strictEqual(login.status, 401);
});

Deno.test("a known person is found by subject, and their account does not change", async () => {
  const { user, client } = await signedIn(app, provider, person("known"));
  await client.send("PUT", "/api/profile", { name: "As I like it" });
  const changed = { email: "moved@example.com", name: "Other", picture: "https://pictures.example/other.png" };
  const again = await signedIn(app, provider, person("known", changed));
  deepStrictEqual(again.user, { ...user, name: "As I like it" });
  strictEqual(await rowOf("moved@example.com"), undefined);
});

Deno.test("a known subject with another user's address signs in to its own account", async () => {
  const { id } = await registerVerifiedUser(app, "somebody-else@example.com");
  const { user } = await signedIn(app, provider, person("changing"));
  const again = await signedIn(app, provider, person("changing", { email: "somebody-else@example.com" }));
  strictEqual(again.user.id, user.id);
  notStrictEqual(again.user.id, id);
  strictEqual((await rowOf("somebody-else@example.com"))?.idp_id, null);
});

Deno.test("a verified account with the address is linked and keeps its password, profile and sessions", async () => {
  const { id, email, client } = await registerVerifiedUser(app, "verified@example.com", "Own Name");
  await client.send("PUT", "/api/profile", { bio: "Mine" });
  const { user } = await signedIn(app, provider, person("verified", { picture: "https://pictures.example/v.png" }));
  strictEqual(user.id, id);
  deepStrictEqual([user.name, user.bio, user.provider, user.avatar], [
    "Own Name",
    "Mine",
    "idp",
    "https://pictures.example/v.png",
  ]);
  strictEqual((await client.get("/api/profile")).status, 200);
  strictEqual((await logIn(app.client(), email)).status, 200);

  const withAvatar = await registerVerifiedUser(app, "pictured@example.com");
  await withAvatar.client.send("PUT", "/api/profile", { avatar: "https://own.example/a.png" });
  const linked = await signedIn(app, provider, person("pictured", { picture: "https://pictures.example/p.png" }));
  strictEqual(linked.user.avatar, "https://own.example/a.png");
});

Deno.test("a sign-in to an unverified account deletes the files of its registrant, and a reset does too", async () => {
  const takeOver = {
    signIn: (email: string) => signedIn(app, provider, person(email.split("@")[0])),
    async reset(email: string) {
      await mailedToken(app, email); // emails that are due together arrive in any order
      await app.client().send("POST", "/auth/forgot-password", { email });
      const token = await mailedToken(app, email);
      const response = await app.client().send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
      strictEqual(response.status, 200);
    },
  };
  for (const [way, act] of Object.entries(takeOver)) {
    const squatter = await openUploader(app);
    const [photo, file, coming] = [await squatter.image(), await squatter.store(), await squatter.presign()];
    strictEqual((await squatter.client.send("PUT", "/api/profile", { avatar: photo.url })).status, 200);
    await act(squatter.email);
    strictEqual(await squatter.put(coming, "later"), 403, way);
    await sweepAllUploads(later(app.services, DAY_SECONDS));
    for (const { key } of [photo, file, coming]) strictEqual(await isStored(app.services, key), false, way);
    deepStrictEqual(
      await db.selectFrom("uploads").selectAll().where("id", "in", [photo.id, file.id, coming.id])
        .where("user_id", "is not", null).execute(),
      [],
      way,
    );
  }
});

Deno.test("a sign-in to an unverified account removes all that its registrant entered", async () => {
  const squatter = await registerUser(app, "victim@example.com", "Squatter");
  const verificationToken = await mailedToken(app, squatter.email);
  await squatter.client.send("PUT", "/api/profile", {
    bio: "Buy this",
    location: "Elsewhere",
    website: "https://evil.example/",
    avatar: "https://evil.example/a.png",
  });
  await app.client().send("POST", "/auth/forgot-password", { email: squatter.email });
  const resetToken = await mailedToken(app, squatter.email);
  await app.client().send("POST", "/auth/resend-verification", { email: squatter.email });

  const { user } = await signedIn(app, provider, person("victim"));
  strictEqual(user.id, squatter.id);
  deepStrictEqual([user.name, user.bio, user.location, user.website, user.avatar, user.emailVerified], [
    "Person victim",
    "",
    "",
    "",
    null,
    true,
  ]);
  strictEqual((await rowOf(squatter.email))?.password_hash, null);
  strictEqual((await squatter.client.get("/api/profile")).status, 401);
  const email = squatter.email;
  const attempts: [path: string, body: Record<string, string>, status: number][] = [
    ["/auth/login", { email, password: PASSWORD }, 401],
    ["/auth/verify-email", { email, token: verificationToken }, 400],
    ["/auth/reset-password", { email, token: resetToken, password: PASSWORD }, 400],
  ];
  for (const [path, body, status] of attempts) {
    strictEqual((await squatter.client.send("POST", path, body)).status, status, path);
  }
  strictEqual(await app.deliverMails(), 0, "emails with void links are not sent");
});

Deno.test("an address that the provider does not confirm creates and changes no account", async () => {
  await registerUser(app, "unconfirmed@example.com", "Unverified");
  const before = await db.selectFrom("users").selectAll().orderBy("id").execute();
  const cases = [
    { email_verified: false },
    { email_verified: undefined },
    { email_verified: "false" },
    { email: undefined },
    { email: "no address" },
    { email: ["unconfirmed@example.com"] },
  ];
  for (const unconfirmed of cases) {
    const response = await signIn(app, provider, person("unconfirmed", unconfirmed));
    strictEqual(response.status, 302);
    strictEqual(response.headers.get("Location"), "/login?error=idp_email", JSON.stringify(unconfirmed));
    ok(!response.headers.getSetCookie().some((line) => line.startsWith("auth_session=")));
  }
  deepStrictEqual(await db.selectFrom("users").selectAll().orderBy("id").execute(), before);
});

Deno.test("a plain OAuth provider links an account with a password only if the address is confirmed", async () => {
  const silent = {};
  const others = [{ verified: true }, { verified_email: true }, { email_verified: "true" }];
  const denials = [{ verified: false }, { verified_email: false }, { email_verified: false }, { verified: "false" }];
  const cases: [env: Record<string, string>, refused: Record<string, unknown>[], accepted: Record<string, unknown>][] =
    [
      [provider.plainEnv, [silent, ...others, ...denials], { email_verified: true }],
      [{ ...provider.plainEnv, IDP_TRUST_EMAIL: "true" }, denials, silent],
    ];
  for (const [env, refused, accepted] of cases) {
    await using plain = await openTestApp(env);
    const { id, email } = await registerVerifiedUser(plain, "owner@example.com");
    const rows = () => plain.services.db.selectFrom("users").selectAll().execute();
    const before = await rows();
    for (const claims of refused) {
      const client = plain.client();
      const response = await signIn(plain, provider, { id: "attacker", email, ...claims }, client);
      strictEqual(response.headers.get("Location"), "/login?error=idp_email", JSON.stringify(claims));
      ok(!client.cookies.has("auth_session"));
    }
    deepStrictEqual(await rows(), before);
    strictEqual((await signedIn(plain, provider, { id: "owner", email, ...accepted })).user.id, id);
  }
});

Deno.test("IDP_TRUST_EMAIL confirms addresses without a claim, and does not override a claim", async () => {
  await using trusting = await openTestApp({ ...provider.env, IDP_TRUST_EMAIL: "true" });
  const denied = await signIn(trusting, provider, person("denied", { email_verified: false }));
  strictEqual(denied.headers.get("Location"), "/login?error=idp_email");
  const { user } = await signedIn(trusting, provider, person("silent", { email_verified: undefined }));
  deepStrictEqual([user.email, user.emailVerified], ["silent@example.com", true]);
});

Deno.test("a second subject with the address of an account does not take it over", async () => {
  const { user } = await signedIn(app, provider, person("first"));
  const response = await signIn(app, provider, person("second", { email: "first@example.com" }));
  strictEqual(response.headers.get("Location"), "/login?error=idp_email");
  deepStrictEqual((await signedIn(app, provider, person("first"))).user, user);
});

Deno.test("concurrent callbacks of one person create one account", async () => {
  for (const prepare of [() => Promise.resolve(), () => registerUser(app, "crowd-linked@example.com")]) {
    const linked = await prepare();
    const sub = linked ? "crowd-linked" : "crowd";
    provider.userinfo = person(sub);
    const clients = Array.from({ length: 8 }, () => app.client());
    const callbacks = await Promise.all(clients.map(async (client) => provider.consent(await consentScreen(client))));
    const responses = await Promise.all(
      clients.map((client, i) => client.get(callbacks[i].pathname + callbacks[i].search)),
    );
    deepStrictEqual(new Set(responses.map(({ headers }) => headers.get("Location"))), new Set(["/dashboard"]));
    const rows = await db.selectFrom("users").selectAll().where("idp_id", "=", `${provider.issuer} ${sub}`).execute();
    strictEqual(rows.length, 1);
    if (linked) strictEqual(rows[0].id, linked.id);
    for (const client of clients) strictEqual((await client.get("/api/profile")).status, 200);
  }
});

Deno.test("concurrent sign-ins of one subject with the addresses of many accounts link exactly one", async () => {
  const emails = Array.from({ length: 8 }, (_, i) => `many-${i}@example.com`);
  for (const email of emails) await registerVerifiedUser(app, email);
  const identity = {
    provider: "default",
    subject: "many",
    emailVerified: true,
    name: null,
    picture: null,
    groups: null,
  };
  const signedIn = await Promise.all(
    emails.map((email) => signInWithIdp(app.services, { ...identity, email }, SOME_CLIENT)),
  );
  strictEqual(new Set(signedIn.map(({ user }) => user.id)).size, 1);
});

Deno.test("of concurrent sign-ins of many subjects with the address of one account, exactly one is linked", async () => {
  const { email } = await registerVerifiedUser(app, "wanted@example.com");
  const identity = { provider: "default", email, emailVerified: true, name: null, picture: null, groups: null };
  const subjects = Array.from({ length: 8 }, (_, i) => `wanting-${i}`);
  const signIns = subjects.map((subject) => signInWithIdp(app.services, { ...identity, subject }, SOME_CLIENT));
  const outcomes = (await Promise.allSettled(signIns)).map(({ status }) => status);
  deepStrictEqual(outcomes.toSorted(), ["fulfilled", ...Array(7).fill("rejected")]);
  strictEqual((await rowOf(email))?.idp_id, subjects[outcomes.indexOf("fulfilled")]);
});

Deno.test("a sign-in ends every session that the callback presents", async () => {
  const { client } = await registerVerifiedUser(app, "rotating@example.com");
  const other = await registerVerifiedUser(app, "rotating-too@example.com");
  const before = client.cookies.get("auth_session")!;
  client.cookies.delete("auth_session");
  provider.userinfo = person("rotating");
  const { pathname, search } = provider.consent(await consentScreen(client));
  client.cookies.set("auth_session", before);
  // The client stores one cookie per name, so the second session is sent inside the value of another cookie.
  client.cookies.set("", `; auth_session=${other.client.cookies.get("auth_session")}`);
  const response = await client.get(pathname + search);
  match(
    response.headers.getSetCookie().at(0)!,
    /^auth_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  notStrictEqual(client.cookies.get("auth_session"), before);
  strictEqual((await app.client().get("/api/profile", { Cookie: `auth_session=${before}` })).status, 401);
  strictEqual((await other.client.get("/api/profile")).status, 401);
});

Deno.test("a picture at our own origin becomes an avatar only if it is a stored file", async () => {
  for (const [index, [path, isAllowed]] of ([["/auth/idp", false], ["/files/x.webp", true]] as const).entries()) {
    const picture = `${BASE_URL}${path}`;
    const email = `own-origin-${index}@example.com`;
    const identity = {
      provider: "default",
      subject: email,
      email,
      emailVerified: true,
      name: null,
      picture,
      groups: null,
    };
    const { user } = await signInWithIdp(app.services, identity, SOME_CLIENT);
    strictEqual(user.avatar, isAllowed ? picture : null);
  }
});
