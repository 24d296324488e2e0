import { asset } from "fresh/runtime";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { THEME_COLORS } from "../lib/ui/SiteHead.tsx";

/** What browsers need to put the site on a home screen. Source: Web Application Manifest, W3C. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  GET: ({ state }) => {
    const { name, icons, palette } = state.services.config.brand;
    return new Response(
      JSON.stringify({
        name,
        start_url: "/",
        display: "minimal-ui",
        theme_color: icons === null ? THEME_COLORS.light : palette.accent.light,
        background_color: THEME_COLORS.light,
        icons: icons ?? [192, 512].map((size) => ({
          src: asset(`/icon-${size}.png`),
          sizes: `${size}x${size}`,
          type: "image/png",
        })),
      }),
      { headers: { "Content-Type": "application/manifest+json", "Cache-Control": "no-cache" } },
    );
  },
});
