import { define } from "../../../lib/web/state.ts";
import { mayUsePassword } from "../../../lib/config/passwords_setting.ts";
import { SettingsNavigation } from "../../../lib/ui/account/SettingsNavigation.tsx";
import { textsIn } from "../../../lib/texts/texts.ts";

/** Puts the pages of one's own account beside their navigation. */
export default define.layout(function SettingsLayout({ Component, state, url }) {
  return (
    <div class="settings">
      <SettingsNavigation
        path={url.pathname}
        texts={textsIn(state.language).settings}
        hasPasswords={mayUsePassword(state.services.config, "open")}
        hasApps={state.services.config.registrations !== null}
      />
      <Component />
    </div>
  );
});
