import type { Texts } from "../texts/texts.ts";

interface SiteFooterProps {
  /** The id of a refused request; null for all others. */
  requestId: string | null;
  /** Whether the page of people shows the reader anyone. */
  hasPeople: boolean;
  texts: Texts["frame"];
}

/** The footer of every page. */
export function SiteFooter({ requestId, hasPeople, texts }: SiteFooterProps) {
  return (
    <footer class="site-footer">
      <p>
        {texts.footer} {hasPeople && <a href="/users">{texts.people}</a>} <a href="/docs">{texts.apiDocs}</a>
      </p>
      {requestId !== null && (
        <p>
          {texts.requestId} <code>{requestId}</code>
        </p>
      )}
    </footer>
  );
}
