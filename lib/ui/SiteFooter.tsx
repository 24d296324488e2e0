import { brandLinks } from "../brand/links.ts";
import type { Brand } from "../brand/brand.ts";
import { type Language, type Languages, textsIn } from "../texts/texts.ts";

interface SiteFooterProps {
  /** The id of a refused request; null for all others. */
  requestId: string | null;
  brand: Brand;
  /** Whether the page of people shows the reader anyone. */
  hasPeople: boolean;
  language: Language;
  languages: Languages;
}

/** The footer of every page. */
export function SiteFooter({ requestId, brand, hasPeople, language, languages }: SiteFooterProps) {
  const { frame: texts } = textsIn(language);
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
      <LanguagePicker current={language} languages={languages} />
    </footer>
  );
}

/** Chooses another language. Works without scripts. Nothing is shown if there is only one. */
function LanguagePicker({ current, languages }: { current: Language; languages: Languages }) {
  if (languages.byTag.size === 1) return null;
  return (
    <form class="languages" method="post" action="/language" aria-label={current.texts.frame.languages}>
      {[...languages.byTag.values()].map(({ tag, name }) => (
        <button
          key={tag}
          class="quiet"
          type="submit"
          name="language"
          value={tag}
          lang={tag}
          aria-current={tag === current.tag ? "true" : undefined}
        >
          {name}
        </button>
      ))}
    </form>
  );
}
