/** Query parameter that holds the build id of a versioned file. */
export const ASSET_KEY = "__frsh_c";

let buildId: string | undefined;

/** Sets the id of the build that this server serves. */
export function setBuildId(id: string): void {
  buildId = id;
}

/**
 * Adds the build id to the path of a static file, so that browsers may cache the file for a year. Returns everything
 * else, such as a URL of another site, unchanged.
 */
export function asset(path: string): string {
  if (!/^\/(?![/\\])/.test(path) || path.includes(`${ASSET_KEY}=`)) return path;
  // In the browser, the URL of this module contains it. Read at first use, so that bundles without assets leave it out.
  buildId ??= /\/_fresh\/js\/([^/]+)\//.exec(import.meta.url)?.[1] ?? "";
  // Most paths do not need the URL parser, which is slow compared with rendering a page.
  if (/^(\/[\w-][\w.-]*)+$/.test(path)) return `${path}?${ASSET_KEY}=${buildId}`;
  const url = new URL(path, "http://site");
  url.searchParams.set(ASSET_KEY, buildId);
  return url.pathname + url.search + url.hash;
}

/** Adds the build id to every path in a `srcset` attribute. */
export function assetSrcSet(srcset: string): string {
  const parts = srcset.split(",");
  // A comma inside parentheses is not a separator.
  if (srcset.includes("(") || parts.some((part) => part.trim() === "")) return srcset;
  return parts.map((part) => part.replace(/[^ ]+/, (path) => asset(path))).join(",");
}
