/** Writes an object as version 0.1.0 did: the content, then 512 bytes of metadata. */
export async function writeOldObjectFile(
  path: string,
  content: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<void> {
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
  const trailer = new TextEncoder().encode(JSON.stringify({ contentType, sha256 }).padEnd(512));
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(path, new Uint8Array([...content, ...trailer]));
}
