import { ERROR_STATUS, type ErrorCode } from "../errors.ts";
import type { Texts } from "../texts/texts.ts";
import { Page } from "./Page.tsx";

interface ErrorPageProps {
  code: ErrorCode;
  /** The login page, with the page to go to after it. */
  logInHref: string;
  texts: Texts["frame"];
}

/** The page for an error that the requested page does not handle itself. */
export function ErrorPage({ code, logInHref, texts }: ErrorPageProps) {
  const { errorPages, errorPagesByCode } = texts;
  const status = ERROR_STATUS[code];
  const [title, advice] = errorPagesByCode[code] ?? errorPages[status] ?? errorPages[status < 500 ? 400 : 500];
  return (
    <Page title={title} isNarrow>
      <p>{advice}</p>
      <p>
        <WayOn code={code} logInHref={logInHref} texts={texts} />
      </p>
    </Page>
  );
}

function WayOn({ code, logInHref, texts }: ErrorPageProps) {
  if (code === "UNAUTHENTICATED") return <a class="button" href="/login" target="_blank">{texts.logInInNewTab}</a>;
  if (code === "INVALID_STATE") return <a class="button" href={logInHref}>{texts.logIn}</a>;
  return <a class="button" href="/">{texts.homePage}</a>;
}
