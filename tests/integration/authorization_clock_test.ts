import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import * as oauth from "oauth4webapi";
import { MINUTE_SECONDS, secondsAfter, unixSeconds } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, exchange, giveCode, openAuthorizationApp, refresh, tokensIn } from "../support/app/authorization.ts";
import { BASE_URL } from "../support/app/test_app.ts";

/** Products whose clock is five minutes off. */
const OFF_SECONDS = 5 * MINUTE_SECONDS;
const CLOCKS = { slow: -OFF_SECONDS, right: 0, fast: OFF_SECONDS };

const app = await openAuthorizationApp();
const { client: person } = await registerVerifiedUser(app, "clock@example.com");
const keys = createLocalJWKSet(await (await app.client().get("/.well-known/jwks.json")).json());

/** The time of a product. */
function timeOf(clock: keyof typeof CLOCKS): Date {
  return secondsAfter(app.services.now(), CLOCKS[clock]);
}

for (const clock of ["slow", "right", "fast"] as const) {
  Deno.test(`a product whose clock is ${clock} accepts an ID token, at once and after a refresh`, async () => {
    const as = { issuer: BASE_URL, jwks_uri: `${BASE_URL}/.well-known/jwks.json` };
    const client = {
      client_id: "wiki",
      [oauth.clockSkew]: unixSeconds(timeOf(clock)) - Math.floor(Date.now() / 1000),
      [oauth.clockTolerance]: 0,
    };
    const response = await exchange(app, await giveCode(app, person, "wiki", { nonce: "n-1" }));
    const result = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: "n-1" });
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await refresh(app, "wiki", result.refresh_token!),
    );
    for (const { id_token } of [result, refreshed]) {
      strictEqual("nbf" in decodeJwt(id_token!), false, "no product refuses it as too early");
      await jwtVerify(id_token!, keys, { issuer: BASE_URL, audience: "wiki", currentDate: timeOf(clock) });
    }
  });
}

Deno.test("an access token lasts five minutes: a product whose clock is fast needs a longer access_ttl", async () => {
  const { access_token: token, expires_in } = await connect(app, person, "wiki");
  const { iat, exp } = decodeJwt(token);
  deepStrictEqual([exp! - iat!, expires_in], [OFF_SECONDS, OFF_SECONDS]);
  await jwtVerify(token, keys, { currentDate: timeOf("slow") });
  await rejects(jwtVerify(token, keys, { currentDate: timeOf("fast") }), { code: "ERR_JWT_EXPIRED" });
  // One that tolerates a minute accepts it for a minute.
  await jwtVerify(token, keys, { currentDate: timeOf("fast"), clockTolerance: MINUTE_SECONDS });
});

Deno.test("here only our clock counts: refreshing and userinfo work for every product", async () => {
  const tokens = await tokensIn(exchange(app, await giveCode(app, person, "wiki")));
  const read = () => app.client().get("/oauth/userinfo", { Authorization: `Bearer ${tokens.access_token}` });
  app.advance(OFF_SECONDS - 1);
  strictEqual((await read()).status, 200);
  app.advance(1);
  strictEqual((await read()).status, 401);
  strictEqual((await refresh(app, "wiki", tokens.refresh_token!)).status, 200);
});
