import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Options of a builder. Paths are relative to the root, absolute, or file URLs. */
export interface BuildOptions {
  /** Browsers that the scripts must support, as esbuild targets. */
  target?: string | string[];
  /** Folder of the project. Default: the current directory. */
  root?: string;
  /** Folder to which the build is written. Default: "_fresh". */
  outDir?: string;
  /** Folder of static files, or several in order of precedence. Default: "static". */
  staticDir?: string | string[];
  /** Folder of islands. Default: "islands". */
  islandDir?: string;
  /** Folder of routes. Default: "routes". */
  routeDir?: string;
  /** Module that exports the application as `app`. Default: "main.ts". */
  serverEntry?: string;
  /** Patterns of files to ignore in the routes and islands folders. Default: test files. */
  ignore?: RegExp[];
}

/** The options, with defaults filled in and absolute paths. */
export interface ResolvedBuildConfig extends Required<BuildOptions> {
  staticDir: string[];
  mode: "development" | "production";
}

/** Fills in defaults and makes paths absolute. */
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
