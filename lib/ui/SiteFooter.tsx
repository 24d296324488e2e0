import { PRODUCT } from "../words/product.ts";
import type { Words } from "../words/words.ts";

/** The footer of every page. */
export function SiteFooter({ words }: { words: Words["frame"] }) {
  return (
    <footer class="site-footer">
      <p>
        {words.footer(PRODUCT)} <a href="/users">{words.people}</a> <a href="/docs">{words.apiDocs}</a>
      </p>
    </footer>
  );
}
