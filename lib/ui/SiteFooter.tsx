import { brandLinks } from "../brand/links.ts";
import type { Brand } from "../brand/brand.ts";
import { type Language, type Languages, textsIn } from "../texts/texts.ts";

interface SiteFooterProps {
  brand: Brand;
  /** Whether to link to people. For members, the header does. */
  hasPeople: boolean;
  /** Whether to link to the guide to the API. In production, only the page of API tokens does. */
  hasDocs: boolean;
  language: Language;
  languages: Languages;
}

/** The footer of every page. */
export function SiteFooter({ brand, hasPeople, hasDocs, language, languages }: SiteFooterProps) {
  const { frame: texts } = textsIn(language);
  const links = [
    ...hasPeople ? [{ href: "/users", text: texts.people }] : [],
    ...hasDocs ? [{ href: "/docs", text: texts.apiDocs }] : [],
    ...brandLinks(brand.settings).map(({ name, href }) => ({ href, text: texts[name] })),
  ];
  return (
    <footer class="site-footer">
      {links.length > 0 && <p>{links.map(({ href, text }) => <a key={href} href={href}>{text}</a>)}</p>}
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
