/** Query parameter that carries the build id of a versioned file. */
export const ASSET_KEY = "__frsh_c";

// In the browser this module is served below the build's own path.
let buildId = /\/_fresh\/js\/([^/]+)\//.exec(import.meta.url)?.[1] ?? "";

/** Sets the build whose files this server sends. */
export function setBuildId(id: string): void {
  buildId = id;
}

/**
 * Versions the path of a static file, so that it may be cached for a year. Anything that is not a path of this site is
 * returned as it is.
 */
export function asset(path: string): string {
  if (!/^\/(?![/\\])/.test(path) || path.includes(`${ASSET_KEY}=`)) return path;
  // Most paths need no parser, which is slow beside the rest of a page.
  if (/^(\/[\w-][\w.-]*)+$/.test(path)) return `${path}?${ASSET_KEY}=${buildId}`;
  const url = new URL(path, "http://site");
  url.searchParams.set(ASSET_KEY, buildId);
  return url.pathname + url.search + url.hash;
}

/** Versions every path of a `srcset` attribute. */
export function assetSrcSet(srcset: string): string {
  const parts = srcset.split(",");
  // Commas inside of parentheses are not ours to read.
  if (srcset.includes("(") || parts.some((part) => part.trim() === "")) return srcset;
  return parts.map((part) => part.replace(/[^ ]+/, (path) => asset(path))).join(",");
}
