import { asset } from "fresh/runtime";
import { define } from "../lib/web/state.ts";
import { THEME_COLORS } from "../lib/ui/SiteHead.tsx";
import { PRODUCT } from "../lib/texts/product.ts";

/** What browsers need to put the site on a home screen. Source: Web Application Manifest, W3C. */
export const handler = define.handlers({
  GET: () =>
    new Response(
      JSON.stringify({
        name: PRODUCT,
        start_url: "/",
        display: "minimal-ui",
        theme_color: THEME_COLORS.light,
        background_color: THEME_COLORS.light,
        icons: [192, 512].map((size) => ({
          src: asset(`/icon-${size}.png`),
          sizes: `${size}x${size}`,
          type: "image/png",
        })),
      }),
      { headers: { "Content-Type": "application/manifest+json", "Cache-Control": "no-cache" } },
    ),
}, { whileClosing: "open" });
