import { createHash, timingSafeEqual } from "node:crypto";
import type pg from "pg";
import { SELECT_GRANT } from "./bare_refresh.ts";

/** The least that an introspection needs: a hash of the secret, two statements, and one signature to verify. */

const SELECT_KEYS =
  `select id, public_key from signing_keys where expires_at > now() order by signs_from desc, id desc`;
const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

const secretHash = createHash("sha256").update(Deno.env.get("CLIENT_SECRET") ?? "").digest();
/** The keys that have been read, by their ids. */
const imported = new Map<string, CryptoKey>();

/** Says whether an access token is alive. */
export async function bareIntrospection(pool: pg.Pool, req: Request): Promise<Response> {
  if (req.method !== "POST") return new Response();
  const form = new URLSearchParams(await req.text());
  const presented = createHash("sha256").update(form.get("client_secret")!).digest();
  if (!timingSafeEqual(presented, secretHash)) return new Response(null, { status: 401 });
  const token = form.get("token")!;
  const [header, claims, signature] = token.split(".");
  const { kid } = decoded(header);
  const { rows: keys } = await pool.query({ name: "keys", text: SELECT_KEYS });
  const key = await keyOf(keys.find(({ id }) => id === kid));
  const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
  const content = new TextEncoder().encode(`${header}.${claims}`);
  const { gid, iss, sub, aud, client_id, scope, iat, exp, jti } = decoded(claims);
  const isRight = await crypto.subtle.verify(ES256, key, bytes, content) && exp > Date.now() / 1000;
  if (!isRight) return Response.json({ active: false });
  const [row] = (await pool.query({ name: "grant", text: SELECT_GRANT, values: [gid] })).rows;
  return Response.json(
    { active: true, iss, sub, aud, client_id, username: row.email, scope, iat, exp, jti, token_type: "Bearer" },
    { headers: { "Cache-Control": "no-store" } },
  );
}

function decoded(part: string) {
  return JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(part, { alphabet: "base64url" })));
}

async function keyOf({ id, public_key: jwk }: { id: string; public_key: JsonWebKey }): Promise<CryptoKey> {
  const known = imported.get(id);
  if (known !== undefined) return known;
  const key = await crypto.subtle.importKey("jwk", jwk, ES256, false, ["verify"]);
  imported.set(id, key);
  return key;
}
