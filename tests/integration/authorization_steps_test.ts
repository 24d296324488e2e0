import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { logIn, mailedPath, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { client, connect, exchange, NOTES, openAuthorizationApp, tokensIn } from "../support/app/authorization.ts";
import { answerTo, authorizePath, codeIn, movedAnswer, openPage, press } from "../support/app/authorize_page.ts";
import { html, submit } from "../support/app/page_forms.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import type { TestClient } from "../support/app/test_client.ts";

/** Each check that comes before a code: the page that it leads to, the way back, and the error without pages. */

const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0" }, [
  client("open", { require_verified_email: false }),
]);
const MINUTE = 60;

/** Returns the error that an app gets that allows no page. */
async function silentError(person: TestClient, clientId: string, changes: Record<string, string> = {}) {
  const answer = answerTo(await person.get(authorizePath(clientId, { ...changes, prompt: "none" })));
  deepStrictEqual([answer.state, answer.iss], ["s1", app.services.config.baseUrl]);
  return answer.error;
}

/** Returns the page that a request leads to, without its `next`, and the `next`. */
async function ledTo(person: TestClient, path: string): Promise<[page: string, next: string]> {
  const response = await person.get(path);
  strictEqual(response.status, 303, await response.text());
  const url = new URL(response.headers.get("Location")!, "http://x");
  const next = url.searchParams.get("next") ?? "";
  url.searchParams.delete("next");
  return [url.pathname + url.search, next];
}

/** Agrees to what an app asks for, so that only other steps remain. */
async function agree(person: TestClient, clientId: string, changes: Record<string, string> = {}): Promise<void> {
  const page = await openPage(person, authorizePath(clientId, changes));
  codeIn(await movedAnswer(await press(app, person, page, "allow")), clientId);
}

/** Proves with the password, and returns where that leads. */
async function prove(person: TestClient, next: string): Promise<string> {
  const page = `/reauthenticate?${new URLSearchParams({ next })}`;
  return await submit(person, await html(person, page), { proof_password: PASSWORD, action: "prove" });
}

Deno.test("without a session: the login, with the address of login_hint, or the registration with prompt=create", async () => {
  const guest = app.client();
  strictEqual(await silentError(guest, "portal"), "login_required");
  deepStrictEqual((await ledTo(guest, authorizePath("portal")))[0], "/login");
  const hinted = await ledTo(guest, authorizePath("portal", { login_hint: "ada@example.com" }));
  deepStrictEqual(hinted[0], "/login?email=ada%40example.com");
  deepStrictEqual((await ledTo(guest, authorizePath("portal", { login_hint: "<b>" })))[0], "/login");
  deepStrictEqual((await ledTo(guest, authorizePath("portal", { prompt: "create" })))[0], "/register");
});

Deno.test("a registration and the confirmation of the address lead to the app", async () => {
  const guest = app.client();
  const email = "created@example.com";
  const [, next] = await ledTo(guest, authorizePath("portal", { prompt: "create" }));
  const register = `/register?${new URLSearchParams({ next })}`;
  const back = await submit(guest, await html(guest, register), { name: "Ada", email, password: PASSWORD });
  const [page] = await ledTo(guest, back);
  strictEqual(page, "/verify-email?email=created%40example.com");
  const link = await mailedPath(app, email);
  const fields = Object.fromEntries(new URLSearchParams(link.split("?")[1]));
  const confirmed = await submit(guest, await html(guest, link), { ...fields, action: "verify" });
  codeIn(answerTo(await guest.get(confirmed)), "portal");
});

Deno.test("someone with an unconfirmed address confirms it first, unless the app does not mind", async () => {
  const { client: person } = await registerUser(app, "unconfirmed@example.com");
  strictEqual(await silentError(person, "portal"), "interaction_required");
  deepStrictEqual((await ledTo(person, authorizePath("portal")))[0], "/verify-email?email=unconfirmed%40example.com");
  match(await openPage(person, authorizePath("open")), /Log in to The open\?/);
});

Deno.test("someone whose account is closing can keep it, and then continues", async () => {
  const { client: person, email } = await registerVerifiedUser(app, "closing@example.com");
  await agree(person, "wiki");
  strictEqual((await person.request("/api/account", { method: "DELETE" })).status, 202);
  strictEqual((await logIn(person, email)).status, 200);
  strictEqual(await silentError(person, "wiki"), "interaction_required");
  const [page, next] = await ledTo(person, authorizePath("wiki"));
  strictEqual(page, "/keep-account");
  const keep = `/keep-account?${new URLSearchParams({ next })}`;
  codeIn(answerTo(await person.get(await submit(person, await html(person, keep), {}))), "wiki");
});

Deno.test("an ID token of someone else asks for the account; one that is not valid, or another app's, is ignored", async () => {
  const { client: ada } = await registerVerifiedUser(app, "hint-ada@example.com");
  const { client: bob } = await registerVerifiedUser(app, "hint-bob@example.com");
  const { id_token, access_token } = await connect(app, bob, "wiki");
  await agree(ada, "wiki");
  const hint = { id_token_hint: id_token };
  strictEqual(await silentError(ada, "wiki", hint), "login_required");
  match(await openPage(ada, authorizePath("wiki", hint)), /Choose an account/);
  codeIn(answerTo(await bob.get(authorizePath("wiki", { ...hint, prompt: "none" }))), "wiki");
  const [header, payload, signature] = id_token.split(".");
  const forged = `${header}.${
    btoa(JSON.stringify({ ...decodeJwt(id_token), sub: "x" })).replaceAll(/[+/=]/g, "")
  }.${signature}`;
  const { id_token: ofPortal } = await connect(app, bob, "portal");
  for (const ignored of ["x", forged, `${header}.${payload}.`, access_token, ofPortal]) {
    codeIn(answerTo(await ada.get(authorizePath("wiki", { id_token_hint: ignored, prompt: "none" }))), "wiki");
  }
  app.advance(2 * 3600);
  strictEqual(await silentError(ada, "wiki", hint), "login_required", "an expired hint still says who is meant");
});

Deno.test("prompt=select_account asks once: to go on as this person, or to use another account", async () => {
  const { client: person, email } = await registerVerifiedUser(app, "choice@example.com");
  const { email: other } = await registerVerifiedUser(app, "choice-other@example.com");
  await agree(person, "wiki");
  const path = authorizePath("wiki", { prompt: "select_account" });
  const page = await openPage(person, path);
  match(page, /Continue as Ada Lovelace/);
  match(page, new RegExp(email));
  const on = await press(app, person, page, "continue");
  strictEqual(on.status, 303);
  codeIn(answerTo(await person.get(on.headers.get("Location")!)), "wiki");

  const stale = await openPage(person, path);
  const session = person.cookies.get("auth_session")!;
  const login = (await press(app, person, stale, "other")).headers.get("Location")!;
  match(login, /^\/login\?prompt=select_account&next=/);
  const thief = app.client();
  thief.cookies.set("auth_session", session);
  strictEqual((await thief.get("/auth/check")).status, 401, "the session has ended");
  const back = await submit(person, await html(person, login), { email: other, password: PASSWORD });
  match(
    await openPage(person, back),
    /Log in to The wiki\?/,
    "the other person has not agreed, and is not asked again who they are",
  );
  // The mark of the first person does not choose for the second one.
  match(await openPage(person, on.headers.get("Location")!), /Choose an account/);
});

Deno.test("prompt=login and max_age ask for a new proof, once", async () => {
  const { client: person } = await registerVerifiedUser(app, "proof@example.com");
  await agree(person, "wiki");
  app.advance(2 * MINUTE);
  const cases: [changes: Record<string, string>, asks: boolean][] = [
    [{ prompt: "login" }, true],
    [{ max_age: "0" }, true],
    [{ max_age: "119" }, true],
    [{ max_age: "120" }, false],
    [{ max_age: "999999999999999" }, false],
  ];
  for (const [changes, asks] of cases) {
    const response = await person.get(authorizePath("wiki", changes));
    const isAsked = response.headers.get("Location")!.startsWith("/reauthenticate?");
    strictEqual(isAsked, asks, JSON.stringify(changes));
  }
  strictEqual(await silentError(person, "wiki", { max_age: "119" }), "login_required");
  for (const changes of [{ prompt: "login" }, { max_age: "0" }, { max_age: "60" }] as Record<string, string>[]) {
    app.advance(2 * MINUTE);
    const [page, next] = await ledTo(person, authorizePath("wiki", changes));
    strictEqual(page, "/reauthenticate");
    app.advance(2 * MINUTE); // slower than max_age
    const back = await prove(person, next);
    app.advance(2 * MINUTE);
    const answer = answerTo(await person.get(back));
    const { id_token } = await tokensIn(exchange(app, codeIn(answer, "wiki")));
    strictEqual(decodeJwt(id_token!).auth_time, Math.floor(app.services.now().getTime() / 1000) - 2 * MINUTE);
  }
});

Deno.test("one login satisfies prompt=login; a mark that is an hour old, of another app or made up does not", async () => {
  const { client: person, email } = await registerVerifiedUser(app, "mark@example.com");
  await agree(person, "wiki");
  const guest = app.client();
  const [, next] = await ledTo(guest, authorizePath("wiki", { prompt: "login" }));
  const login = `/login?${new URLSearchParams({ next })}`;
  const back = await submit(guest, await html(guest, login), { email, password: PASSWORD });
  codeIn(answerTo(await guest.get(back)), "wiki");

  const proved = (await ledTo(person, authorizePath("wiki", { prompt: "login" })))[1];
  app.advance(1);
  await prove(person, proved);
  codeIn(answerTo(await person.get(proved)), "wiki");
  const mark = /&seen=[^&]*$/.exec(proved)![0];
  const wrong = [
    authorizePath("portal", { prompt: "login" }) + mark,
    authorizePath("wiki", { prompt: "login", state: "s2" }) + mark,
    authorizePath("wiki", { prompt: "login" }) + "&seen=0.x",
    authorizePath("wiki", { prompt: "login" }) + mark.replace(/.$/, (last) => last === "A" ? "B" : "A"),
  ];
  for (const path of wrong) strictEqual((await ledTo(person, path))[0], "/reauthenticate", path);
  app.advance(3600);
  strictEqual((await ledTo(person, proved))[0], "/reauthenticate");
});

Deno.test("acr_values=2 asks for the factor that is missing; an account without one continues", async () => {
  const { client: person, email } = await registerVerifiedUser(app, "acr@example.com");
  await agree(person, "wiki");
  const path = authorizePath("wiki", { acr_values: "2" });
  codeIn(answerTo(await person.get(path)), "wiki");
  const totp = await enableTotp(app, person);
  strictEqual(await silentError(person, "wiki", { acr_values: "2" }), "login_required");
  codeIn(answerTo(await person.get(authorizePath("wiki", { acr_values: "1 2" }))), "wiki");
  const [page, next] = await ledTo(person, path);
  strictEqual(page, "/reauthenticate?second=true");
  const form = await html(person, `/reauthenticate?second=true&${new URLSearchParams({ next })}`);
  const answer = answerTo(await person.get(await submit(person, form, { proof_code: totp.code(), action: "prove" })));
  const { id_token } = await tokensIn(exchange(app, codeIn(answer, "wiki")));
  strictEqual(decodeJwt(id_token!).acr, "2");
  const other = await startLogin(app, email);
  app.advance(30);
  strictEqual((await other.send("POST", "/auth/second-factor", { code: totp.code() })).status, 200);
  codeIn(answerTo(await other.get(path)), "wiki");
});

Deno.test("what an API token may do is agreed to only after a recent proof", async () => {
  const { client: person } = await registerVerifiedUser(app, "dangerous@example.com");
  const path = authorizePath("phone", { scope: "openid profile:read" });
  app.advance(3600);
  const [page, next] = await ledTo(person, path);
  strictEqual(page, "/reauthenticate");
  strictEqual(await silentError(person, "phone", { scope: "openid profile:read" }), "consent_required");
  const consent = await openPage(person, await prove(person, next));
  app.advance(3600);
  const late = await press(app, person, consent, "allow");
  strictEqual(late.status, 303, "the proof has expired meanwhile");
  strictEqual((await ledTo(person, late.headers.get("Location")!))[0], "/reauthenticate");
  const fresh = await openPage(person, await prove(person, late.headers.get("Location")!));
  codeIn(await movedAnswer(await press(app, person, fresh, "allow")), "phone");
  app.advance(3600);
  codeIn(answerTo(await person.get(path)), "phone");
  match(
    await openPage(person, authorizePath("phone", { scope: "openid notes:read", resource: NOTES })),
    /Notes: See your notes/,
  );
});

Deno.test("without pages, an app gets a code only where nothing is left to do", async () => {
  const { client: person } = await registerVerifiedUser(app, "silent@example.com");
  strictEqual(await silentError(person, "wiki"), "consent_required");
  codeIn(answerTo(await person.get(authorizePath("portal", { prompt: "none" }))), "portal");
  await agree(person, "wiki");
  codeIn(answerTo(await person.get(authorizePath("wiki", { prompt: "none" }))), "wiki");
  strictEqual(await silentError(person, "wiki", { scope: "openid email" }), "consent_required");
});
