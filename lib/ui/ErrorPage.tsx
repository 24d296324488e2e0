import { ERROR_STATUS, type ErrorCode } from "../errors.ts";
import type { Words } from "../words/words.ts";
import { Page } from "./Page.tsx";

interface ErrorPageProps {
  code: ErrorCode;
  /** The login page, with the page to go to after it. */
  logInHref: string;
  words: Words["frame"];
}

/** The page for an error that the requested page does not handle itself. */
export function ErrorPage({ code, logInHref, words }: ErrorPageProps) {
  const { errorPages, errorPagesByCode } = words;
  const status = ERROR_STATUS[code];
  const [title, advice] = errorPagesByCode[code] ?? errorPages[status] ?? errorPages[status < 500 ? 400 : 500];
  return (
    <Page title={title} isNarrow>
      <p>{advice}</p>
      <p>
        <WayOn code={code} logInHref={logInHref} words={words} />
      </p>
    </Page>
  );
}

function WayOn({ code, logInHref, words }: ErrorPageProps) {
  if (code === "UNAUTHENTICATED") return <a class="button" href="/login" target="_blank">{words.logInInNewTab}</a>;
  if (code === "INVALID_STATE") return <a class="button" href={logInHref}>{words.logIn}</a>;
  return <a class="button" href="/">{words.homePage}</a>;
}
