import type { FsRouteFile } from "../build_cache.ts";
import { compareRouteFiles, describeRouteFile } from "../fs_routes.ts";
import { walkScripts } from "./files.ts";

/** A file of the routes folder before its module is loaded. */
export interface RouteSource extends Omit<FsRouteFile, "mod"> {
  path: string;
  /** Whether its module is loaded on the first request. */
  isLazy: boolean;
}

/** Finds routes, in the order of their registration, and islands among them. */
export async function crawlRoutes(
  folder: string,
  ignore: RegExp[],
): Promise<{ routes: RouteSource[]; islands: string[] }> {
  const routes: RouteSource[] = [];
  const islands: string[] = [];
  for (const path of await walkScripts(folder, ignore)) {
    const relative = path.slice(folder.length + 1);
    const privateFolder = /(?:^|\/)\((_[^/]+)\)\//.exec(relative)?.[1];
    if (privateFolder === "_islands") islands.push(path);
    if (privateFolder) continue;
    const file = describeRouteFile(relative);
    // Only its module knows the URL of a route that overrides it, so that is loaded at the start.
    const isLazy = file.kind === "route" && !(await Deno.readTextFile(path)).includes("routeOverride");
    routes.push({ ...file, path, isLazy });
  }
  return { routes: routes.sort(compareRouteFiles), islands };
}
