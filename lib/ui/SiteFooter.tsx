import { PRODUCT } from "../texts/product.ts";
import type { Texts } from "../texts/texts.ts";

/** The footer of every page. */
export function SiteFooter({ texts }: { texts: Texts["frame"] }) {
  return (
    <footer class="site-footer">
      <p>
        {texts.footer(PRODUCT)} <a href="/users">{texts.people}</a> <a href="/docs">{texts.apiDocs}</a>
      </p>
    </footer>
  );
}
