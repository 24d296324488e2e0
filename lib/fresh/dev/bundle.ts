import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { denoResolver } from "./resolve.ts";

/** Scripts for browsers. */
export interface Bundle {
  /** Contents by file name. */
  scripts: Map<string, Uint8Array<ArrayBuffer>>;
  /** Names of the scripts that each script imports. */
  imports: Map<string, string[]>;
  /** File name of each island's script, in the order they were given. */
  islandFiles: string[];
}

/** File names of the framework's own scripts. */
export const BOOT_FILE = "fresh-runtime.js";
export const LIVE_RELOAD_FILE = "fresh-live-reload.js";

/** How to bundle. */
export interface BundleOptions {
  root: string;
  target: string | string[];
  mode: "development" | "production";
}

/** Bundles modules of islands; what several share becomes a script of its own. */
export async function bundleIslands(islands: string[], options: BundleOptions): Promise<Bundle> {
  const entryPoints: Record<string, string> = {};
  const own = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
  if (islands.length > 0) entryPoints["fresh-runtime"] = own("../client/boot.ts");
  if (options.mode === "development") entryPoints["fresh-live-reload"] = own("../client/live_reload.ts");
  const islandFiles = islands.map((path) => {
    const base = basename(path, extname(path)).replaceAll(/[^\w$-]/g, "_");
    let name = base;
    for (let i = 1; name in entryPoints; i++) name = `${base}_${i}`;
    entryPoints[name] = path;
    return `${name}.js`;
  });
  return { ...await runEsbuild(entryPoints, options), islandFiles };
}

let running = 0;

async function runEsbuild(
  entryPoints: Record<string, string>,
  { root, target, mode }: BundleOptions,
): Promise<Pick<Bundle, "scripts" | "imports">> {
  if (Object.keys(entryPoints).length === 0) return { scripts: new Map(), imports: new Map() };
  // Loaded here: a server that only applies a snapshot never needs it.
  const esbuild = await import("esbuild");
  running++;
  try {
    const { outputFiles, metafile } = await esbuild.build({
      entryPoints,
      target,
      absWorkingDir: root,
      outdir: ".",
      write: false,
      metafile: true,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "browser",
      minify: mode === "production",
      sourcemap: mode === "development" ? "inline" : false,
      legalComments: "none",
      jsx: "automatic",
      jsxImportSource: "preact",
      define: { "process.env.NODE_ENV": JSON.stringify(mode) },
      logLevel: "silent",
      plugins: [denoResolver()],
    });
    const imports = Object.entries(metafile.outputs).map(([name, output]) =>
      [name, output.imports.map(({ path }) => path)] as const
    );
    const scripts = outputFiles.map(({ path, contents }) => [basename(path), new Uint8Array(contents)] as const);
    return { scripts: new Map(scripts), imports: new Map(imports) };
  } finally {
    // Its service would keep the process alive; it serves all builds at once.
    if (--running === 0) await esbuild.stop();
  }
}
