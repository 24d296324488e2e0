import type { Services } from "../services.ts";

/**
 * Whether a parsed web address may be someone's avatar: https, or an object of ours. On our own origin only stored files
 * are allowed, because the browser of everyone who sees the avatar requests it, with cookies. Keys need no
 * percent-encoding, which could hide a slash or dots from this check.
 */
export function isAvatarAllowed(avatar: string, { config, objects }: Pick<Services, "config" | "objects">): boolean {
  const { origin, protocol, pathname } = new URL(avatar);
  const store = new URL(objects.publicUrl(""));
  if (origin !== config.baseUrl) return protocol === "https:" || origin === store.origin;
  const folders = store.origin === origin ? ["/files/", store.pathname] : ["/files/"];
  return !pathname.includes("%") && folders.some((folder) => pathname.startsWith(folder));
}
