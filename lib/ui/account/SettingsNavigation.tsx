import type { Texts } from "../../texts/texts.ts";

/** The pages of one's own account, in the order of the navigation. A new page needs one more line here. */
const PAGES: [path: string, page: keyof Texts["settings"]["pages"]][] = [
  ["/profile", "profile"],
  ["/settings/email", "email"],
  ["/settings/password", "password"],
  ["/settings/sign-in-methods", "signInMethods"],
  ["/settings/sessions", "sessions"],
  ["/settings/activity", "activity"],
  ["/settings/tokens", "tokens"],
  ["/settings/data", "data"],
];

/** Where /settings leads. The profile has its own link in the account menu, and the email page asks for a proof first. */
export const FIRST_SETTINGS_PAGE = "/settings/password";

/** The navigation beside the pages of one's own account, or above them on narrow screens. */
export function SettingsNavigation({ texts }: { texts: Texts["settings"] }) {
  return (
    <nav class="settings-navigation" aria-label={texts.title}>
      <ul>
        {PAGES.map(([path, page]) => (
          <li key={path}>
            <a href={path}>{texts.pages[page]}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
