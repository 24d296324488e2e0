import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import { hashToken } from "../../lib/crypto/token.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import {
  client,
  connect,
  giveCode,
  NOTES,
  openAuthorizationApp,
  postForm,
  REDIRECT_URI,
  SECRETS,
  tokensIn,
} from "../support/app/authorization.ts";
import { answerTo, authorizePath, codeIn } from "../support/app/authorize_page.ts";

/** Libraries write the same request in different ways. What can mean only one thing is accepted. */

const app = await openAuthorizationApp({}, [
  client("first-party", { first_party: true, scope: "openid profile email notes:read", resources: [NOTES] }),
]);
const { client: person } = await registerVerifiedUser(app, "ada@example.com");
const FORM = "application/x-www-form-urlencoded";
const CHALLENGE = hashToken("v".repeat(43));

const AUTHORIZATIONS: Record<string, string> = {
  "scopes in another order": authorizePath("first-party", { scope: "email openid" }),
  "scopes that are repeated": authorizePath("first-party", { scope: "openid openid email email" }),
  "spaces around and between scopes": authorizePath("first-party", { scope: "  openid   email " }),
  "scopes on several lines": authorizePath("first-party", { scope: "openid\n email\n" }),
  "scopes that no one knows": authorizePath("first-party", { scope: "openid email phone address" }),
  "empty optional parameters": `${
    authorizePath("first-party", { scope: "openid email" })
  }&nonce=&prompt=&max_age=&display=&ui_locales=&acr_values=&login_hint=&id_token_hint=&resource=&response_mode=&claims=`,
  "unknown parameters": `${
    authorizePath("first-party", { scope: "openid email" })
  }&access_type=offline&approval_prompt=auto&include_granted_scopes=true&audience=x&vendor.state=1`,
  "a response mode": authorizePath("first-party", { scope: "openid email", response_mode: "query" }),
  "a space after the response type": authorizePath("first-party", { scope: "openid email", response_type: "code " }),
  "max_age with a fraction": authorizePath("first-party", { scope: "openid email", max_age: "3600.0" }),
  "max_age with spaces": authorizePath("first-party", { scope: "openid email", max_age: " 3600 " }),
  "max_age of a year": authorizePath("first-party", { scope: "openid email", max_age: "31536000" }),
  "a padded challenge": authorizePath("first-party", { scope: "openid email", code_challenge: `${CHALLENGE}=` }),
  "a challenge method in lower case": authorizePath("first-party", {
    scope: "openid email",
    code_challenge_method: "s256",
  }),
  "spaces around acr_values": authorizePath("first-party", { scope: "openid email", acr_values: " 1  0 " }),
  "languages with commas": authorizePath("first-party", { scope: "openid email", ui_locales: "de_DE, en" }),
};

for (const [name, path] of Object.entries(AUTHORIZATIONS)) {
  Deno.test(`an app gets a code although it sends ${name}`, async () => {
    const tokens = await tokensIn(
      postForm(app, "/oauth/token", exchangeFields(codeIn(answerTo(await person.get(path)), "first-party"))),
    );
    deepStrictEqual(tokens.scope.split(" ").sort(), ["email", "openid"]);
  });
}

function exchangeFields({ code, verifier, clientId }: { code: string; verifier: string; clientId: string }) {
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  };
}

Deno.test("a resource may be named twice, at the authorization, the exchange and the refresh", async () => {
  const resource = `&resource=${encodeURIComponent(NOTES)}`;
  const path = authorizePath("first-party", { scope: "openid notes:read" }) + resource + resource;
  const given = codeIn(answerTo(await person.get(path)), "first-party");
  const send = async (fields: Record<string, string>) =>
    await tokensIn(
      app.client().request("/oauth/token", {
        method: "POST",
        headers: { "Content-Type": FORM },
        body: new URLSearchParams(fields) + resource + resource,
      }),
    );
  const tokens = await send(exchangeFields(given));
  const refreshed = await send({
    grant_type: "refresh_token",
    client_id: "first-party",
    refresh_token: tokens.refresh_token!,
  });
  deepStrictEqual([tokens, refreshed].map(({ access_token }) => decodeJwt(access_token).aud), [NOTES, NOTES]);
});

Deno.test("an app may send its request by POST, also with parameters in the address", async () => {
  const [path, query] = authorizePath("first-party", { state: "a b+ü" }).split("?");
  const ways: [address: string, body: string, type: string][] = [
    [path, query, FORM],
    [path, query, `${FORM}; charset=UTF-8`],
    [path, query, `${FORM.toUpperCase()};charset="utf-8"`],
    [`${path}?client_id=first-party`, query.replace("client_id=first-party&", ""), FORM],
    [`${path}?${query}`, "", FORM],
  ];
  for (const [address, body, type] of ways) {
    const headers = { "Content-Type": type, "Origin": "https://app.example", "Sec-Fetch-Site": "cross-site" };
    const again = await person.request(address, { method: "POST", body, headers });
    strictEqual(again.status, 303, `${type} ${body}`);
    const answer = answerTo(await person.get(again.headers.get("Location")!));
    strictEqual(answer.state, "a b+ü");
    match(answer.code, /^[\w-]{43}$/);
  }
});

/** How an app says who it is: what the form has in addition, and the headers. */
const AUTHENTICATIONS: Record<string, [fields: Record<string, string>, headers: Record<string, string>]> = {
  "the secret in the form": [{ client_id: "wiki", client_secret: SECRETS[0] }, {}],
  "Basic": [{}, basic("wiki", SECRETS[0])],
  "Basic in lower case": [{}, basic("wiki", SECRETS[0], "basic ")],
  "Basic and two spaces": [{}, basic("wiki", SECRETS[0], "Basic  ")],
  "Basic and the id in the form": [{ client_id: "wiki" }, basic("wiki", SECRETS[0])],
  "Basic and an empty secret in the form": [{ client_id: "wiki", client_secret: "" }, basic("wiki", SECRETS[0])],
  "percent-encoded Basic": [{}, basic("%77iki", encodeURIComponent(SECRETS[1]))],
  "Basic with all of it percent-encoded": [{}, basic("wiki", everyByte(SECRETS[0]))],
  "a charset": [{ client_id: "wiki", client_secret: SECRETS[0] }, { "Content-Type": `${FORM};charset=utf-8` }],
  "what it accepts": [{ client_id: "wiki", client_secret: SECRETS[0] }, { Accept: "application/json, */*;q=0.1" }],
};

function basic(id: string, secret: string, scheme = "Basic "): Record<string, string> {
  return { Authorization: scheme + btoa(`${id}:${secret}`) };
}

function everyByte(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

for (const [name, [fields, headers]] of Object.entries(AUTHENTICATIONS)) {
  Deno.test(`an app gets tokens, and refreshes, with ${name}`, async () => {
    const { code, verifier } = await giveCode(app, person, "wiki", { scopes: ["openid", "email"] });
    const send = (sent: Record<string, string>) =>
      tokensIn(postForm(app, "/oauth/token", { ...sent, ...fields }, headers));
    const { client_id: _, ...exchanged } = exchangeFields({ code, verifier, clientId: "wiki" });
    const tokens = await send({ ...exchanged, scope: "", resource: "", audience: "x", client_assertion: "" });
    ok((await send({ grant_type: "refresh_token", refresh_token: tokens.refresh_token! })).access_token);
  });
}

Deno.test("a public app without a secret may say so in every way", async () => {
  for (
    const [fields, headers] of [
      [{ client_id: "phone" }, {}],
      [{ client_id: "phone", client_secret: "" }, {}],
      [{}, basic("phone", "")],
      [{ client_id: "phone" }, basic("phone", "")],
    ] as const
  ) {
    const { code, verifier } = await giveCode(app, person, "phone");
    const { client_id: _, ...exchanged } = exchangeFields({ code, verifier, clientId: "phone" });
    await tokensIn(postForm(app, "/oauth/token", { ...exchanged, ...fields }, headers));
  }
});

const REFRESHES: Record<string, Record<string, string>> = {
  "the scopes in another order": { scope: "email openid" },
  "spaces around and between scopes": { scope: "  openid   email " },
  "scopes that are repeated": { scope: "openid email openid" },
  "an empty scope": { scope: "" },
  "the redirect URI": { redirect_uri: REDIRECT_URI },
  "a verifier": { code_verifier: "v".repeat(43) },
  "unknown parameters": { access_type: "offline", assertion: "" },
};

for (const [name, fields] of Object.entries(REFRESHES)) {
  Deno.test(`an app refreshes although it sends ${name}`, async () => {
    const { refresh_token } = await connect(app, person, "phone", { scopes: ["openid", "email"] });
    const form = { grant_type: "refresh_token", client_id: "phone", refresh_token, ...fields };
    deepStrictEqual((await tokensIn(postForm(app, "/oauth/token", form))).scope.split(" ").sort(), ["email", "openid"]);
  });
}

Deno.test("an ended access is answered with 200, an empty text and its type", async () => {
  const { refresh_token } = await connect(app, person, "phone");
  for (const token_type_hint of ["refresh_token", "", "unknown"]) {
    const response = await postForm(app, "/oauth/revoke", {
      client_id: "phone",
      token: refresh_token,
      token_type_hint,
    });
    deepStrictEqual([response.status, await response.text()], [200, ""]);
    strictEqual(response.headers.get("Content-Type"), "text/plain; charset=utf-8");
  }
});

Deno.test("userinfo takes the scheme of the access token in any case", async () => {
  const { access_token } = await connect(app, person, "phone", { scopes: ["openid", "profile"] });
  for (const scheme of ["Bearer ", "bearer ", "BEARER  "]) {
    for (const method of ["GET", "POST"]) {
      const headers = { Authorization: scheme + access_token };
      const response = await app.client().request("/oauth/userinfo", { method, headers });
      strictEqual(response.status, 200, `${method} ${scheme}`);
      const { name, given_name } = await response.json();
      strictEqual(given_name, name);
    }
  }
});
