import { HttpError } from "fresh";
import { findLogo } from "../../lib/clients/logo.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";

/**
 * The logos of apps. Only those who have seen the address know its version, so nobody finds out which apps there are.
 * It reads no session: caches may keep it.
 */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  async GET({ params, url, state: { services } }) {
    const logo = await findLogo(services.db, params.client);
    if (logo === null || url.searchParams.get("v") !== logo.version) throw new HttpError(404);
    return new Response(logo.image, {
      headers: {
        "Content-Type": "image/webp",
        "Content-Length": String(logo.image.length),
        "Cache-Control": "public, max-age=31536000, immutable",
      },
    });
  },
});
