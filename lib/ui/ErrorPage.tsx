import { ERROR_STATUS, type ErrorCode, type ErrorDataOf } from "../errors/errors.ts";
import type { Texts } from "../texts/texts.ts";
import { Page } from "./Page.tsx";

type ErrorPageTexts = Record<"title" | "advice", string>;

interface ErrorPageProps {
  code: ErrorCode;
  /** What was not found, or why the request is forbidden, if that is the error. */
  reason?: ErrorDataOf<"NOT_FOUND" | "FORBIDDEN">["reason"];
  /** The public origin of the service. */
  baseUrl: string;
  /** Says whom to ask, for an account that is suspended. */
  whomToAsk: string;
  /** Opens the same page again. Null when the request was a form. */
  retryHref: string | null;
  /** The only provider with which the person can log in, if that is the error. */
  provider: { name: string; href: string; text: string } | null;
  /** The login page, with the page to go to after it. */
  logInHref: string;
  texts: Texts["frame"];
}

/** The errors of pages that are not there, or not for this person. */
const CLOSED = [403, 404];

/** The page for an error that the requested page does not handle itself. */
export function ErrorPage(props: ErrorPageProps) {
  const { code, reason = "", baseUrl, whomToAsk, retryHref, provider, texts } = props;
  const { errorPages } = texts;
  const byReason: Partial<Record<string, ErrorPageTexts>> = { ...texts.notFoundPages, ...texts.forbiddenPages };
  const byCode: Partial<Record<ErrorCode, ErrorPageTexts>> = texts.errorPagesByCode;
  const byStatus: Record<number, ErrorPageTexts> = errorPages;
  const status = ERROR_STATUS[code];
  const providerPage = provider && {
    title: texts.providerRequiredPage.title,
    advice: texts.providerRequiredPage.advice({ provider: provider.name }),
  };
  const { title, advice } = providerPage ?? byReason[reason] ?? byCode[code] ?? byStatus[status] ??
    errorPages[status < 500 ? 400 : 500];
  return (
    <Page title={title} isClosed={CLOSED.includes(status)}>
      <p>{advice}</p>
      {reason === "origin" && <p>{texts.openAddress({ address: baseUrl })}</p>}
      {code === "ACCOUNT_SUSPENDED" && <p>{whomToAsk}</p>}
      {status >= 500 && retryHref === null && <p>{texts.resend}</p>}
      <p class="actions">
        <WayOn {...props} />
      </p>
    </Page>
  );
}

function WayOn({ code, retryHref, provider, logInHref, texts }: ErrorPageProps) {
  if (provider !== null) return <a class="button" href={provider.href}>{provider.text}</a>;
  if (code === "UNAUTHENTICATED") return <a class="button" href="/login" target="_blank">{texts.logInInNewTab}</a>;
  if (code === "INVALID_STATE") return <a class="button" href={logInHref}>{texts.logIn}</a>;
  if (ERROR_STATUS[code] < 500) return <a class="button" href="/">{texts.homePage}</a>;
  return (
    <>
      {retryHref !== null && <a class="button" href={retryHref}>{texts.tryAgain}</a>}
      <a class="button secondary" href="/">{texts.homePage}</a>
    </>
  );
}
