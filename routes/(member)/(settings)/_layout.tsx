import { define } from "../../../lib/http/state.ts";
import { SettingsNavigation } from "../../../lib/ui/account/SettingsNavigation.tsx";
import { wordsIn } from "../../../lib/words/words.ts";

/** Puts the pages of one's own account beside their navigation. */
export default define.layout(function SettingsLayout({ Component, state }) {
  return (
    <div class="settings">
      <SettingsNavigation words={wordsIn(state.language).settings} />
      <Component />
    </div>
  );
});
