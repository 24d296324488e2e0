import { createHmac } from "node:crypto";
import type pg from "pg";

/**
 * The least that a refresh needs: two statements, a MAC, and one signature of each kind, with keys that are in memory.
 */

/** Selects a grant with its person. */
export const SELECT_GRANT =
  `select users.id, users.email, users.name, users.avatar, users.website, users.language, users.email_verified,
    users.suspended_at, users.deletion_due_at, users.updated_at, grants.id as grant_id, grants.client_id,
    grants.session_public_id, grants.is_offline, grants.scopes, grants.resource, grants.auth_time, grants.acr, grants.amr,
    grants.refresh_key, grants.generation, grants.generation_at, grants.expires_at,
    sessions.expires_at as session_expires_at, consents.last_used_at
  from grants inner join users on users.id = grants.user_id inner join consents on consents.id = grants.consent_id
  left join sessions on sessions.public_id = grants.session_public_id where grants.id = $1`;
const UPDATE = `update grants set generation = generation + 1, generation_at = now(), last_used_at = now()
  where id = $1 and generation = $2 returning id`;
const KEY = crypto.getRandomValues(new Uint8Array(32));
const ISSUER = "https://foyer.example";
const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const RS256 = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

const accessKey = await crypto.subtle.generateKey(ES256, false, ["sign"]) as CryptoKeyPair;
const idKey = await crypto.subtle.generateKey(
  { ...RS256, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  false,
  ["sign"],
) as CryptoKeyPair;

/** Refreshes. The token is the id of a grant and a number. */
export async function bareRefresh(pool: pg.Pool, req: Request): Promise<Response> {
  if (req.method !== "POST") return new Response();
  const form = new URLSearchParams(await req.text());
  const [id, number] = form.get("refresh_token")!.split(".");
  const [row] = (await pool.query({ name: "grant", text: SELECT_GRANT, values: [id] })).rows;
  await pool.query({ name: "move", text: UPDATE, values: [id, number] });
  const next = `${id}.${Number(number) + 1}`;
  createHmac("sha256", KEY).update(next).digest();
  const iat = Math.floor(Date.now() / 1000);
  const proof = { auth_time: Math.floor(row.auth_time.getTime() / 1000), acr: row.acr, amr: row.amr };
  const common = { iss: ISSUER, sub: row.id, iat, ...proof };
  const [access_token, id_token] = await Promise.all([
    sign({ ...common, aud: ISSUER, client_id: row.client_id, exp: iat + 300, scope: row.scopes.join(" "), gid: id }, {
      alg: "ES256",
      typ: "at+jwt",
    }, accessKey.privateKey),
    sign(
      { ...common, aud: row.client_id, exp: iat + 3600, sid: row.session_public_id, name: row.name, email: row.email },
      { alg: "RS256", typ: "JWT" },
      idKey.privateKey,
    ),
  ]);
  return Response.json({
    access_token,
    token_type: "Bearer",
    expires_in: 300,
    scope: row.scopes.join(" "),
    id_token,
    refresh_token: next,
  }, { headers: { "Cache-Control": "no-store" } });
}

async function sign(claims: object, header: { alg: string; typ: string }, key: CryptoKey): Promise<string> {
  const encode = (part: object) => base64url(new TextEncoder().encode(JSON.stringify(part)));
  const content = `${encode({ ...header, kid: "key" })}.${encode(claims)}`;
  const scheme = header.alg === "ES256" ? ES256 : RS256;
  return `${content}.${
    base64url(new Uint8Array(await crypto.subtle.sign(scheme, key, new TextEncoder().encode(content))))
  }`;
}

function base64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
