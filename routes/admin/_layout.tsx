import { define } from "../../lib/web/state.ts";
import { SideNavigation } from "../../lib/ui/list/SideNavigation.tsx";
import { textsIn } from "../../lib/texts/texts.ts";

/** Puts the pages of the administration beside their navigation. */
export default define.layout(function AdminLayout({ Component, state, url }) {
  const { admin: { title, allPages, pages } } = textsIn(state.language);
  const links: [string, string][] = [
    ["/admin", pages.overview],
    ["/admin/users", pages.accounts],
    ["/admin/groups", pages.groups],
    ["/admin/emails", pages.emails],
    ["/admin/events", pages.events],
    ["/admin/webhooks", pages.webhooks],
    ["/admin/apps", pages.apps],
  ];
  return (
    <div class="settings">
      <SideNavigation path={url.pathname} groups={[{ name: title, links }]} texts={{ title, allPages }} />
      <Component />
    </div>
  );
});
