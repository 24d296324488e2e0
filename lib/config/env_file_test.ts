import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { readEnvFile } from "./env_file.ts";

async function withEnvFile(content: string, mode: number, test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/.env`;
  await Deno.writeTextFile(path, content);
  await Deno.chmod(path, mode);
  try {
    await test(path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a file of settings has comments and quotes, and the environment wins", () =>
  withEnvFile('# Mail\nEMAIL_FROM="Foyer <a@b.example>" # the sender\nPORT=9000\n=nothing\n', 0o600, async (path) => {
    deepStrictEqual(await readEnvFile({}, path), { EMAIL_FROM: "Foyer <a@b.example>", PORT: "9000" });
    deepStrictEqual(await readEnvFile({ PORT: "" }, path), { EMAIL_FROM: "Foyer <a@b.example>" });
  }));

Deno.test("the tests of a product are not configured by its file of settings", () =>
  withEnvFile("DATABASE_URL=postgres://product\n", 0o600, async (path) => {
    deepStrictEqual(await readEnvFile({ APP_ENV: "test" }, path), {});
  }));

Deno.test("without a file of settings, there are none", async () => {
  const folder = await Deno.makeTempDir();
  deepStrictEqual(await readEnvFile({}, `${folder}/.env`), {});
  await Deno.mkdir(`${folder}/.env`);
  deepStrictEqual(await readEnvFile({}, `${folder}/.env`), {}, "a folder is no such file");
  await Deno.remove(folder, { recursive: true });
});

for (const mode of [0o620, 0o602]) {
  Deno.test(`production refuses a file of settings with the mode ${mode.toString(8)}`, () =>
    withEnvFile("APP_ENV=production\n", mode, async (path) => {
      await rejects(() => readEnvFile({}, path), {
        message: `Other users may change ${path}. Production refuses that: chmod go-w ${path}`,
      });
      strictEqual((await readEnvFile({ APP_ENV: "development" }, path)).APP_ENV, undefined);
    }));
}

Deno.test("production accepts a file of settings that others may read", () =>
  withEnvFile("PORT=9000\n", 0o644, async (path) => {
    deepStrictEqual(await readEnvFile({ APP_ENV: "production" }, path), { PORT: "9000" });
  }));

Deno.test(
  "production refuses a file of settings of another user",
  { ignore: Deno.uid() !== 0 },
  () =>
    withEnvFile("PORT=9000\n", 0o600, async (path) => {
      Deno.chownSync(path, 1, 1);
      await rejects(() => readEnvFile({ APP_ENV: "production" }, path), /belongs to another user/);
    }),
);
