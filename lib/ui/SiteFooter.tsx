import { brandLinks } from "../brand/links.ts";
import type { Brand } from "../brand/brand.ts";
import type { Texts } from "../texts/texts.ts";

interface SiteFooterProps {
  /** The id of a refused request; null for all others. */
  requestId: string | null;
  brand: Brand;
  /** Whether the page of people shows the reader anyone. */
  hasPeople: boolean;
  texts: Texts["frame"];
}

/** The footer of every page. */
export function SiteFooter({ requestId, brand, hasPeople, texts }: SiteFooterProps) {
  return (
    <footer class="site-footer">
      <p>
        {texts.footer} {hasPeople && <a href="/users">{texts.people}</a>} <a href="/docs">{texts.apiDocs}</a>
        {brandLinks(brand.settings).map(({ name, href }) => (
          <>
            {" "}
            <a href={href}>{texts[name]}</a>
          </>
        ))}
      </p>
      {requestId !== null && (
        <p>
          {texts.requestId} <code>{requestId}</code>
        </p>
      )}
    </footer>
  );
}
