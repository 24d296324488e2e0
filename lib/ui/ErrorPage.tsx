import type { AppError } from "../errors.ts";
import { Page } from "./Page.tsx";

const TITLES: Record<number, string> = {
  401: "You are not logged in any more",
  404: "There is nothing here",
  405: "This does not work here",
  500: "Something went wrong",
  503: "Please try again in a moment",
};

const ADVICE: Record<number, string> = {
  401: "What you have sent is not lost. Log in again in a new window, then come back and load this page again. " +
    "The browser asks whether to send the form once more: say yes.",
  404: "The link may be old, or a letter of the address is wrong.",
  500: "It is our fault, not yours, and it has been noted. Trying again may help.",
  503: "We cannot reach our own data just now. Nothing of yours is lost; please reload this page in a moment.",
};

/** What a person sees of an error that no page handles itself. */
export function ErrorPage({ error }: { error: AppError }) {
  return (
    <Page title={TITLES[error.status] ?? error.message} isNarrow>
      <p>{ADVICE[error.status] ?? `${error.message}.`}</p>
      <p>
        {error.status === 401
          ? <a class="button" href="/login" target="_blank">Log in in a new window</a>
          : <a class="button" href="/">Go to the start page</a>}
      </p>
    </Page>
  );
}
