import { buildOptions } from "./fresh.config.ts";

/**
 * `dev.ts` runs the development server. `dev.ts build` builds the app into `_fresh/`, unless the build is up to date.
 *
 * `_fresh` is a symbolic link that is replaced atomically, so a process that starts during a build finds a complete one.
 * A lock file prevents concurrent builds.
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

  const outDir = `${ROOT}/${name}`;
  await Deno.remove(outDir, { recursive: true }).catch(() => {});
  const { Builder } = await import("fresh/dev");
  await new Builder({ ...buildOptions, outDir }).build();
  await Deno.remove(`${LINK}.new`).catch(() => {});
  await Deno.symlink(name, `${LINK}.new`);
  await Deno.rename(`${LINK}.new`, LINK);
  await removeBuilds([name, previous]);
}

async function develop() {
  const { Builder } = await import("fresh/dev");
  const { createApp } = await import("./lib/http/app.ts");
  const { outerHandler } = await import("./lib/server/outer_handler.ts");
  const { appOptions } = await import("./fresh.config.ts");
  const { startBackground } = await import("./lib/server/background.ts");
  const { database, services } = await import("./main.ts");
  startBackground(services, database);
  const { port, host: hostname } = services.config;
  const app = createApp(services, {
    options: appOptions,
    outermost: [(ctx) => outerHandler(services, () => ctx.next())(ctx.req, ctx.info)],
  });
  await new Builder(buildOptions).listen(() => Promise.resolve({ app }), { port, hostname });
}

/** Returns a hash of the sources. Equal sources have equal builds. */
async function fingerprint(): Promise<string> {
  const files = (await Promise.all(SOURCES.map((path) => filesUnder(`${ROOT}/${path}`)))).flat().sort();
  const contents = await Promise.all(files.map((path) => Deno.readFile(path)));
  const names = new TextEncoder().encode(files.map((path, i) => `${path} ${contents[i].length}\n`).join(""));
  const bytes = await new Blob([names, ...contents]).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 16);
}

async function filesUnder(path: string): Promise<string[]> {
  if ((await Deno.stat(path)).isFile) return [path];
  const entries = await Array.fromAsync(Deno.readDir(path));
  return (await Promise.all(entries.map(({ name }) => filesUnder(`${path}/${name}`)))).flat();
}

/** Deletes old builds, except the new one and the previous one, which servers may still use. */
async function removeBuilds(kept: (string | null)[]) {
  for await (const { name } of Deno.readDir(ROOT)) {
    if (name.startsWith("_fresh-") && !kept.includes(name)) await Deno.remove(`${ROOT}/${name}`, { recursive: true });
  }
}
