/** Links with what they have in common. */
export interface LinkGroup {
  /** Nothing, if the pages have only one group. */
  name?: string;
  links: Link[];
}

type Link = [path: string, text: string];

interface SideNavigationProps {
  /** The path of the page beside the navigation. */
  path: string;
  groups: LinkGroup[];
  texts: { title: string; allPages: string };
}

/** The navigation beside pages that belong together. On narrow screens it opens above them. */
export function SideNavigation({ path, groups, texts }: SideNavigationProps) {
  const [current, ...above] = leadingLinks(path, groups);
  return (
    <>
      <details class="settings-menu">
        <summary>{texts.title}: {current?.[1]}</summary>
        <Navigation label={texts.allPages} groups={groups} above={above} />
      </details>
      <Navigation label={texts.title} groups={groups} above={above} />
    </>
  );
}

interface NavigationProps {
  label: string;
  groups: LinkGroup[];
  /** Links above the current one. They are not marked. */
  above: Link[];
}

function Navigation({ label, groups, above }: NavigationProps) {
  return (
    <nav class="side-navigation" aria-label={label}>
      {groups.map(({ name, links }) => (
        <>
          {name !== undefined && <p>{name}</p>}
          <ul>
            {links.map((link) => (
              <li>
                <a href={link[0]} aria-current={above.includes(link) ? "false" : undefined}>{link[1]}</a>
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  );
}

/** Returns the links to a page and to those above it, the nearest first. */
function leadingLinks(path: string, groups: LinkGroup[]): Link[] {
  const leading = groups.flatMap(({ links }) => links).filter(([link]) => `${path}/`.startsWith(`${link}/`));
  return leading.sort(([a], [b]) => b.length - a.length);
}
