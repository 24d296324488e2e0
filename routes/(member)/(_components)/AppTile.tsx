import { hueOf, initials } from "../../../lib/ui/Avatar.tsx";

/** In pixels. */
const SIZE = 40;

/** Stands for an app: its logo, or its initials on a tile. Decorative: the name is always beside it. */
export function AppTile({ name, logo }: { name: string; logo: string | null }) {
  if (logo !== null) return <img class="avatar app" src={logo} alt="" width={SIZE} height={SIZE} />;
  return (
    <span class="avatar app" data-hue={hueOf(name)} aria-hidden>
      <span data-initials={initials(name)} />
    </span>
  );
}
