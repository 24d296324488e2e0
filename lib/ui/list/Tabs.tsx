import { Isolated } from "../Isolated.tsx";

/** A part of a list. */
export interface Tab {
  href: string;
  text: string;
  /** How many entries it has, if that is known. */
  count?: string;
  isCurrent: boolean;
}

/** The links to the parts of a list, above it. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav class="no-print" aria-label={label}>
      <ul class="tabs">
        {tabs.map(({ href, text, count, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? "page" : "false"}>
              {text} {count !== undefined && <Isolated isLtr class="meta">{count}</Isolated>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
