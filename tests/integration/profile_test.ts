import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { updateProfile } from "../../lib/accounts/profile.ts";
import { principalOf, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { BASE_URL, openSharedTestApp, openTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();

Deno.test("the profile shows its owner every field, and is hidden from others", async () => {
  const { client, id, email } = await registerUser(app, "owner@example.com");
  const response = await client.get("/api/profile");
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("Cache-Control"), "no-store");
  deepStrictEqual(await response.json(), {
    user: {
      id,
      email,
      name: "Ada Lovelace",
      bio: "",
      location: "",
      website: "",
      avatar: null,
      provider: "email",
      emailVerified: false,
      language: null,
      createdAt: Math.floor(app.services.now().getTime() / 1000),
    },
  });

  const anonymous = await app.client().get("/api/profile");
  strictEqual(anonymous.status, 401);
  strictEqual((await anonymous.json()).code, "UNAUTHENTICATED");
});

Deno.test("an omitted field keeps its value, and an empty text clears it", async () => {
  const { client } = await registerVerifiedUser(app, "editor@example.com");
  const full = {
    name: "Edith",
    bio: "one\r\ntwo\tthree",
    location: "Zürich",
    website: "https://example.com/a",
    avatar: "https://example.com/a.webp",
  };
  const put = await client.send("PUT", "/api/profile", full);
  strictEqual(put.status, 200);
  const { success, user } = await put.json();
  strictEqual(success, true);
  deepStrictEqual({ ...user, ...full, bio: "one\ntwo\tthree" }, user);

  const kept = await (await client.send("PUT", "/api/profile", { name: " Edda " })).json();
  deepStrictEqual(kept.user, { ...user, name: "Edda" });

  const cleared = await client.send("PUT", "/api/profile", { bio: "", location: "", website: "", avatar: "" });
  deepStrictEqual((await cleared.json()).user, {
    ...user,
    name: "Edda",
    bio: "",
    location: "",
    website: "",
    avatar: null,
  });
  strictEqual((await client.send("PUT", "/api/profile", {})).status, 200);
});

Deno.test("websites are http or https, avatars are https or stored files, and neither has credentials", async () => {
  const { client } = await registerVerifiedUser(app, "links@example.com");
  const cases: [field: string, value: string, status: number][] = [
    ["website", "http://example.com", 200],
    ["website", "https://example.com/?q=1#x", 200],
    ["website", "nowhere", 400],
    ["website", "javascript:1", 400],
    ["website", "mailto:ada@example.com", 400],
    ["website", "ada@example.com", 400],
    ["website", "/example.com", 400],
    ["website", "//example.com@evil.example", 400],
    ["website", " javascript:alert(1)", 400],
    ["website", "data:text/html,x", 400],
    ["website", "https://user:secret@example.com", 400],
    ["website", "https://user@example.com", 400],
    ["website", "https://:secret@example.com", 400],
    ["website", `https://example.com/${"x".repeat(2048 - 20)}`, 200],
    ["website", `https://example.com/${"x".repeat(2048 - 19)}`, 400],
    ["avatar", "https://example.com/a.png", 200],
    ["avatar", "http://example.com/a.png", 400],
    ["avatar", `${BASE_URL}/files/images/avatar/x.webp`, 200],
    ["avatar", `${BASE_URL}/files/../files/x.webp`, 200],
    ["avatar", `${BASE_URL}/files/private/u/x.webp`, 400],
    ["avatar", `${BASE_URL}/files/./private/u/x.webp?link=x`, 400],
    ["avatar", `${BASE_URL}/files/private/../images/avatar/x.webp`, 200],
    ["avatar", `${BASE_URL}/files/%70rivate/u/x.webp`, 400],
    ["avatar", `${BASE_URL}/auth/idp`, 400],
    ["avatar", `${BASE_URL}/`, 400],
    ["avatar", `${BASE_URL}/files`, 400],
    ["avatar", `${BASE_URL}/filesystem`, 400],
    ["avatar", `${BASE_URL}//files/x`, 400],
    ["avatar", `${BASE_URL}/files/../auth/idp`, 400],
    ["avatar", `${BASE_URL}/files/%2e%2e/auth/idp`, 400],
    ["avatar", `${BASE_URL}/files/.%2E/auth/idp`, 400],
    ["avatar", `${BASE_URL}/files/..%2fauth/idp`, 400],
    ["avatar", `${BASE_URL}/files/%252e%252e/auth/idp`, 400],
    ["avatar", `${BASE_URL}/files/..%5cauth/idp`, 400],
    ["avatar", `${BASE_URL}\\files\\..\\auth\\idp`, 400],
    ["avatar", `${BASE_URL.toUpperCase()}:80/auth/idp`, 400],
    ["avatar", "example.com/a.png", 400],
    ["avatar", "ftp://example.com/a.png", 400],
  ];
  for (const [field, value, status] of cases) {
    const response = await client.send("PUT", "/api/profile", { [field]: value });
    const body = await response.json();
    strictEqual(response.status, status, `${field} ${value.slice(0, 60)}`);
    if (status === 400) deepStrictEqual(Object.keys(body.details), [field]);
    else ok(body.user[field]);
  }
});

Deno.test("an avatar on our own https origin must be a stored file", async () => {
  await using secure = await openTestApp({ BASE_URL: "https://foyer.example" });
  const { client } = await registerVerifiedUser(secure, "secure@example.com");
  const cases = { "/auth/idp": 400, "/files/../auth/idp": 400, ":443/auth/idp": 400, "/files/x.webp": 200 };
  for (const [path, status] of Object.entries(cases)) {
    const response = await client.send("PUT", "/api/profile", { avatar: `https://foyer.example${path}` });
    strictEqual(response.status, status, path);
  }
});

Deno.test("a website without a scheme gets https", async () => {
  const { client } = await registerVerifiedUser(app, "schemeless@example.com");
  const cases = {
    "example.com": "https://example.com/",
    " Example.com/a?b#c\t": "https://example.com/a?b#c",
    "example.com:8080/x": "https://example.com:8080/x",
    "example.com/@ada:x": "https://example.com/@ada:x",
    "bücher.example": "https://xn--bcher-kva.example/",
    "http://localhost": "http://localhost/",
  };
  for (const [typed, stored] of Object.entries(cases)) {
    const { user } = await (await client.send("PUT", "/api/profile", { website: typed })).json();
    strictEqual(user.website, stored);
  }
  strictEqual((await client.submit("/profile", { website: "example.com/form" })).status, 303);
  strictEqual((await (await client.get("/api/profile")).json()).user.website, "https://example.com/form");
});

Deno.test("null clears the avatar", async () => {
  const { client } = await registerVerifiedUser(app, "null@example.com");
  await client.send("PUT", "/api/profile", { avatar: "https://example.com/a.webp" });
  const response = await client.send("PUT", "/api/profile", { avatar: null });
  strictEqual(response.status, 200);
  strictEqual((await response.json()).user.avatar, null);
  strictEqual((await client.send("PUT", "/api/profile", { website: null })).status, 400);
});

Deno.test("fields that users may not change are ignored", async () => {
  const { client, id, email } = await registerUser(app, "modest@example.com");
  const body = {
    id: "x",
    email: "other@example.com",
    emailVerified: true,
    provider: "idp",
    createdAt: 0,
    name: "Modest",
  };
  const { user } = await (await client.send("PUT", "/api/profile", body)).json();
  deepStrictEqual([user.id, user.email, user.emailVerified, user.provider], [id, email, false, "email"]);
  strictEqual(user.createdAt, Math.floor(app.services.now().getTime() / 1000));
});

Deno.test("saving the profile of a deleted user is refused as unauthenticated", async () => {
  const { client, id } = await registerUser(app, "leaving@example.com");
  const principal = await principalOf(app, client);
  await app.services.db.deleteFrom("users").where("id", "=", id).execute();
  await rejects(updateProfile(app.services, principal, { bio: "x" }), { code: "UNAUTHENTICATED" });
});

Deno.test("the entity tag of a profile changes with anything in it, and differs between users", async () => {
  const { client, id } = await registerVerifiedUser(app, "tagged@example.com");
  const other = await registerVerifiedUser(app, "tagged-too@example.com");
  const changes = [
    {},
    { name: "Tag" },
    { bio: "Words" },
    { location: "Paris" },
    { website: "https://example.com" },
    { avatar: "https://example.com/a.webp" },
  ];
  for (const path of ["/api/profile", `/api/users/${id}`]) {
    const seen = new Set([(await other.client.get(path.replace(id, other.id))).headers.get("ETag")]);
    for (const change of changes) {
      await client.send("PUT", "/api/profile", change);
      const { headers } = await client.get(path);
      const etag = headers.get("ETag")!;
      match(etag, /^"[\w-]{43}"$/);
      ok(!seen.has(etag), `${path} ${JSON.stringify(change)}`);
      seen.add(etag);
      for (const known of [etag, `"old", W/${etag}`, "*"]) {
        const response = await client.get(path, { "If-None-Match": known });
        strictEqual(response.status, 304, `${path} ${known}`);
        strictEqual(await response.text(), "");
        strictEqual(response.headers.get("ETag"), etag);
        strictEqual(response.headers.get("Cache-Control"), headers.get("Cache-Control"));
      }
      strictEqual((await client.get(path, { "If-None-Match": `"${id}"` })).status, 200);
    }
    await client.send("PUT", "/api/profile", { name: "Ada", bio: "", location: "", website: "", avatar: "" });
  }
});

Deno.test("with If-Match, only the named version of the user's own profile is changed", async () => {
  const { client } = await registerVerifiedUser(app, "versions@example.com");
  const other = await registerVerifiedUser(app, "other-versions@example.com");
  const put = (ifMatch: string, bio: string) => client.send("PUT", "/api/profile", { bio }, { "If-Match": ifMatch });
  const tagOf = async ({ get }: typeof client) => (await get("/api/profile")).headers.get("ETag")!;
  const first = await tagOf(client);
  const changed = await put(`"old", ${first}`, "First");
  strictEqual(changed.status, 200);
  strictEqual(changed.headers.get("ETag"), await tagOf(client));

  for (const wrong of [first, await tagOf(other.client), `W/${await tagOf(client)}`, "nonsense", ""]) {
    const refused = await put(wrong, "Lost");
    strictEqual(refused.status, 412, wrong);
    strictEqual((await refused.json()).code, "PRECONDITION_FAILED");
  }
  strictEqual((await (await client.get("/api/profile")).json()).user.bio, "First");
  strictEqual((await put("*", "Any")).status, 200);
});

Deno.test("of two simultaneous updates of one version, exactly one succeeds", async () => {
  const { client } = await registerVerifiedUser(app, "race@example.com");
  const principal = await principalOf(app, client);
  const results = await Promise.allSettled(
    ["One", "Two"].map((bio) => updateProfile(app.services, principal, { bio }, (user) => user.bio === "")),
  );
  deepStrictEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});
