import type { FsRouteFile, FsRouteKind } from "./build_cache.ts";
import type { RouteComponent } from "./component.ts";
import { pathToPattern } from "./pattern.ts";
import { addRoute, type Registration } from "./registry.ts";
import { renderRoute, toRoute } from "./route.ts";
import type { Middleware, Route, RouteConfig, RouteHandler } from "./types.ts";

const KINDS = new Map<string | undefined, FsRouteKind>(Object.entries({
  _app: "app",
  _layout: "layout",
  _middleware: "middleware",
  _error: "error",
  _500: "error",
  _404: "notFound",
}));

/**
 * Reads kind and patterns from the path of a file below the routes folder.
 *
 * @throws {SyntaxError} The name is no valid pattern.
 */
export function describeRouteFile(relativePath: string): Omit<FsRouteFile, "mod"> {
  const id = relativePath.replace(/\.[^./]+$/, "");
  const [folder, name] = [id.replace(/\/?[^/]*$/, ""), id.split("/").at(-1)];
  const kind = KINDS.get(name) ?? "route";
  const pattern = pathToPattern(kind === "route" ? id : folder, true);
  if (kind !== "route") return { id, kind, pattern, routePattern: pattern };
  // An index belongs to its folder's segment, a plain file to the one above.
  const isFolder = name === "index" && !pattern.endsWith("/");
  return { id, kind, pattern: isFolder ? `${pattern}/` : pattern, routePattern: pathToPattern(id) };
}

const RANKS = [/^_m/, /^_(?!e)/, /^_e/, /^index$/, /^[^([]/, /^\(/, /^\[(?!\.)/, /^\[\./];

/**
 * Orders files: what a folder's special files set comes before its routes, and a more specific pattern before a more
 * general one.
 */
export function compareRouteFiles(a: Omit<FsRouteFile, "mod">, b: Omit<FsRouteFile, "mod">): number {
  if (a.kind === "app" || b.kind === "app") return a.kind === "app" ? -1 : 1;
  const [aParts, bParts] = [a.id.split("/"), b.id.split("/")];
  const at = aParts.findIndex((part, i) => part !== bParts[i]);
  // One path is the start of the other: the longer one is more specific.
  if (at === -1) return 1;
  if (at === bParts.length) return -1;
  const [aName, bName] = [aParts[at], bParts[at]];
  const rank = (part: string) => RANKS.findIndex((start) => start.test(part));
  if (rank(aName) !== rank(bName)) return rank(aName) - rank(bName);
  if (bName.startsWith(aName)) return at === aParts.length - 1 ? 1 : -1;
  if (aName.startsWith(bName)) return at === bParts.length - 1 ? -1 : 1;
  return aName < bName ? -1 : 1;
}

/**
 * Registers a file of the routes folder.
 *
 * @throws {Error} Its module exports nothing that its kind needs.
 */
export function fsRoute<State>(file: FsRouteFile): Registration<State> {
  const { kind, pattern, routePattern, mod } = file;
  if (kind === "route") {
    const load = (loaded: object): Route<State> => {
      const { component, handler, config } = readModule<State>(file, loaded);
      return { component, handler, config: { ...config, routeOverride: config?.routeOverride ?? routePattern } };
    };
    const route = typeof mod === "function" ? async () => load(await mod()) : load(mod);
    const config = { routeOverride: routePattern };
    return (registry) => addRoute(registry, { pattern, route, config, includeLast: false });
  }
  const { component, handler, config, middlewares } = readModule<State>(file, mod);
  const route = toRoute({ component, handler, config });
  return ({ root }) => {
    const segment = root.at(pattern, true);
    if (kind === "middleware") segment.middlewares.push(...middlewares);
    else if (kind === "error") segment.errorRoute = route;
    else if (kind === "notFound") root.notFound = (ctx) => renderRoute(ctx, route);
    else if (kind === "app") root.app = component;
    else if (component) segment.layout = { component, config };
  };
}

interface RouteModule<State> {
  config?: RouteConfig;
  component?: RouteComponent<State>;
  handler?: RouteHandler<unknown, State>;
  middlewares: Middleware<State>[];
}

function readModule<State>({ id, kind }: FsRouteFile, mod: object): RouteModule<State> {
  const { default: component, handler: single, handlers, config }: Record<string, unknown> = { ...mod };
  const handler = handlers ?? single;
  const middlewares = [handler ?? component ?? []].flat();
  const isUseless = (component ?? handler ?? config) === undefined;
  if (isUseless || (kind === "middleware" && middlewares.some((each) => typeof each !== "function"))) {
    throw new Error(`Nothing that a ${kind} needs is exported by: ${id}`);
  }
  if (typeof handler === "function" && handler.length > 1) {
    throw new Error(`Handler takes more than one argument: ${id}`);
  }
  return { config, component, handler, middlewares } as RouteModule<State>;
}
