import type { Texts } from "../../texts/texts.ts";

type SettingsPage = keyof Texts["settings"]["pages"];

/** The pages of one's own account by group, in the order of the navigation. A new page needs one more line here. */
const GROUPS: [group: keyof Texts["settings"]["groups"], pages: [path: string, page: SettingsPage][]][] = [
  ["you", [
    ["/profile", "profile"],
    ["/settings/email", "email"],
    ["/settings/language", "language"],
  ]],
  ["security", [
    ["/settings/password", "password"],
    ["/settings/sign-in-methods", "signInMethods"],
    ["/settings/sessions", "sessions"],
    ["/settings/activity", "activity"],
  ]],
  ["developers", [
    ["/settings/tokens", "tokens"],
  ]],
  ["account", [
    ["/settings/data", "data"],
  ]],
];

/** Where /settings leads. */
export const FIRST_SETTINGS_PAGE = "/profile";

interface SettingsNavigationProps {
  /** The path of the page beside the navigation. */
  path: string;
  texts: Texts["settings"];
}

/** The navigation beside the pages of one's own account. On narrow screens it opens above them. */
export function SettingsNavigation({ path, texts }: SettingsNavigationProps) {
  const current = currentPage(path);
  return (
    <>
      <details class="settings-menu">
        <summary>{texts.title}: {current && texts.pages[current]}</summary>
        <Navigation label={texts.allPages} texts={texts} />
      </details>
      <Navigation label={texts.title} texts={texts} />
    </>
  );
}

function Navigation({ label, texts }: { label: string; texts: Texts["settings"] }) {
  return (
    <nav class="side-navigation" aria-label={label}>
      {GROUPS.map(([group, pages]) => (
        <>
          <p>{texts.groups[group]}</p>
          <ul>
            {pages.map(([path, page]) => (
              <li>
                <a href={path}>{texts.pages[page]}</a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

/** Returns the page at a path, or the page that leads there. */
function currentPage(path: string): SettingsPage | undefined {
  return GROUPS.flatMap(([, pages]) => pages).find(([link]) => `${path}/`.startsWith(`${link}/`))?.[1];
}
