import { hueOf, initials } from "../../../lib/ui/Avatar.tsx";

/** Stands for an app: its initials on a tile. Decorative: the name is always beside it. */
export function AppTile({ name }: { name: string }) {
  return (
    <span class="avatar app" data-hue={hueOf(name)} aria-hidden>
      <span data-initials={initials(name)} />
    </span>
  );
}
