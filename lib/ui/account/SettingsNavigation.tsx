import type { Texts } from "../../texts/texts.ts";
import { SideNavigation } from "../list/SideNavigation.tsx";

type SettingsPage = keyof Texts["settings"]["pages"];

/** Only where apps can sign people in. */
const APPS = "/settings/apps";

/** Only where passwords open something. */
const PASSWORD = "/settings/password";

/** The pages of one's own account by group, in the order of the navigation. A new page needs one more line here. */
const GROUPS: [group: keyof Texts["settings"]["groups"], pages: [path: string, page: SettingsPage][]][] = [
  ["you", [
    ["/profile", "profile"],
    ["/settings/email", "email"],
    ["/settings/language", "language"],
  ]],
  ["security", [
    [PASSWORD, "password"],
    ["/settings/sign-in-methods", "signInMethods"],
    ["/settings/sessions", "sessions"],
    [APPS, "apps"],
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
  hasApps: boolean;
  hasPasswords: boolean;
}

/** The navigation beside the pages of one's own account. */
export function SettingsNavigation({ path, texts, hasApps, hasPasswords }: SettingsNavigationProps) {
  const hidden = [...hasApps ? [] : [APPS], ...hasPasswords ? [] : [PASSWORD]];
  const groups = GROUPS.map(([group, pages]) => ({
    name: texts.groups[group],
    links: pages.filter(([link]) => !hidden.includes(link)).map((
      [link, page],
    ): [string, string] => [link, texts.pages[page]]),
  }));
  return <SideNavigation path={path} groups={groups} texts={texts} />;
}
