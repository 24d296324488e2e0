import { pathToFileURL } from "node:url";
import type { App } from "../app.ts";
import { applySnapshot, type Snapshot } from "../snapshot.ts";
import type { ListenOptions } from "../types.ts";
import { BOOT_FILE, bundleIslands, LIVE_RELOAD_FILE } from "./bundle.ts";
import { crawlRoutes } from "./crawl.ts";
import { collectStaticFiles, describeFile, hash, walkScripts } from "./files.ts";
import { type BuildOptions, type ResolvedBuildConfig, resolveOptions } from "./options.ts";
import { serveDevelopment } from "./server.ts";
import { printSizes } from "./sizes.ts";
import { type BuildParts, writeBuild } from "./write.ts";

/** How to build: for browsers of users or of developers, to disk or for the applications of this process. */
export interface BuildMode {
  mode?: "development" | "production";
  snapshot?: "disk" | "memory";
}

/** Turns the folders of a project into what its server needs. */
// deno-lint-ignore no-explicit-any -- one builder serves apps of any state
export class Builder<State = any> {
  /** The resolved options. */
  config: ResolvedBuildConfig;

  constructor(options: BuildOptions = {}) {
    this.config = resolveOptions(options);
  }

  /** Builds; a build in memory is put into an application by the function returned. */
  async build({ mode = "production", snapshot = "disk" }: BuildMode = {}): Promise<(app: App<State>) => void> {
    this.config.mode = mode;
    const parts = await collect(this.config);
    if (snapshot === "memory") {
      const loaded = await load(parts);
      return (app) => applySnapshot(app, loaded);
    }
    await writeBuild(parts, this.config);
    await printSizes(parts.bundle);
    return () => {
      throw new Error("A build on disk is applied by its server.js, not in the process that wrote it");
    };
  }

  /** Serves the application for development; pages reload when it restarts. */
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
  // Also fetches the packages they import, which the bundler then finds.
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
    described: {
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

async function load({ described, root, files, ...parts }: BuildParts): Promise<Snapshot> {
  const islands = parts.islands.map(async ({ path, file }) => ({ file, mod: await importFile(path) }));
  const fsRoutes = parts.routes.map(async ({ path, isLazy, ...file }) => {
    const mod = isLazy ? () => importFile(path) : await importFile(path);
    return { ...file, mod };
  });
  return { ...described, root, files, islands: await Promise.all(islands), fsRoutes: await Promise.all(fsRoutes) };
}

async function importFile(path: string): Promise<object> {
  return await import(pathToFileURL(path).href);
}
