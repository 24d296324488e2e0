import { API, basic, type Fields, post, type Side, tokensIn } from "./side.ts";
import type { Case } from "./token_cases.ts";

/** Requests of a program that acts as itself, by client_credentials. */

const GOOD: Fields = { grant_type: "client_credentials", scope: "notes:read", resource: API };

function ask(side: Side, changes: Fields = {}, headers = basic("robot")): Promise<Response> {
  return post(side, "/oauth/token", { ...GOOD, ...changes }, headers);
}

async function tokenOf(side: Side): Promise<string> {
  return (await tokensIn(await ask(side), side)).access_token;
}

export const SERVICE_CASES: Record<string, Case> = {
  "a token for no person": (side) => ask(side),
  "a token for no person without a scope": (side) => ask(side, { scope: undefined }),
  "a scope that the resource does not have": (side) => ask(side, { scope: "notes:other" }),
  "the scope openid for no person": (side) => ask(side, { scope: "openid" }),
  "an unknown resource for no person": (side) => ask(side, { resource: "https://other.example" }),
  "two resources for no person": (side) => ask(side, { resource: [API, "https://other.example"] }),
  "a wrong secret of a program": (side) => ask(side, {}, basic("robot", "wrong")),
  "no secret of a program": (side) => ask(side, { client_id: "robot" }, {}),
  "a public client without a person": (side) => ask(side, { client_id: "phone" }, {}),
  "a code as a program": (side) => ask(side, { grant_type: "authorization_code", code: "x", redirect_uri: "x" }),
  "userinfo with a token for no person": async (side) =>
    await side.client().get("/oauth/userinfo", { Authorization: `Bearer ${await tokenOf(side)}` }),
  "introspect a token for no person": async (side) =>
    await post(side, "/oauth/introspect", { token: await tokenOf(side) }, basic("robot")),
  "introspect a token for no person as its API": async (side) =>
    await post(side, "/oauth/introspect", { token: await tokenOf(side) }, basic("notes-api")),
  "introspect a token for no person as a stranger": async (side) =>
    await post(side, "/oauth/introspect", { token: await tokenOf(side) }, basic("wiki")),
  "revoke a token for no person": async (side) =>
    await post(side, "/oauth/revoke", { token: await tokenOf(side) }, basic("robot")),
};
