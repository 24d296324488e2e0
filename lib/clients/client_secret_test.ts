import { match, strictEqual } from "node:assert/strict";
import { createClientSecret, hashClientSecret } from "./client_secret.ts";

Deno.test("secrets have 43 letters and digits, and no two are the same", () => {
  const secrets = Array.from({ length: 100 }, createClientSecret);
  for (const secret of secrets) match(secret, /^[0-9A-Za-z]{43}$/);
  strictEqual(new Set(secrets).size, 100);
  strictEqual(new Set(secrets.join("")).size, 62, "every character occurs");
});

Deno.test("the hash is SHA-256 in hex", () => {
  strictEqual(hashClientSecret("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
