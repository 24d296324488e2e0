import type { FsRouteFile, FsRouteKind } from "../build_cache.ts";
import type { RouteComponent } from "../component.ts";
import { pathToPattern } from "./pattern.ts";
import { addRoute, type Registration } from "./registry.ts";
import { renderRoute, toRoute } from "./route.ts";
import type { Middleware, Route, RouteConfig, RouteHandler } from "../types.ts";

const KINDS = new Map<string | undefined, FsRouteKind>(Object.entries({
  _app: "app",
  _layout: "layout",
  _middleware: "middleware",
  _error: "error",
  _500: "error",
  _404: "notFound",
}));

/**
 * Derives the kind and the patterns of a file from its path relative to the routes folder.
 *
 * @throws {SyntaxError} The path is not a valid pattern.
 */
export function describeRouteFile(relativePath: string): Omit<FsRouteFile, "mod"> {
  const id = relativePath.replace(/\.[^./]+$/, "");
  const [folder, name] = [id.replace(/\/?[^/]*$/, ""), id.split("/").at(-1)];
  const kind = KINDS.get(name) ?? "route";
  const pattern = pathToPattern(kind === "route" ? id : folder, true);
  if (kind !== "route") return { id, kind, pattern, routePattern: pattern };
  // An index file belongs to its own folder's segment, another file to the parent segment.
  const isFolder = name === "index" && !pattern.endsWith("/");
  return { id, kind, pattern: isFolder ? `${pattern}/` : pattern, routePattern: pathToPattern(id) };
}

/** Starts of file names, in the order in which files of one folder are registered. */
const RANKS = [/^_m/, /^_(?!e)/, /^_e/, /^index$/, /^[^([]/, /^\(/, /^\[(?!\.)/, /^\[\./];

/**
 * Compares files by the order of registration: a folder's special files before its routes, specific patterns before
 * general ones.
 */
export function compareRouteFiles(a: Omit<FsRouteFile, "mod">, b: Omit<FsRouteFile, "mod">): number {
  if (a.kind === "app" || b.kind === "app") return a.kind === "app" ? -1 : 1;
  const [aParts, bParts] = [a.id.split("/"), b.id.split("/")];
  const at = aParts.findIndex((part, i) => part !== bParts[i]);
  // If one path is a prefix of the other, the longer one is more specific.
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
 * @throws {Error} The module lacks the exports that its kind requires.
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
  const isEmpty = (component ?? handler ?? config) === undefined;
  if (isEmpty || (kind === "middleware" && middlewares.some((each) => typeof each !== "function"))) {
    throw new Error(`Module does not export what a ${kind} requires: ${id}`);
  }
  if (typeof handler === "function" && handler.length > 1) {
    throw new Error(`Handler has more than one parameter: ${id}`);
  }
  return { config, component, handler, middlewares } as RouteModule<State>;
}
