/** Characters that make a path a pattern. */
export const IS_PATTERN = /[*:{}+?()]/;

/**
 * Converts a route's file path (without extension and leading slash) to a URL pattern.
 *
 * @param keepGroups Whether to keep route groups such as `(name)`, which name segments but are not part of URLs.
 * @throws {SyntaxError} The path has unbalanced brackets or adjacent parameters.
 */
export function pathToPattern(path: string, keepGroups = false): string {
  const parts = path.split("/").filter((part) => keepGroups || !/^\(.*\)$/.test(part));
  if (parts.at(-1) === "index") parts.pop();
  const pattern = parts.map((part) => partToPattern(part, path)).join("") || "/";
  const hasFixedPart = parts.some((part) => !/^\[(\[|\.\.\.)/.test(part));
  // A pattern that starts with an optional part must also match "/".
  return hasFixedPart ? pattern : pattern.replace(/^\{\//, "/{");
}

function partToPattern(part: string, path: string): string {
  const rest = /^\[\.\.\.(.+)\]$/.exec(part);
  if (rest) return `/:${rest[1]}*`;
  const optional = /^\[\[([^[\]]+)\]\]$/.exec(part);
  if (optional) return `{/:${optional[1]}}?`;
  const named = part.replaceAll(/\[([^[\]]+)\]/g, ":$1");
  // Adjacent parameters, or a bracket without its counterpart.
  if (part.includes("][") || /[[\]]/.test(named)) throw new SyntaxError(`Invalid route pattern: "${path}"`);
  return `/${named}`;
}

/** Splits a pattern into its segments, outermost first. Drops optional parts. */
export function patternToSegments(pattern: string, includeLast: boolean): string[] {
  if (pattern === "/" || pattern === "*" || pattern === "/*") return [];
  const folders = pattern.replace(/\{[^}]*\}\??/g, "").replace(/^\//, "").split("/");
  const last = folders.pop();
  return includeLast && last ? [...folders, last] : folders;
}

/** Prefixes a pattern with a base path. `*` matches every path below it. */
export function mergePath(basePath: string, path: string, isMounting: boolean): string {
  const base = basePath.replace(/\*$/, "").replace(/^\/$/, "");
  if (path === "*") return base + (isMounting ? "" : "/*");
  return base + (base !== "" && path === "/" ? "" : path);
}

/** Matches a path. Returns the named groups, or null if the path does not match. */
export type Matcher = (pathname: string) => Record<string, string | undefined> | null;

/**
 * Compiles a pattern. Patterns that file names can express become a regular expression, which is about two hundred
 * times faster than `URLPattern`. Other patterns use `URLPattern`.
 */
export function compilePattern(pattern: string): Matcher {
  const names: string[] = [];
  const source = /\/\.\.?(\/|$)/.test(pattern) ? null : toSource(pattern, names);
  if (source === null) {
    const compiled = new URLPattern({ pathname: pattern });
    return (pathname) => compiled.exec({ pathname })?.pathname.groups ?? null;
  }
  const regExp = new RegExp(`^${source}$`);
  return (pathname) => {
    const match = regExp.exec(pathname);
    return match && Object.fromEntries(names.map((name, i) => [name, match[i + 1]]));
  };
}

const TOKEN = /(\/?)(?::([A-Za-z_]\w*)|(\*))([*+?]?)|\{([^{}]*)\}(\??)|([\w\-.~/@!$&',;=%])|./gs;
const MANY = "([^/]+?(?:/[^/]+?)*)";

/** Returns the source of a regular expression, or null if the pattern requires `URLPattern`. */
function toSource(pattern: string, names: string[]): string | null {
  const parts = Array.from(pattern.matchAll(TOKEN), ([, slash, name, star, modifier, group, optional, text]) => {
    if (text) return text.replace(/[.$]/, "\\$&");
    if (group !== undefined) {
      const inner = toSource(group, names);
      return inner && `(?:${inner})${optional}`;
    }
    if (star && !modifier) {
      names.push(String(names.filter((known) => /^\d/.test(known)).length));
      return `${slash}(.*)`;
    }
    if (!name || (modifier && !slash)) return null;
    names.push(name);
    if (modifier === "") return `${slash}([^/]+?)`;
    return { "?": "(?:/([^/]+?))?", "+": `/${MANY}`, "*": `(?:/${MANY})?` }[modifier] ?? null;
  });
  return parts.includes(null) ? null : parts.join("");
}
