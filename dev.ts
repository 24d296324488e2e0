import { buildOptions } from "./fresh.config.ts";

/**
 * `dev.ts` runs the development server. `dev.ts build` builds the app into `_fresh/`, unless the build is up to date.
 *
 * `_fresh` is a symbolic link that is replaced atomically, so a process that starts during a build finds a complete
 * one. A lock file prevents concurrent builds.
 */

const ROOT = import.meta.dirname!;
const LINK = `${ROOT}/_fresh`;
/** Files and folders that determine the build. */
const SOURCES = [
  "deno.json",
  "deno.lock",
  "main.ts",
  "dev.ts",
  "fresh.config.ts",
  "islands",
  "lib",
  "routes",
  "static",
];

if (Deno.args[0] === "build") await build();
else await develop();

async function build() {
  const name = `_fresh-${await fingerprint()}`;
  const current = () => Deno.readLink(LINK).catch(() => null);
  // Check before taking the lock, so that an up-to-date build needs no write permission.
  if (await current() === name) return;
  using lock = await Deno.open(`${ROOT}/_fresh.lock`, { read: true, write: true, create: true });
  await lock.lock(true);
  const previous = await current();
  if (previous === name) return;

  await requireValidTexts();
  const outDir = `${ROOT}/${name}`;
  await Deno.remove(outDir, { recursive: true }).catch(() => {});
  const { Builder } = await load<typeof import("fresh/dev")>("fresh/dev");
  await new Builder({ ...buildOptions, outDir }).build();
  await Deno.writeTextFile(`${outDir}/api.json`, await describedApi());
  await Deno.remove(`${LINK}.new`).catch(() => {});
  await Deno.symlink(name, `${LINK}.new`);
  await Deno.rename(`${LINK}.new`, LINK);
  await removeBuilds([name, previous]);
}

/** The build contains the texts that come with the service, so starts do not check them again. */
async function requireValidTexts() {
  const { checkBuiltIn, textProblems } = await load<typeof import("./lib/texts/languages.ts")>(
    "./lib/texts/languages.ts",
  );
  const { errors } = checkBuiltIn();
  if (errors.length === 0) return;
  console.error(textProblems(errors));
  Deno.exit(1);
}

/** Collects the description of the API from the routes. */
async function describedApi(): Promise<string> {
  const { collectDescription } = await load<typeof import("./lib/api/collect.ts")>("./lib/api/collect.ts");
  return await collectDescription(new URL("routes/", import.meta.url));
}

async function develop() {
  const { readEnvFile } = await load<typeof import("./lib/config/env_file.ts")>("./lib/config/env_file.ts");
  for (const [name, value] of Object.entries(await readEnvFile(Deno.env.toObject()))) Deno.env.set(name, value);
  await requireValidTexts();
  const { listenForConverters } = await load<typeof import("./lib/server/converters.ts")>("./lib/server/converters.ts");
  const converters = listenForConverters();
  globalThis.addEventListener("unload", () => converters[Symbol.dispose]());
  Deno.env.set("CONVERTER_FOLDER", converters.folder);
  const { Builder } = await load<typeof import("fresh/dev")>("fresh/dev");
  const { createApp } = await load<typeof import("./lib/web/app.ts")>("./lib/web/app.ts");
  const { outerHandler } = await load<typeof import("./lib/server/outer_handler.ts")>("./lib/server/outer_handler.ts");
  const { appOptions } = await load<typeof import("./fresh.config.ts")>("./fresh.config.ts");
  const { startBackground } = await load<typeof import("./lib/jobs/background.ts")>("./lib/jobs/background.ts");
  const { startMetrics } = await load<typeof import("./lib/server/monitoring/start_metrics.ts")>(
    "./lib/server/monitoring/start_metrics.ts",
  );
  const { announce } = await load<typeof import("./lib/server/announce.ts")>("./lib/server/announce.ts");
  const { database, clock, services: built } = await load<typeof import("./main.ts")>("./main.ts");
  const services = { ...built, describedApi };
  const { prepareSigningKeys } = await load<typeof import("./lib/access/signing_keys.ts")>(
    "./lib/access/signing_keys.ts",
  );
  const { prepareGroups } = await load<typeof import("./lib/groups/group.ts")>("./lib/groups/group.ts");
  await Promise.all([prepareSigningKeys(services), prepareGroups(services)]);
  startBackground(services, { database, clock });
  startMetrics(services, database);
  const { port, host: hostname } = services.config;
  const app = createApp(services, {
    options: appOptions,
    outermost: [(ctx) => outerHandler(services, () => ctx.next())(ctx.req, ctx.info)],
  });
  await new Builder(buildOptions).listen(() => Promise.resolve({ app }), {
    port,
    hostname,
    onListen: () => void announce(services),
  });
}

/** Imports a module. Deno would read the modules of an `import("...")` at every start, even if it is never reached. */
async function load<Module>(specifier: string): Promise<Module> {
  return await import(import.meta.resolve(specifier));
}

/**
 * Returns a hash of the sources. Equal sources have equal builds. Many small files are read faster without promises.
 */
async function fingerprint(): Promise<string> {
  const files = SOURCES.flatMap((path) => filesUnder(`${ROOT}/${path}`)).sort();
  const contents = files.map((path) => Deno.readFileSync(path));
  const names = new TextEncoder().encode(files.map((path, i) => `${path} ${contents[i].length}\n`).join(""));
  const bytes = await new Blob([names, ...contents]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 16);
}

function filesUnder(path: string): string[] {
  if (Deno.statSync(path).isFile) return [path];
  return Array.from(Deno.readDirSync(path)).flatMap(({ name }) => filesUnder(`${path}/${name}`));
}

/** Deletes old builds, except the new one and the previous one, which servers may still use. */
async function removeBuilds(kept: (string | null)[]) {
  for await (const { name } of Deno.readDir(ROOT)) {
    if (name.startsWith("_fresh-") && !kept.includes(name)) await Deno.remove(`${ROOT}/${name}`, { recursive: true });
  }
}
