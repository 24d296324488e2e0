import { ASSET_KEY } from "./asset.ts";
import type { FileEntry } from "../build_cache.ts";
import { selectEncoding } from "./content_encoding.ts";
import { BUILD, type Context } from "../context.ts";
import type { Middleware } from "../types.ts";

/** More tags are not read: a client has one version of a file. */
const MAX_TAGS = 20;

/** Serves the files of the static folder and the scripts of islands. */
export function staticFiles<State>(): Middleware<State> {
  return async function serveStaticFiles(ctx) {
    const pathname = filePathname(ctx);
    const entry = ctx[BUILD].files.get(pathname);
    const response = entry ? await respond(ctx, entry) : null;
    if (response) return response;
    // Browsers request this icon on their own. Do not render a page for it.
    return pathname === "/favicon.ico" ? new Response(null, { status: 404 }) : await ctx.next();
  };
}

/** Returns the path relative to the base path, encoded as in the build. */
function filePathname<State>({ url, config }: Context<State>): string {
  const encoded = url.pathname.slice(config.basePath.length);
  if (/^(\/[\w-][\w.-]*)+$/.test(encoded)) return encoded;
  try {
    const path = decodeURIComponent(encoded);
    return `/${path.split("/").filter(Boolean).map(encodeURIComponent).join("/")}`;
  } catch {
    return "";
  }
}

async function respond<State>(ctx: Context<State>, entry: FileEntry): Promise<Response | null> {
  const { req, url, config } = ctx;
  const { buildId } = ctx[BUILD];
  if (req.method !== "GET" && req.method !== "HEAD") return new Response("Method Not Allowed", { status: 405 });
  const key = url.searchParams.get(ASSET_KEY);
  if (key !== null && key !== buildId) return redirectToCurrent(url);

  const available = entry.encoded ?? [];
  const encoded = selectEncoding(req.headers.get("Accept-Encoding"), available);
  const tag = encoded ? `${entry.hash}-${encoded.encoding}` : entry.hash;
  const headers = new Headers({ "Content-Type": entry.contentType, Vary: "If-None-Match" });
  if (available.length > 0) headers.append("Vary", "Accept-Encoding");
  const isVersioned = key !== null || url.pathname.startsWith(`${config.basePath}/_fresh/js/${buildId}/`);
  const isCacheable = config.mode !== "development";
  const cacheForever = "public, max-age=31536000, immutable";
  const noCache = "no-cache, no-store, max-age=0, must-revalidate";
  headers.set("Cache-Control", isCacheable && isVersioned ? cacheForever : noCache);
  if (isCacheable) headers.set("ETag", `W/"${tag}"`);
  if (isCacheable && matchesTag(req, tag)) return new Response(null, { status: 304, headers });
  if (encoded) headers.set("Content-Encoding", encoded.encoding);
  return await send(encoded?.content ?? entry.source, headers, req.method === "HEAD");
}

// The file may differ in the other build, so its contents must not be cached under that build's URL.
function redirectToCurrent(url: URL): Response {
  const current = new URL(url);
  current.searchParams.delete(ASSET_KEY);
  return new Response(null, { status: 307, headers: { location: current.pathname + current.search } });
}

function matchesTag(req: Request, current: string): boolean {
  const tags = req.headers.get("If-None-Match")?.split(",", MAX_TAGS) ?? [];
  return tags.some((tag) => tag.trim().replace(/^W\//, "").replaceAll('"', "") === current);
}

/** Sends a file. Returns null if it was deleted after the build. */
async function send(source: FileEntry["source"], headers: Headers, isHead: boolean): Promise<Response | null> {
  if (source instanceof Uint8Array) {
    headers.set("Content-Length", String(source.length));
    return new Response(isHead ? null : source, { headers });
  }
  try {
    const file = await Deno.open(source);
    headers.set("Content-Length", String((await file.stat()).size));
    if (isHead) file.close();
    return new Response(isHead ? null : file.readable, { headers });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}
