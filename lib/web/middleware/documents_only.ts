import { AppError } from "../../errors/errors.ts";
import { define } from "../state.ts";

/**
 * Refuses requests that are not top-level navigations. Otherwise an image or a frame in any page could start a sign-in
 * in the browser of everyone who opens that page. Programs and old browsers send no `Sec-Fetch-Dest` and are accepted.
 *
 * @throws {AppError} FORBIDDEN.
 */
export const documentsOnly = define.middleware((ctx) => {
  const destination = ctx.req.headers.get("sec-fetch-dest");
  if (destination === null || destination === "document") return ctx.next();
  throw new AppError("FORBIDDEN", { reason: "window" });
});
