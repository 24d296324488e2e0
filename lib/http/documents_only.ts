import { AppError } from "../errors.ts";
import { define } from "./state.ts";

/**
 * Refuses requests that a browser makes for anything but a document in a window of its own. An image, a frame or a
 * script at such an address would run it in the browser of everyone who looks at the page. Programs and older browsers
 * send no `Sec-Fetch-Dest` and are let through.
 *
 * @throws {AppError} FORBIDDEN.
 */
export const documentsOnly = define.middleware((ctx) => {
  const destination = ctx.req.headers.get("sec-fetch-dest");
  if (destination === null || destination === "document") return ctx.next();
  throw new AppError("FORBIDDEN", "This address must be opened in a window of its own");
});
