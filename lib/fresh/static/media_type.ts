const TYPES = `
  avif image/avif, css text/css, csv text/csv, gif image/gif, html text/html, ico image/vnd.microsoft.icon,
  jpeg image/jpeg, jpg image/jpeg, js text/javascript, json application/json, map application/json, md text/markdown,
  mjs text/javascript, mp3 audio/mpeg, mp4 video/mp4, ogg audio/ogg, otf font/otf, pdf application/pdf, png image/png,
  svg image/svg+xml, ttf font/ttf, txt text/plain, wasm application/wasm, webm video/webm,
  webmanifest application/manifest+json, webp image/webp, woff font/woff, woff2 font/woff2, xml application/xml,`;

/** Returns the content type for a file's extension. Unknown extensions are plain text. */
export function mediaType(path: string): string {
  const extension = /\.(\w+)$/.exec(path)?.[1].toLowerCase();
  const type = new RegExp(` ${extension} ([^,]+),`).exec(TYPES)?.[1];
  const isText = type?.startsWith("text/") || type === "application/json";
  return isText ? `${type}; charset=UTF-8` : type ?? "text/plain";
}
