import type { Texts } from "../../../../lib/texts/texts.ts";
import { Page } from "../../../../lib/ui/Page.tsx";

/** For a request that no app has sent, or one that is set up wrongly. */
export function UntrustedPage({ texts: { authorize, frame } }: { texts: Texts }) {
  const { title, advice } = authorize.untrusted;
  return (
    <Page title={title} isAuth>
      <p>{advice}</p>
      <p class="actions">
        <a class="button" href="/">{frame.homePage}</a>
      </p>
    </Page>
  );
}
