import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { buildImage, startContainer } from "../support/processes/container.ts";

const MEGABYTE = 1e6;
/** Without its base. It takes 120 MB, and took 340 with the packages of the tests. */
const MAX_SIZE_BYTES = 130 * MEGABYTE;

const folder = await Deno.makeTempDir({ prefix: "foyer-container-" });
const image = await buildImage(folder);
Deno.test.afterAll(async () => {
  await image[Symbol.asyncDispose]();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the Dockerfile makes a small image, without the packages of the build and the tests", async () => {
  ok(image.sizeBytes < MAX_SIZE_BYTES, `${image.sizeBytes / MEGABYTE} MB`);
  const packages = await Array.fromAsync(
    Deno.readDir(`${image.root}/app/.deno/npm/registry.npmjs.org`),
    ({ name }) => name,
  );
  ok(packages.includes("sharp") && packages.includes("pg"));
  deepStrictEqual(packages.filter((name) => /^(@esbuild|esbuild|typescript|playwright-core)$/.test(name)), []);
});

Deno.test("a container starts as no one special, with a read-only root and without network, and converts images", async () => {
  const { User, Healthcheck, Volumes } = image.config;
  match(User, /^[1-9]\d*:[1-9]\d*$/);
  deepStrictEqual(Object.keys(Volumes), ["/data"]);
  const volume = `${folder}/volume`;
  await Deno.mkdir(volume);
  // In development, the service needs no other settings.
  const env = ["APP_ENV=development", "HOST=0.0.0.0", "LOG_FORMAT=json"];
  await using container = await startContainer(image, { volume, env });
  const status = await container.runBeside(`
    import { register } from "${import.meta.resolve("../support/processes/process_session.ts")}";
    const session = await register({ url: "http://127.0.0.1:8000" }, "ada@example.com");
    const photo = Deno.readFileSync(new URL("${import.meta.resolve("../../static/icon-512.png")}"));
    console.log((await session.uploadAvatar(photo, "image/png")).status);
  `);
  strictEqual(status.trim(), "200", container.output());
  strictEqual(Healthcheck.Test[0], "CMD");
  const [, ...check] = Healthcheck.Test;
  const failing = check.map((each) => each.replace("/api/health", "/api/none"));
  const operators = ["deno", "task", "foyer", "uploads", "check"];
  for (const [command, expected] of [[check, 0], [failing, 1], [operators, 0]] as const) {
    const { code, output } = await container.exec(command);
    strictEqual(code, expected, output);
  }
  strictEqual(await container.stop(), 0, container.output());
  match(container.output(), /"message":"stopped"/);
});
