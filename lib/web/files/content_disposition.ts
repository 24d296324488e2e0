/** Returns the value of `Content-Disposition` that makes browsers save a file under this name. Source: RFC 6266, 4. */
export function attachment(filename: string): string {
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}
