import type { FsRouteFile } from "../build_cache.ts";
import { compareRouteFiles, describeRouteFile } from "../routing/fs_routes.ts";
import { walkScripts } from "./files.ts";

/** A file in the routes folder whose module is not loaded yet. */
export interface RouteSource extends Omit<FsRouteFile, "mod"> {
  path: string;
  /** Whether the module is loaded on the first request. */
  isLazy: boolean;
}

/** Finds the routes, in the order of their registration, and the islands in the routes folder. */
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
    // The module defines routeOverride, so it has to be loaded before the first request.
    const isLazy = file.kind === "route" && !(await Deno.readTextFile(path)).includes("routeOverride");
    routes.push({ ...file, path, isLazy });
  }
  return { routes: routes.sort(compareRouteFiles), islands };
}
