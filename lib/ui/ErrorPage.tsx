import { ERROR_STATUS } from "../errors.ts";
import type { Words } from "../words/words.ts";
import { Page } from "./Page.tsx";

interface ErrorPageProps {
  /** The HTTP status of the error. */
  status: number;
  words: Words["frame"];
}

/** The page for an error that the requested page does not handle itself. */
export function ErrorPage({ status, words }: ErrorPageProps) {
  const { errorPages } = words;
  const [title, advice] = errorPages[status] ?? errorPages[status < 500 ? 400 : 500];
  return (
    <Page title={title} isNarrow>
      <p>{advice}</p>
      <p>
        {status === ERROR_STATUS.UNAUTHENTICATED
          ? <a class="button" href="/login" target="_blank">{words.logInInNewTab}</a>
          : <a class="button" href="/">{words.homePage}</a>}
      </p>
    </Page>
  );
}
