import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { withFolder } from "../../tests/support/database/engines.ts";
import { loadAppSecret } from "./load_config.ts";
import { ConfigError } from "../config/config.ts";

Deno.test("simultaneous starts agree on one secret, which only its owner may read", () =>
  withFolder(async (folder) => {
    const dataDir = `${folder}/data`;
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadAppSecret(dataDir)));
    strictEqual(new Set(secrets).size, 1);
    ok(secrets[0].length >= 32);
    strictEqual(await loadAppSecret(dataDir), secrets[0]);
    deepStrictEqual(await Array.fromAsync(Deno.readDir(dataDir), ({ name }) => name), ["app_secret"]);
    strictEqual((await Deno.stat(`${dataDir}/app_secret`)).mode! & 0o777, 0o600);
  }));

for (const [name, secret] of [["empty", ""], ["short", "x".repeat(31)]]) {
  Deno.test(`an app_secret that is ${name} is refused`, () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/app_secret`, secret);
      await rejects(loadAppSecret(folder), ConfigError);
      strictEqual(await Deno.readTextFile(`${folder}/app_secret`), secret, "the file is unchanged");
    }));
}

Deno.test("an app_secret of 32 bytes is accepted", () =>
  withFolder(async (folder) => {
    const secret = "x".repeat(32);
    await Deno.writeTextFile(`${folder}/app_secret`, secret);
    strictEqual(await loadAppSecret(folder), secret);
  }));
