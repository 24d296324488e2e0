import { define } from "../../../lib/web/state.ts";
import { SettingsNavigation } from "../../../lib/ui/account/SettingsNavigation.tsx";
import { textsIn } from "../../../lib/texts/texts.ts";

/** Puts the pages of one's own account beside their navigation. */
export default define.layout(function SettingsLayout({ Component, state }) {
  return (
    <div class="settings">
      <SettingsNavigation texts={textsIn(state.language).settings} />
      <Component />
    </div>
  );
});
