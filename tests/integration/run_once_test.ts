import { deepStrictEqual, doesNotMatch, match } from "node:assert/strict";
import { deriveKey } from "../../lib/derived_key.ts";
import { runOnce } from "../../lib/submissions/run_once.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const { services } = await openSharedTestApp();
const { appSecret } = services.config;

Deno.test("the database and APP_SECRET together open no outcome", async () => {
  const digest = "of what was submitted";
  deepStrictEqual(await runOnce(services, digest, () => Promise.resolve(["a session token"])), ["a session token"]);
  const row = await services.db.selectFrom("submissions").selectAll().executeTakeFirstOrThrow();
  for (const secret of [appSecret, appSecret + row.id]) doesNotMatch(await decrypt(row.outcome!, secret), /token/);
  match(await decrypt(row.outcome!, appSecret + digest), /token/, "who submits the same can");
});

/** Without asking whether the text is whole and in its place: AES-GCM encrypts as AES-CTR does, from the count of 2. */
async function decrypt(text: string, secret: string): Promise<string> {
  const [iv, sealed] = text.split(":").map((part) => Uint8Array.fromBase64(part));
  const algorithm = { name: "AES-CTR", length: 256 };
  const key = await deriveKey(secret, { name: "submissions", algorithm, usages: ["decrypt"] });
  const counter = new Uint8Array([...iv, 0, 0, 0, 2]);
  return new TextDecoder().decode(await crypto.subtle.decrypt({ name: "AES-CTR", counter, length: 32 }, key, sealed));
}
