import { asset, IS_BROWSER } from "fresh/runtime";
import type { Words } from "../../words/words.ts";

/** The button after a password field that shows the password. The page shows it once it can run scripts. */
export function ShowPassword({ words }: { words: Words["password"] }) {
  return (
    <>
      <button
        class="quiet"
        type="button"
        hidden={!IS_BROWSER}
        aria-label={words.showPassword}
        data-hide={words.hide}
        data-hide-label={words.hidePassword}
      >
        {words.show}
      </button>
      {!IS_BROWSER && <script defer src={asset("/show_password.js")} />}
    </>
  );
}
