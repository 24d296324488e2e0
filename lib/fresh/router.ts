import { compilePattern, IS_PATTERN, type Matcher } from "./pattern.ts";
import type { Method } from "./types.ts";

/** What the router knows about a request. */
export interface RouteMatch<T> {
  /** The matched pattern, also when no method matched. */
  pattern: string | null;
  /** What was registered for pattern and method. */
  item: T | null;
  params: Record<string, string>;
  /** Methods registered for the pattern. */
  allowed: Method[];
}

interface RouteEntry<T> {
  pattern: string;
  byMethod: Map<Method, T>;
  match?: Matcher;
}

/**
 * Fixed paths by one look-up, then patterns in the order of their registration. For each path and method, the first
 * registration wins.
 */
export class Router<T> {
  #fixed = new Map<string, RouteEntry<T>>();
  #dynamic = new Map<string, RouteEntry<T>>();

  /** Registers an item. */
  add(method: Method, path: string, item: T): void {
    const isPattern = IS_PATTERN.test(path);
    const entries = isPattern ? this.#dynamic : this.#fixed;
    let entry = entries.get(path);
    if (!entry) {
      entry = { pattern: path, byMethod: new Map(), match: isPattern ? compilePattern(path) : undefined };
      // URLPattern writes some patterns in a shorter form, which routes show.
      if (isPattern) entry.pattern = new URLPattern({ pathname: path }).pathname;
      entries.set(path, entry);
    }
    if (!entry.byMethod.has(method)) entry.byMethod.set(method, item);
  }

  /**
   * Finds the route of a request.
   *
   * @throws {URIError} A parameter is not well-formed percent-encoding.
   */
  match(method: Method, url: URL): RouteMatch<T> {
    const { pathname } = url;
    const other = pathname.endsWith("/") ? pathname.slice(0, -1) : `${pathname}/`;
    const fixed = this.#fixed.get(pathname) ?? (pathname === "/" ? undefined : this.#fixed.get(other));
    if (fixed) return toMatch(fixed, method, {});
    for (const entry of this.#dynamic.values()) {
      const groups = entry.match!(url);
      if (groups) return toMatch(entry, method, groups);
    }
    return { pattern: null, item: null, params: Object.create(null), allowed: [] };
  }
}

function toMatch<T>(entry: RouteEntry<T>, method: Method, groups: Record<string, string | undefined>): RouteMatch<T> {
  const { byMethod, pattern } = entry;
  const item = byMethod.get(method) ?? (method === "HEAD" ? byMethod.get("GET") : undefined) ?? null;
  // Without a prototype, a parameter named "constructor" is only what was sent.
  const params: Record<string, string> = Object.create(null);
  if (item === null) return { pattern, item, params, allowed: [...byMethod.keys()] };
  for (const name of Object.keys(groups)) params[name] = decodeURI(groups[name] ?? "");
  return { pattern, item, params, allowed: [] };
}
