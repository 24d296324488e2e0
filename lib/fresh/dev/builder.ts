import { fileURLToPath, pathToFileURL } from "node:url";
import type { App } from "../app.ts";
import type { FileEntry } from "../build_cache.ts";
import { applySnapshot, type Snapshot } from "../snapshot.ts";
import type { ListenOptions } from "../types.ts";
import { BOOT_FILE, bundleIslands, bundleStyles, LIVE_RELOAD_FILE, minify } from "./bundle.ts";
import { crawlRoutes } from "./crawl.ts";
import { collectStaticFiles, describeFile, hash, walkScripts } from "./files.ts";
import { type BuildOptions, type ResolvedBuildConfig, resolveOptions } from "./options.ts";
import { serveDevelopment } from "./server.ts";
import { printSizes } from "./sizes.ts";
import { type BuildParts, writeBuild } from "./write.ts";

/** What to build: production or development scripts, on disk or in the memory of this process. */
export interface BuildMode {
  mode?: "development" | "production";
  snapshot?: "disk" | "memory";
}

/** Builds a project: finds its routes, bundles its islands and collects its static files. */
// deno-lint-ignore no-explicit-any -- a builder works with applications of any state
export class Builder<State = any> {
  /** The options, with defaults filled in. */
  config: ResolvedBuildConfig;

  constructor(options: BuildOptions = {}) {
    this.config = resolveOptions(options);
  }

  /** Builds the project. Returns a function that applies a build in memory to an application. */
  async build({ mode = "production", snapshot = "disk" }: BuildMode = {}): Promise<(app: App<State>) => void> {
    this.config.mode = mode;
    const parts = await collect(this.config);
    if (snapshot === "memory") {
      const loaded = await load(parts);
      return (app) => applySnapshot(app, loaded);
    }
    if (mode === "production") await minifyStaticFiles(parts.files);
    await writeBuild(parts, this.config);
    await printSizes(parts.bundle);
    return () => {
      throw new Error("Cannot apply a build on disk: import its server.js instead");
    };
  }

  /** Serves the application for development. Pages reload when the server restarts. */
  async listen(
    importApp: () => Promise<{ app: App<State> } | App<State>>,
    options: ListenOptions = {},
  ): Promise<void> {
    this.config.mode = "development";
    const imported = await importApp();
    const app = "app" in imported ? imported.app : imported;
    await serveDevelopment(app, await load(await collect(this.config)), options);
  }
}

async function collect({ root, mode, target, ...config }: ResolvedBuildConfig): Promise<BuildParts> {
  const { routes, islands: besideRoutes } = await crawlRoutes(config.routeDir, config.ignore);
  const islands = [...await walkScripts(config.islandDir, config.ignore), ...besideRoutes];
  // Importing also downloads npm packages, so that the bundler finds them.
  for (const path of islands) await importFile(path);
  const bundle = await bundleIslands(islands, { root, mode, target });

  const files = await collectStaticFiles(config.staticDir);
  const scripts = await Promise.all(
    [...bundle.scripts].map(async ([name, content]) => [name, await describeFile(name, content)] as const),
  );
  const hashes = [...files, ...scripts].map(([name, file]) => `${name} ${file.hash}\n`);
  const buildId = (await hash(new TextEncoder().encode(hashes.join("")))).slice(0, 16);
  const base = `/_fresh/js/${buildId}`;
  for (const [name, file] of scripts) files.set(`${base}/${name}`, file);
  return {
    metadata: {
      buildId,
      clientEntry: `${base}/${BOOT_FILE}`,
      devEntry: mode === "development" ? `${base}/${LIVE_RELOAD_FILE}` : undefined,
    },
    root,
    routes,
    islands: islands.map((path, i) => ({ path, file: `${base}/${bundle.islandFiles[i]}` })),
    files,
    bundle,
  };
}

/** Replaces the style sheets and scripts among static files. The scripts of islands are minified already. */
async function minifyStaticFiles(files: Map<string, FileEntry>): Promise<void> {
  await Promise.all([...files].map(async ([pathname, { source }]) => {
    const type = /\.(css|js)$/.exec(pathname)?.[1];
    if (type === undefined || !(source instanceof URL)) return;
    const path = fileURLToPath(source);
    const code = type === "css"
      ? await bundleStyles(path, path.slice(0, -decodeURIComponent(pathname).length))
      : await minify(await Deno.readTextFile(path));
    files.set(pathname, await describeFile(pathname, new TextEncoder().encode(code)));
  }));
}

async function load({ metadata, root, files, ...parts }: BuildParts): Promise<Snapshot> {
  const islands = parts.islands.map(async ({ path, file }) => ({ file, mod: await importFile(path) }));
  const fsRoutes = parts.routes.map(async ({ path, isLazy, ...file }) => {
    const mod = isLazy ? () => importFile(path) : await importFile(path);
    return { ...file, mod };
  });
  return { ...metadata, root, files, islands: await Promise.all(islands), fsRoutes: await Promise.all(fsRoutes) };
}

async function importFile(path: string): Promise<object> {
  return await import(pathToFileURL(path).href);
}
