/** Characters that make a path a pattern instead of a fixed text. */
export const IS_PATTERN = /[*:{}+?()]/;

/**
 * Turns a route's file path (without extension and leading slash) into a URL pattern. Groups such as `(name)` vanish
 * unless they are to name a segment.
 *
 * @throws {SyntaxError} Brackets that do not pair or parameters that touch.
 */
export function pathToPattern(path: string, keepGroups = false): string {
  const parts = path.split("/").filter((part) => keepGroups || !/^\(.*\)$/.test(part));
  if (parts.at(-1) === "index") parts.pop();
  const pattern = parts.map((part) => partToPattern(part, path)).join("") || "/";
  const hasFixedPart = parts.some((part) => !/^\[(\[|\.\.\.)/.test(part));
  // A leading optional part must still match "/" itself.
  return hasFixedPart ? pattern : pattern.replace(/^\{\//, "/{");
}

function partToPattern(part: string, path: string): string {
  const rest = /^\[\.\.\.(.+)\]$/.exec(part);
  if (rest) return `/:${rest[1]}*`;
  const optional = /^\[\[([^[\]]+)\]\]$/.exec(part);
  if (optional) return `{/:${optional[1]}}?`;
  const named = part.replaceAll(/\[([^[\]]+)\]/g, ":$1");
  // A closing bracket touching an opening one, or one without its partner.
  if (part.includes("][") || /[[\]]/.test(named)) throw new SyntaxError(`Invalid route pattern: "${path}"`);
  return `/${named}`;
}

/** The folders of a pattern, outermost first, without optional parts. */
export function patternToSegments(pattern: string, includeLast: boolean): string[] {
  if (pattern === "/" || pattern === "*" || pattern === "/*") return [];
  const folders = pattern.replace(/\{[^}]*\}\??/g, "").replace(/^\//, "").split("/");
  const last = folders.pop();
  return includeLast && last ? [...folders, last] : folders;
}

/** Puts a pattern under a base path; `*` stands for everything below it. */
export function mergePath(basePath: string, path: string, isMounting: boolean): string {
  const base = basePath.replace(/\*$/, "").replace(/^\/$/, "");
  if (path === "*") return base + (isMounting ? "" : "/*");
  return base + (base !== "" && path === "/" ? "" : path);
}

/** Reads a pathname; gives the named groups, or null where it differs. */
export type Matcher = (url: URL) => Record<string, string | undefined> | null;

/**
 * Compiles a pattern once. The patterns that file names can express become a regular expression, some two hundred
 * times faster than `URLPattern`, which takes the rest.
 */
export function compilePattern(pattern: string): Matcher {
  const names: string[] = [];
  const source = /\/\.\.?(\/|$)/.test(pattern) ? null : toSource(pattern, names);
  if (source === null) {
    const compiled = new URLPattern({ pathname: pattern });
    return (url) => compiled.exec(url)?.pathname.groups ?? null;
  }
  const regExp = new RegExp(`^${source}$`);
  return (url) => {
    const match = regExp.exec(url.pathname);
    return match && Object.fromEntries(names.map((name, i) => [name, match[i + 1]]));
  };
}

const TOKEN = /(\/?)(?::([A-Za-z_]\w*)|(\*))([*+?]?)|\{([^{}]*)\}(\??)|([\w\-.~/@!$&',;=%])|./gs;
const MANY = "([^/]+?(?:/[^/]+?)*)";

/** Source of a regular expression, or null where a pattern needs more. */
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
