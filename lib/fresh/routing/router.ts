import { compilePattern, IS_PATTERN, type Matcher } from "./pattern.ts";
import type { Method } from "../types.ts";

/** The result of matching a request. */
export interface RouteMatch<T> {
  /** The matched pattern, even if it has no item for the method. Null if no pattern matched. */
  pattern: string | null;
  /** The item registered for the pattern and the method, or null. */
  item: T | null;
  params: Record<string, string>;
  /** The methods of a pattern that has no item for the requested one. */
  allowed: Method[];
}

interface RouteEntry<T> {
  pattern: string;
  byMethod: Map<Method, T>;
  match?: Matcher;
}

/**
 * Matches fixed paths by one look-up, then patterns in the order of their registration. The first registration for a
 * path and a method wins.
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
      // ctx.route shows the pattern as URLPattern normalizes it.
      if (isPattern) entry.pattern = new URLPattern({ pathname: path }).pathname;
      entries.set(path, entry);
    }
    if (!entry.byMethod.has(method)) entry.byMethod.set(method, item);
  }

  /**
   * Finds the item for a request.
   *
   * @throws {URIError} A parameter contains malformed percent-encoding.
   */
  match(method: Method, url: URL): RouteMatch<T> {
    const { pathname } = url;
    const other = pathname.endsWith("/") ? pathname.slice(0, -1) : `${pathname}/`;
    const fixed = this.#fixed.get(pathname) ?? (pathname === "/" ? undefined : this.#fixed.get(other));
    if (fixed) return toMatch(fixed, method, {});
    for (const entry of this.#dynamic.values()) {
      const groups = entry.match!(pathname);
      if (groups) return toMatch(entry, method, groups);
    }
    return { pattern: null, item: null, params: Object.create(null), allowed: [] };
  }
}

function toMatch<T>(entry: RouteEntry<T>, method: Method, groups: Record<string, string | undefined>): RouteMatch<T> {
  const { byMethod, pattern } = entry;
  const item = byMethod.get(method) ?? (method === "HEAD" ? byMethod.get("GET") : undefined) ?? null;
  // With a prototype, a missing parameter named "constructor" would look as if it had been sent.
  const params: Record<string, string> = Object.create(null);
  if (item === null) return { pattern, item, params, allowed: [...byMethod.keys()] };
  for (const name of Object.keys(groups)) params[name] = decodeURI(groups[name] ?? "");
  return { pattern, item, params, allowed: [] };
}
