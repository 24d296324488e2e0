import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { z } from "zod";
import { MINUTE_SECONDS } from "../../lib/duration.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { createApp } from "../../lib/web/app.ts";
import { askForProof, submitWithProof } from "../../lib/web/pages/proof.ts";
import { requireRecentProof } from "../../lib/sign_in/proof.ts";
import { mailedCode, PASSWORD, registerVerifiedUser, registerWithoutPassword } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { BASE_URL, openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { addPasskey } from "../support/app/passkeys.ts";

const app = await openSharedTestApp();
const EXPIRED = 15 * MINUTE_SECONDS + 1;
const PAGE = "/reauthenticate?next=%2Fusers";
const METHODS = "/settings/sign-in-methods";

/** An app with a dangerous form, which returns the state of the form as JSON. */
const dangerous = createApp(app.services);
let acts = 0;
dangerous.get("/danger", async (ctx) => await askForProof(ctx) ?? new Response("the form"));
dangerous.post("/danger", async (ctx) => {
  const result = await submitWithProof(ctx, z.object({ email: z.email() }), async ({ email }, principal) => {
    await requireRecentProof(app.services, principal);
    acts++;
    return new Response(`done: ${email}`);
  });
  return result instanceof Response ? result : Response.json(result.data, { status: result.status });
});
const handle = dangerous.handler();

/** Sends a request to the app with the dangerous form, as the client's browser does. */
async function visit(client: TestClient, fields?: Record<string, string>): Promise<Response> {
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 }, completed: Promise.resolve() };
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const body = fields && new URLSearchParams(fields);
  const request = new Request(`${BASE_URL}/danger`, {
    method: body === undefined ? "GET" : "POST",
    body,
    headers: { cookie, Origin: BASE_URL },
  });
  return await handle(request, info as Deno.ServeHandlerInfo);
}

function renewedToken(response: Response): string | undefined {
  return response.headers.getSetCookie().join().match(/auth_session=([\w-]{43})/)?.[1];
}

Deno.test("a page asks for the proof before it shows a dangerous form", async () => {
  const { client } = await registerVerifiedUser(app, "asked@example.com");
  strictEqual(await (await visit(client)).text(), "the form");
  app.advance(EXPIRED);
  const response = await visit(client);
  deepStrictEqual([response.status, response.headers.get("Location")], [303, "/reauthenticate?next=%2Fdanger"]);
});

Deno.test("the proof page takes the password and redirects to `next`", async () => {
  const { client } = await registerVerifiedUser(app, "page@example.com");
  const page = await readPage(client.get(PAGE));
  strictEqual(page.heading, "Confirm it’s you");
  strictEqual(page.form().action, PAGE);
  strictEqual(page.field("proof_password").type, "password");

  const wrong = await client.submit(PAGE, { proof_password: "Wrong-horse-77" });
  strictEqual(wrong.status, 403);
  strictEqual((await readPage(wrong)).field("proof_password").error, "That’s not your current password.");
  const empty = await readPage(client.submit(PAGE, { proof_password: "" }));
  strictEqual(empty.field("proof_password").error, "Enter your current password.");

  const before = client.cookies.get("auth_session");
  const right = await client.submit(PAGE, { proof_password: PASSWORD });
  deepStrictEqual([right.status, right.headers.get("Location")], [303, "/users"]);
  ok(client.cookies.get("auth_session") !== before);
  const foreign = await client.submit("/reauthenticate?next=%2F%2Fevil.example", { proof_password: PASSWORD });
  strictEqual(foreign.headers.get("Location"), "/dashboard", "next is ours or nothing");
});

Deno.test("the proof page emails a code to an account without a password", async () => {
  const { client, email } = await registerWithoutPassword(app, "page-code@example.com");
  const html = await (await client.get(PAGE)).text();
  ok(!html.includes("proof_"), "no field before a code has been sent");
  match(html, /We’ll email a code to page-code@example\.com/);
  const sent = await client.submit(PAGE, { action: "send" });
  deepStrictEqual([sent.status, sent.headers.get("Location")], [303, "/reauthenticate?sent=true&next=%2Fusers"]);
  const form = await readPage(client.get(sent.headers.get("Location")!));
  match(form.text, /We’ve emailed a code to page-code@example\.com\./);
  strictEqual(form.field("proof_code").attribute("inputmode"), "numeric");
  deepStrictEqual(form.focused, ["proof_code"]);
  strictEqual(form.notice, null, "a notice would take the focus from the field");
  const mails = app.mails.length;
  const empty = await readPage(client.submit(PAGE, { proof_code: "" }));
  strictEqual(empty.field("proof_code").error, "Enter the code from our email.");
  await app.deliverMails();
  strictEqual(app.mails.length, mails + 1, "an empty field asks for no other code");
  const right = await client.submit(PAGE, { proof_code: await mailedCode(app, email) });
  strictEqual(right.headers.get("Location"), "/users");
});

Deno.test("without a session, the proof page redirects to the login page, with the way back", async () => {
  for (const response of [await app.client().get(PAGE), await app.client().submit(PAGE, { proof_password: "x" })]) {
    const next = "/login?next=%2Freauthenticate%3Fnext%3D%252Fusers";
    deepStrictEqual([response.status, response.headers.get("Location")], [303, next]);
  }
});

Deno.test("both clicks of a double click on the proof page get the new token", async () => {
  const { client } = await registerVerifiedUser(app, "twice-proved@example.com");
  const Cookie = `auth_session=${client.cookies.get("auth_session")}`;
  const body = new URLSearchParams({ proof_password: PASSWORD, form_id: crypto.randomUUID() });
  const clicks = Array.from({ length: 2 }, () => app.client());
  const responses = await Promise.all(
    clicks.map((click) => click.request(PAGE, { method: "POST", body, headers: { Origin: BASE_URL, Cookie } })),
  );
  deepStrictEqual(responses.map(({ headers }) => headers.get("Location")), ["/users", "/users"]);
  for (const click of clicks) strictEqual((await click.get("/api/profile")).status, 200);
});

Deno.test("with a recent proof, a dangerous form acts, and shows only its own errors", async () => {
  const { client } = await registerVerifiedUser(app, "recent@example.com");
  strictEqual(await (await visit(client, { email: "new@example.com" })).text(), "done: new@example.com");
  const { details, proof } = await (await visit(client, { email: "x" })).json();
  deepStrictEqual([Object.keys(details), proof], [["email"], null]);
});

Deno.test("a form whose proof has expired comes back with its values, and acts after the right password", async () => {
  const { client } = await registerVerifiedUser(app, "expired@example.com");
  app.advance(EXPIRED);
  const before = acts;
  const fields = { email: "new@example.com", newPassword: "typed-secret" };
  const proof = { methods: ["password"], place: { rpId: "foyer.test", elsewhere: null } };
  const expired = await visit(client, fields);
  strictEqual(expired.status, 403);
  const code = "REAUTHENTICATION_REQUIRED";
  const values = { email: "new@example.com" };
  deepStrictEqual(await expired.json(), {
    code,
    values,
    details: {},
    proof: { ...proof, step: "One more step: enter your current password." },
  });
  const wrong = await visit(client, { ...fields, proof_password: "Wrong-horse-77" });
  const { details, ...rest } = await wrong.json();
  deepStrictEqual(details, { proof_password: ["That’s not your current password."] });
  deepStrictEqual(rest, { code: "PROOF_WRONG", values, message: "There is a problem", proof });
  const invalid = await (await visit(client, { email: "x", proof_password: PASSWORD })).json();
  deepStrictEqual(invalid.proof, proof, "the form keeps the field while it is invalid");
  strictEqual(acts, before);

  const done = await visit(client, { ...fields, proof_password: PASSWORD });
  strictEqual(await done.text(), "done: new@example.com");
  client.cookies.set("auth_session", renewedToken(done)!);
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("a form whose proof has expired emails a code to an account without a password", async () => {
  const { client, email } = await registerWithoutPassword(app, "expired-code@example.com");
  app.advance(EXPIRED);
  const fields = { email: "new@example.com" };
  const { proof } = await (await visit(client, fields)).json();
  deepStrictEqual(proof.methods, ["code"]);
  match(proof.step, /we’ve just emailed you/);
  const done = await visit(client, { ...fields, proof_code: await mailedCode(app, email) });
  strictEqual(done.status, 200);
});

Deno.test("the new token also arrives when the action itself is refused", async () => {
  const { client } = await registerVerifiedUser(app, "refused@example.com");
  app.advance(EXPIRED);
  const failing = createApp(app.services);
  failing.post("/danger", async (ctx) => {
    const result = await submitWithProof(
      ctx,
      z.object({}),
      () => Promise.reject(new AppError("EMAIL_TAKEN", { field: "email" })),
    );
    return result instanceof Response ? result : Response.json(result.data, { status: result.status });
  });
  const request = new Request(`${BASE_URL}/danger`, {
    method: "POST",
    body: new URLSearchParams({ proof_password: PASSWORD }),
    headers: { cookie: `auth_session=${client.cookies.get("auth_session")}`, Origin: BASE_URL },
  });
  const info = { remoteAddr: { transport: "tcp", hostname: "127.0.0.1", port: 1 }, completed: Promise.resolve() };
  const response = await failing.handler()(request, info as Deno.ServeHandlerInfo);
  deepStrictEqual([response.status, (await response.json()).proof], [409, null]);
  client.cookies.set("auth_session", renewedToken(response)!);
  strictEqual((await client.get("/api/profile")).status, 200);
});

Deno.test("the proof page says what the proof is for, and leads back without it", async () => {
  const { client } = await registerVerifiedUser(app, "purpose@example.com");
  app.advance(EXPIRED);
  const cases: [page: string, purpose: string, cancelPath: string][] = [
    ["/settings/email", "Then you can change your email address.", "/profile"],
    [`${METHODS}/authenticator`, "Then you can set up an authenticator app.", METHODS],
    [`${METHODS}/authenticator/confirm`, "Then you can set up an authenticator app.", METHODS],
    [`${METHODS}/passkeys/add`, "Then you can add a passkey.", METHODS],
    ["/settings/tokens/new", "Then you can create an API token.", "/settings/tokens"],
    ["/settings/data/export", "Then you can download your data.", "/settings/data"],
    ["/close-account", "Then you can delete your account.", "/settings/data"],
  ];
  for (const [page, purpose, cancelPath] of cases) {
    const location = (await client.get(page)).headers.get("Location");
    strictEqual(location, `/reauthenticate?${new URLSearchParams({ next: page })}`);
    const proofPage = await readPage(client.get(location));
    deepStrictEqual([proofPage.heading, proofPage.lead], ["Confirm it’s you", purpose]);
    strictEqual(proofPage.link("Cancel").href, cancelPath, page);
    strictEqual((await client.get(cancelPath)).status, 200, "the way back needs no proof");
  }
});

Deno.test("the proof page names no purpose of a page that it does not know", async () => {
  const { client } = await registerVerifiedUser(app, "no-purpose@example.com");
  for (const path of ["/reauthenticate", "/reauthenticate?next=%2Fusers"]) {
    const page = await readPage(client.get(path));
    strictEqual(page.lead, "Then you can continue.");
    strictEqual(page.link("Cancel").href, "/dashboard");
  }
});

Deno.test("the proof page says for whom, and its password field has its button directly below", async () => {
  const { client } = await registerVerifiedUser(app, "whose@example.com", "Ada Lovelace");
  const page = await readPage(client.get("/reauthenticate?next=%2Fsettings%2Femail"));
  strictEqual(page.find("main [data-initials]")?.getAttribute("data-initials"), "AL");
  match(page.text, /Ada Lovelace whose@example\.com/);
  const { value, attribute } = page.field("username");
  deepStrictEqual([value, attribute("autocomplete")], ["whose@example.com", "username"]);
  ok(attribute("hidden") !== null);
  deepStrictEqual(page.focused, ["proof_password"]);
  ok(page.find('main .field:has(#proof_password) + button[type="submit"]'));
  strictEqual(
    page.link("Forgot your password?").href,
    "/forgot-password?email=whose%40example.com&next=%2Fsettings%2Femail",
  );
});

Deno.test("the proof page offers a passkey before the password", async () => {
  const { client } = await registerVerifiedUser(app, "passkey-first@example.com");
  await addPasskey(client);
  const page = await readPage(client.get("/reauthenticate"));
  const parts = page.findAll("main :is(button:not([aria-label]), .or, #proof_password)");
  const names = parts.map((part) => part.tagName === "INPUT" ? part.id : part.textContent);
  deepStrictEqual(names, ["Use a passkey", "or", "proof_password", "Continue"]);
});
