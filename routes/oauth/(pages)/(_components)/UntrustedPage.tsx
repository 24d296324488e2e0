import type { Texts } from "../../../../lib/texts/texts.ts";
import { Page } from "../../../../lib/ui/Page.tsx";
import type { UnusableDocument } from "../../../../lib/web/oauth/authorize_page.ts";
import { Problem } from "./Problem.tsx";

interface UntrustedPageProps {
  document: UnusableDocument | null;
  texts: Texts;
}

/** For a request that no app has sent, or one that is set up wrongly. */
export function UntrustedPage({ document, texts: { authorize, frame } }: UntrustedPageProps) {
  const { title, advice } = authorize.untrusted;
  return (
    <Page title={document === null ? title : authorize.document.title(document)} isAuth>
      <p>{document === null ? advice : authorize.document.advice(document)}</p>
      <Problem text={document?.problem ?? null} />
      <p class="actions">
        <a class="button" href="/">{frame.homePage}</a>
      </p>
    </Page>
  );
}
