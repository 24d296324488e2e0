import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { denoResolver } from "./resolve.ts";

/** The scripts that browsers download. */
export interface Bundle {
  /** Script contents by file name. */
  scripts: Map<string, Uint8Array<ArrayBuffer>>;
  /** Names of imported scripts by the importing script's file name. */
  imports: Map<string, string[]>;
  /** File names of the islands' scripts, in the order of the islands. */
  islandFiles: string[];
}

/** File names of the framework's own scripts. */
export const BOOT_FILE = "fresh-runtime.js";
export const LIVE_RELOAD_FILE = "fresh-live-reload.js";

/** Options of {@linkcode bundleIslands}. */
export interface BundleOptions {
  root: string;
  target: string | string[];
  mode: "development" | "production";
}

/** Bundles island modules. Code that several islands share goes into separate scripts. */
export async function bundleIslands(islands: string[], options: BundleOptions): Promise<Bundle> {
  const entryPoints: Record<string, string> = {};
  if (islands.length > 0) entryPoints["fresh-runtime"] = frameworkFile("client/boot.ts");
  if (options.mode === "development") entryPoints["fresh-live-reload"] = frameworkFile("client/live_reload.ts");
  const islandFiles = islands.map((path) => {
    const base = basename(path, extname(path)).replaceAll(/[^\w$-]/g, "_");
    let name = base;
    for (let i = 1; name in entryPoints; i++) name = `${base}_${i}`;
    entryPoints[name] = path;
    return `${name}.js`;
  });
  return { ...await runEsbuild(entryPoints, options), islandFiles };
}

function frameworkFile(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** Returns a script without comments and needless spaces. */
export async function minify(code: string): Promise<string> {
  return await withEsbuild(async ({ transform }) => {
    return (await transform(code, { minify: true, logLevel: "silent" })).code;
  });
}

/**
 * Returns a style sheet without comments and needless spaces, with the style sheets that it imports in place of the
 * imports: one file compresses better than several, and is loaded in one request.
 *
 * @param root The folder of the paths that begin with a slash. Chromium also requests relative ones below the page.
 */
export async function bundleStyles(path: string, root: string): Promise<string> {
  return await withEsbuild(async ({ build }) => {
    const { outputFiles: [{ text }] } = await build({
      entryPoints: [path],
      write: false,
      bundle: true,
      minify: true,
      logLevel: "silent",
      plugins: [{
        name: "paths of the site",
        setup({ onResolve }) {
          onResolve({ filter: /./ }, ({ kind, path }) => kind === "url-token" ? { path, external: true } : undefined);
          onResolve({ filter: /^\// }, ({ kind, path }) => kind === "import-rule" ? { path: root + path } : undefined);
        },
      }],
    });
    return text;
  });
}

let runningBuilds = 0;

async function withEsbuild<T>(use: (esbuild: typeof import("esbuild")) => Promise<T>): Promise<T> {
  // Imported lazily because a server that only applies a build does not need esbuild.
  const esbuild = await import("esbuild");
  runningBuilds++;
  try {
    return await use(esbuild);
  } finally {
    // esbuild's child process would keep this process alive. Concurrent builds share it.
    if (--runningBuilds === 0) await esbuild.stop();
  }
}

async function runEsbuild(
  entryPoints: Record<string, string>,
  { root, target, mode }: BundleOptions,
): Promise<Pick<Bundle, "scripts" | "imports">> {
  if (Object.keys(entryPoints).length === 0) return { scripts: new Map(), imports: new Map() };
  return await withEsbuild(async ({ build }) => {
    const { outputFiles, metafile } = await build({
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
      charset: "utf8",
      // Scripts are smaller than with the functions of preact/jsx-runtime, which every page would load besides `h`.
      jsx: "transform",
      jsxFactory: "__h",
      jsxFragment: "__Fragment",
      inject: [frameworkFile("client/jsx.ts")],
      define: { "process.env.NODE_ENV": JSON.stringify(mode) },
      logLevel: "silent",
      plugins: [denoResolver()],
    });
    const imports = Object.entries(metafile.outputs).map(([name, output]) =>
      [name, output.imports.map(({ path }) => path)] as const
    );
    const scripts = outputFiles.map(({ path, contents }) => [basename(path), new Uint8Array(contents)] as const);
    return { scripts: new Map(scripts), imports: new Map(imports) };
  });
}
