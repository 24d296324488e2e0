import { AppError } from "../../errors/errors.ts";

/** Frames in pages of apps, which ask whether someone is logged in. Source: OpenID Connect Session Management, 2. */
const FRAMES = ["iframe", "frame", "embed", "object"];

/**
 * Requires that a browser opens a page or a frame. An image or a script of any page must not make a code, and neither
 * must a page that the browser loads in advance. Programs and old browsers send no `Sec-Fetch-Dest` and are accepted.
 *
 * @throws {AppError} FORBIDDEN.
 */
export function requireNavigation(req: Request): void {
  const destination = req.headers.get("sec-fetch-dest") ?? "document";
  if (isInAdvance(req) || ![...FRAMES, "document"].includes(destination)) {
    throw new AppError("FORBIDDEN", { reason: "window" });
  }
}

/** Whether the response is shown in a frame. Our pages refuse that, but a redirect is followed. */
export function isInFrame({ headers }: Request): boolean {
  return FRAMES.includes(headers.get("sec-fetch-dest") ?? "");
}

/** Whether the browser loads the page before the person opens it. */
export function isInAdvance({ headers }: Request): boolean {
  return ["sec-purpose", "purpose"].some((name) => headers.get(name)?.startsWith("prefetch"));
}
