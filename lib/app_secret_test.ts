import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { loadAppSecret } from "./app_secret.ts";

Deno.test("the secret is made once, by whichever of many comes first, and only its owner may read it", async () => {
  const parent = await Deno.makeTempDir();
  try {
    const dataDir = `${parent}/data`;
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadAppSecret(dataDir)));
    strictEqual(new Set(secrets).size, 1);
    ok(secrets[0].length >= 32);
    strictEqual(await loadAppSecret(dataDir), secrets[0]);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(dataDir), ({ name }) => name), ["app_secret"]);
    strictEqual((await Deno.stat(`${dataDir}/app_secret`)).mode! & 0o777, 0o600);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});
