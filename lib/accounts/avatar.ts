import type { Services } from "../services.ts";

/**
 * Whether a parsed web address may be an avatar: an https address or a file stored here. On our own origin only stored
 * files are allowed, because the browser of everyone who sees the avatar requests its address, with cookies. Object keys
 * need no percent-encoding, so it is refused: it could hide a slash or dots from this check.
 */
export function isAvatarAllowed(avatar: string, { config, objects }: Pick<Services, "config" | "objects">): boolean {
  const { origin, protocol, pathname } = new URL(avatar);
  const store = new URL(objects.publicUrl(""));
  if (origin !== config.baseUrl) return protocol === "https:" || origin === store.origin;
  const folders = store.origin === origin ? ["/files/", store.pathname] : ["/files/"];
  return !pathname.includes("%") && folders.some((folder) => pathname.startsWith(folder));
}
