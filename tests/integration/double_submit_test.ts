import { deepStrictEqual, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { Context } from "fresh";
import { AppError } from "../../lib/errors/errors.ts";
import { submitOnce } from "../../lib/web/idempotency/submit_once.ts";
import type { State } from "../../lib/web/state.ts";
import { mailedToken, mailsTo, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { quarters } from "../support/images/pictures.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp();
const { db } = app.services;
const NEW_PASSWORD = "Another-horse-8";
const PICTURE = new Uint8Array(await quarters().png().toBuffer());

/** The id that the page gave its form. */
async function formId(client: TestClient, path: string): Promise<string> {
  return (await readPage(client.get(path))).formWith(["form_id"]).hidden.form_id;
}

/** Submits the form of a page as a double click does: without waiting for the first response. */
async function doubleClick(client: TestClient, path: string, fields: Record<string, string | File>) {
  using _costs = app.useRealCosts();
  const form_id = await formId(client, path);
  const click = () => {
    const body = "file" in fields ? new FormData() : new URLSearchParams();
    for (const [name, value] of Object.entries({ ...fields, form_id })) body.set(name, value as string);
    return client.request(path.split("?")[0], { method: "POST", body });
  };
  const responses = await Promise.all([click(), click()]);
  const [first, second] = responses.map(({ status, headers }) => ({
    status,
    location: headers.get("Location"),
    cookies: headers.getSetCookie(),
  }));
  deepStrictEqual(first, second);
  return first;
}

Deno.test("the first click gets the response of the action itself, and the second one the same", async () => {
  const state = { services: app.services, sessionLookup: { isAsked: false } };
  const ctx = { url: new URL("http://foyer.test/"), state } as unknown as Context<State>;
  const fields = { form_id: crypto.randomUUID() };
  const response = new Response("the body", { status: 201, headers: { "X-Made": "once" } });
  const click = () => submitOnce(ctx, fields, () => Promise.resolve(response));
  strictEqual(await click(), response);
  const second = await click();
  deepStrictEqual([second.status, second.headers.get("X-Made"), await second.text()], [201, "once", "the body"]);
});

const sessionsOf = (userId: string) => db.selectFrom("sessions").selectAll().where("user_id", "=", userId).execute();
const countMails = async (email: string) => (await mailsTo(app, email)).length;

Deno.test("a double-clicked registration creates one user, one session and one email, and logs in", async () => {
  const [client, email] = [app.client(), "registered@example.com"];
  const { status, location } = await doubleClick(client, "/register", { name: "Ada", email, password: PASSWORD });
  deepStrictEqual([status, location], [303, "/dashboard"]);
  strictEqual((await client.get("/api/profile")).status, 200);
  const { id } = await db.selectFrom("users").selectAll().where("email", "=", email).executeTakeFirstOrThrow();
  strictEqual((await sessionsOf(id)).length, 1);
  strictEqual(await countMails(email), 1);
});

Deno.test("a double-clicked login opens one session and counts as one attempt", async () => {
  const { id, email } = await registerVerifiedUser(app, "login@example.com");
  await db.deleteFrom("sessions").where("user_id", "=", id).execute();
  const client = app.client();
  const attempts = async () =>
    (await db.selectFrom("rate_limits").selectAll().where("policy", "=", "login").orderBy("window_ends_at", "desc")
      .execute())[0].requests;
  const wrong = await doubleClick(client, "/login", { email, password: "Wrong-horse-77" });
  strictEqual(wrong.status, 401);
  strictEqual(await attempts(), 1);
  const { location } = await doubleClick(client, "/login", { email, password: PASSWORD });
  strictEqual(location, "/dashboard");
  strictEqual(await attempts(), 2);
  strictEqual((await sessionsOf(id)).length, 1);
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("a second click that carries the cookie of the first gets the same session", async () => {
  const { email } = await registerVerifiedUser(app, "redirected@example.com");
  const newcomer = { name: "Ada", email: "redirected-newcomer@example.com", password: PASSWORD };
  for (const [path, fields] of [["/register", newcomer], ["/login", { email, password: PASSWORD }]] as const) {
    const client = app.client();
    const form = { ...fields, form_id: await formId(client, path) };
    const [first, second] = [await client.submit(path, form), await client.submit(path, form)];
    deepStrictEqual([first.status, second.status], [303, 303], path);
    deepStrictEqual(second.headers.getSetCookie(), first.headers.getSetCookie());
  }
});

Deno.test("a second click on an invitation gets the same session", async () => {
  const { client: host } = await registerVerifiedUser(app, "host@example.com");
  const email = "double-guest@example.com";
  const response = await host.send("POST", "/api/users", { name: "Guest", email });
  const { data: { id } } = await response.json();
  const fields = { email, token: await mailedToken(app, email), password: PASSWORD };
  const path = `/reset-password?${new URLSearchParams({ invitation: "true", email, token: fields.token })}`;
  const client = app.client();
  const form = { ...fields, form_id: await formId(client, path) };
  const [first, second] = [await client.submit(path, form), await client.submit(path, form)];
  deepStrictEqual([first.status, first.headers.get("Location")], [303, "/dashboard"]);
  deepStrictEqual([second.status, second.headers.getSetCookie()], [303, first.headers.getSetCookie()]);
  strictEqual((await sessionsOf(id)).length, 1);
});

Deno.test("a login form that is submitted again after logging out logs in again", async () => {
  const { email } = await registerVerifiedUser(app, "again@example.com");
  const client = app.client();
  const login = { email, password: PASSWORD, form_id: await formId(client, "/login") };
  await client.submit("/login", login);
  const first = client.cookies.get("auth_session");
  await client.submit("/logout", {});
  strictEqual(client.cookies.get("auth_session"), undefined);
  await client.submit("/login", login);
  notStrictEqual(client.cookies.get("auth_session"), first);
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("two members who submit the same form id and content each change their own profile", async () => {
  const [ada, grace] = [
    await registerVerifiedUser(app, "ada@example.com"),
    await registerUser(app, "grace@example.com"),
  ];
  const profile = { name: "Same Name", location: "London", form_id: await formId(ada.client, "/profile") };
  for (const { client } of [ada, grace]) {
    strictEqual((await client.submit("/profile", profile)).status, 303);
    strictEqual((await (await client.get("/api/profile")).json()).user?.location, "London");
  }
});

Deno.test("a double-clicked password request sends one email, and its link sets the password once", async () => {
  const { id, email } = await registerVerifiedUser(app, "reset@example.com");
  const before = await countMails(email);
  await doubleClick(app.client(), "/forgot-password", { email });
  const token = await mailedToken(app, email);
  strictEqual(await countMails(email), before + 1);

  const path = `/reset-password?${new URLSearchParams({ email, token })}`;
  const { location } = await doubleClick(app.client(), path, { email, token, password: NEW_PASSWORD });
  strictEqual(location, "/dashboard");
  strictEqual((await sessionsOf(id)).length, 1);
  const other = await app.client().submit("/reset-password", { email, token, password: PASSWORD });
  strictEqual(other.status, 400, "the link has been used");
});

Deno.test("double-clicked forms confirm an address, resend its email and reject it once", async () => {
  const { email } = await registerUser(app, "confirm@example.com");
  const resent = `/verify-email?${new URLSearchParams({ email })}`;
  strictEqual((await doubleClick(app.client(), resent, { email, action: "resend" })).location, resent);
  const token = await mailedToken(app, email);
  strictEqual(await countMails(email), 2);
  const path = `/verify-email?${new URLSearchParams({ email, token })}`;
  strictEqual(
    (await doubleClick(app.client(), path, { email, token, action: "verify" })).location,
    "/login?email=confirm%40example.com",
  );

  const squatted = await registerUser(app, "squatted@example.com");
  const link = { email: squatted.email, token: await mailedToken(app, squatted.email) };
  const rejected = `/verify-email?${new URLSearchParams(link)}`;
  strictEqual((await doubleClick(app.client(), rejected, { ...link, action: "reject" })).location, "/");
});

Deno.test("double-clicked uploads store a file and a photo once and leave no temporary files", async () => {
  const { client, id } = await registerVerifiedUser(app, "files@example.com");
  const file = new File([PICTURE], "me.png", { type: "image/png" });
  const { location } = await doubleClick(client, "/uploads", { file });
  strictEqual(location, "/uploads");
  strictEqual((await storedFiles(`private/${id}`)).length, 1);
  const photos = await storedFiles("images/avatar");
  strictEqual((await doubleClick(client, "/profile", { file })).location, "/profile");
  strictEqual((await storedFiles("images/avatar")).length, photos.length + 1);
  deepStrictEqual(await storedFiles(".temporary"), []);
});

/** The names of the files in a folder of the store. */
async function storedFiles(folder: string): Promise<string[]> {
  const path = `${app.services.config.dataDir}/objects/${folder}`;
  return await Array.fromAsync(Deno.readDir(path), ({ name }) => name).catch(() => []);
}

Deno.test("a form with other content or another query, or after ten seconds, runs again", async () => {
  const { email } = await registerVerifiedUser(app, "rerun@example.com");
  const client = app.client();
  const form_id = await formId(client, "/forgot-password");
  const submit = async (fields: Record<string, string>, query = "") => {
    strictEqual((await client.submit(`/forgot-password${query}`, { ...fields, form_id })).status, 303);
    return await countMails(email);
  };
  const before = await countMails(email);
  strictEqual(await submit({ email }), before + 1);
  strictEqual(await submit({ email }), before + 1);
  strictEqual(await submit({ email, other: "content" }), before + 2);
  app.advance(9);
  strictEqual(await submit({ email }), before + 2);
  app.advance(1);
  strictEqual(await submit({ email }), before + 3);
  app.advance(3600);
  strictEqual(await submit({ email }), before + 4);
  strictEqual(await submit({ email }, "?other=address"), before + 5);
});

Deno.test("a failure on our side is not replayed: the same form runs again", async () => {
  const { email } = await registerVerifiedUser(app, "failing@example.com");
  const client = app.client();
  const fields = { email, form_id: await formId(client, "/forgot-password") };
  const { now } = app.services;
  const error = console.error;
  console.error = () => {};
  try {
    for (
      const failure of [
        new Error("out of order"),
        new AppError("UNAVAILABLE", { reason: "storage", retryAfterSeconds: 1 }),
      ]
    ) {
      app.services.now = () => {
        throw failure;
      };
      const status = failure instanceof AppError ? failure.status : 500;
      strictEqual((await client.submit("/forgot-password", fields)).status, status);
    }
  } finally {
    app.services.now = now;
    console.error = error;
  }
  strictEqual((await client.submit("/forgot-password", fields)).status, 303);
});

Deno.test("the stored record contains no secret and is not replayed to another client", async () => {
  const { email } = await registerVerifiedUser(app, "secret@example.com");
  const client = app.client();
  await doubleClick(client, "/login", { email, password: PASSWORD });
  const rows = JSON.stringify(await db.selectFrom("submissions").selectAll().execute());
  for (const secret of [client.cookies.get("auth_session")!, PASSWORD, email]) ok(!rows.includes(secret));

  const stranger = app.client();
  const other = { email, password: PASSWORD, form_id: await formId(stranger, "/login") };
  await stranger.submit("/login", other);
  const strangersSession = stranger.cookies.get("auth_session");
  ok(strangersSession !== undefined, "the stranger logs in");
  notStrictEqual(strangersSession, client.cookies.get("auth_session"));
});
