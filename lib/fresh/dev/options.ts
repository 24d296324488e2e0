import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** What a builder may be told. Paths may be file URLs, or relative to the root. */
export interface BuildOptions {
  /** Browsers the scripts must run in, in esbuild's terms. */
  target?: string | string[];
  /** Folder of the project; default the current one. */
  root?: string;
  /** Folder the build is written to; default "_fresh". */
  outDir?: string;
  /** Folder, or folders in order of precedence, of static files; default "static". */
  staticDir?: string | string[];
  /** Folder of islands; default "islands". */
  islandDir?: string;
  /** Folder of routes; default "routes". */
  routeDir?: string;
  /** Module that exports the application as `app`; default "main.ts". */
  serverEntry?: string;
  /** Files of routes and islands to leave out; default tests. */
  ignore?: RegExp[];
}

/** The options with every default filled in and every path absolute. */
export interface ResolvedBuildConfig extends Required<BuildOptions> {
  staticDir: string[];
  mode: "development" | "production";
}

/** Fills in the defaults. */
export function resolveOptions(options: BuildOptions): ResolvedBuildConfig {
  const at = (path: string, root: string) => resolve(root, path.startsWith("file://") ? fileURLToPath(path) : path);
  const root = at(options.root ?? ".", Deno.cwd());
  return {
    target: options.target ?? ["chrome99", "firefox99", "safari15"],
    root,
    outDir: at(options.outDir ?? "_fresh", root),
    staticDir: [options.staticDir ?? "static"].flat().map((path) => at(path, root)),
    islandDir: at(options.islandDir ?? "islands", root),
    routeDir: at(options.routeDir ?? "routes", root),
    serverEntry: at(options.serverEntry ?? "main.ts", root),
    ignore: options.ignore ?? [/[._]test\.(?:[tj]sx?|[mc][tj]s)$/],
    mode: "production",
  };
}
