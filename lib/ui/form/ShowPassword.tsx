import { IS_BROWSER } from "fresh/runtime";
import type { Texts } from "../../texts/texts.ts";

/** The button after a password field that shows the password. The page shows it once it can run scripts. */
export function ShowPassword({ texts }: { texts: Texts["password"] }) {
  return (
    <button
      class="quiet"
      type="button"
      hidden={!IS_BROWSER}
      aria-label={texts.showPassword}
      data-text={texts.hide}
      data-label={texts.hidePassword}
    >
      {texts.show}
    </button>
  );
}
