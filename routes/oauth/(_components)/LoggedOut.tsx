import { Page } from "../../../lib/ui/Page.tsx";
import { withAccountChoice } from "../../../lib/web/pages/next_path.ts";
import type { Texts } from "../../../lib/texts/texts.ts";

/** Says that no one is logged in anymore. */
export function LoggedOut({ texts: { signIn, frame } }: { texts: Pick<Texts, "signIn" | "frame"> }) {
  return (
    <Page title={signIn.logout.done} isAuth below={<a href={withAccountChoice("/login")}>{frame.logIn}</a>}>
      <p>{signIn.logout.doneLead}</p>
    </Page>
  );
}
