import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { exchange, openAuthorizationApp, tokensIn } from "../support/app/authorization.ts";
import { answerTo, authorizePath, codeIn, movedAnswer, openPage, press } from "../support/app/authorize_page.ts";
import { html, submit } from "../support/app/page_forms.ts";
import { readPage } from "../support/app/page_reader.ts";

const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0" });
const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
/** Of a browser on plain http. */
const PAGE = { Accept: "text/html,*/*;q=0.8" };
const ISSUER = app.services.config.baseUrl;

Deno.test("a guest logs in, agrees, and the app exchanges the code", async () => {
  const { email, id } = await registerVerifiedUser(app, "first@example.com");
  const person = app.client();
  const sent = await person.get(authorizePath("wiki", { nonce: "n1" }));
  strictEqual(sent.status, 303);
  const login = sent.headers.get("Location")!;
  match(login, /^\/login\?next=/);
  const back = await submit(person, await html(person, login), { email, password: PASSWORD });
  const page = await openPage(person, back);
  match(page, /Log in to The wiki\?/);
  match(page, /You’ll return to app\.example\./);
  match(page, /first@example\.com/);
  const answer = await movedAnswer(await press(app, person, page, "allow"));
  deepStrictEqual([answer.state, answer.iss], ["s1", ISSUER]);
  const { id_token } = await tokensIn(exchange(app, codeIn(answer, "wiki")));
  const { sub, aud, nonce } = decodeJwt(id_token!);
  deepStrictEqual([sub, aud, nonce], [id, "wiki", "n1"]);
});

Deno.test("someone who has agreed goes straight back: by 303, or by a page after one of our pages", async () => {
  const { client } = await registerVerifiedUser(app, "again@example.com");
  await press(app, client, await openPage(client, authorizePath("wiki")), "allow");
  const redirect = await client.get(authorizePath("wiki", { state: "a b&c" }));
  const direct = answerTo(redirect);
  deepStrictEqual(["Cache-Control", "X-Robots-Tag"].map((name) => redirect.headers.get(name)), ["no-store", "noindex"]);
  deepStrictEqual(direct.state, "a b&c");
  await tokensIn(exchange(app, codeIn(direct, "wiki")));
  const response = await client.get(authorizePath("wiki"), SAME_ORIGIN);
  const { href } = (await readPage(response.clone())).link("Return to The wiki");
  match(href!, /^https:\/\/app\.example\/callback\?code=./);
  await tokensIn(exchange(app, codeIn(await movedAnswer(response), "wiki")));
});

Deno.test("a request that may be the end of a form leaves by a page, unless it says where it comes from", async () => {
  const { client } = await registerVerifiedUser(app, "plain-http@example.com");
  const first = await openPage(client, authorizePath("wiki"));
  codeIn(await movedAnswer(await press(app, client, first, "allow", {})), "wiki");
  codeIn(await movedAnswer(await client.get(authorizePath("wiki"), PAGE)), "wiki");
  codeIn(answerTo(await client.get(authorizePath("wiki", { prompt: "none" }), PAGE)), "wiki");
  for (const site of ["cross-site", "same-site", "none"]) {
    codeIn(answerTo(await client.get(authorizePath("wiki"), { ...PAGE, "Sec-Fetch-Site": site })), "wiki");
  }
});

Deno.test("a navigation without Sec-Fetch-Site hops once", async () => {
  const { client } = await registerVerifiedUser(app, "plain-hop@example.com");
  await press(app, client, await openPage(client, authorizePath("wiki")), "allow");
  const hop = await app.client().get(authorizePath("wiki"), PAGE);
  const [, address] = /^0; url=(\?.*)$/.exec(hop.headers.get("Refresh")!)!;
  codeIn(await movedAnswer(await client.get(`/oauth/authorize${address}`, PAGE)), "wiki");
  const login = (await app.client().get(`/oauth/authorize${address}`, PAGE)).headers.get("Location")!;
  match(login, /^\/login\?next=/);
  doesNotMatch(login, /hop/);
});

Deno.test("Cancel answers access_denied, and nothing is allowed", async () => {
  const { client } = await registerVerifiedUser(app, "cancel@example.com");
  const answer = await movedAnswer(await press(app, client, await openPage(client, authorizePath("wiki")), "cancel"));
  deepStrictEqual([answer.error, answer.state, answer.iss, answer.code], ["access_denied", "s1", ISSUER, undefined]);
  deepStrictEqual((await (await client.get("/api/account/apps")).json()).data, []);
});

Deno.test("a navigation from another site hops once, and then has the session", async () => {
  const { client } = await registerVerifiedUser(app, "hop@example.com");
  const session = client.cookies.get("auth_session")!;
  client.cookies.delete("auth_session"); // strict: not sent
  const hop = await client.get(authorizePath("portal"), CROSS_SITE);
  deepStrictEqual([hop.status, hop.headers.get("Refresh")], [200, "0"]);
  doesNotMatch(await hop.text(), /code=/);
  client.cookies.set("auth_session", session);
  await tokensIn(
    exchange(app, codeIn(await movedAnswer(await client.get(authorizePath("portal"), SAME_ORIGIN)), "portal")),
  );
  client.cookies.delete("auth_session");
  strictEqual(
    (await client.get(authorizePath("portal"), CROSS_SITE)).headers.get("Refresh"),
    "0",
    "the next one may hop again",
  );
});
