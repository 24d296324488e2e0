import type { ComponentChildren } from "preact";
import type { Texts } from "../../texts/texts.ts";
import { Page } from "../Page.tsx";
import { FormId } from "./FormId.tsx";
import { FormMessage } from "./FormMessage.tsx";

interface LinkPageProps {
  path: string;
  token: string;
  texts: { title: string; submit: string; hint?: string };
  catalog: Texts;
  /** What the link does; null if it does not work. */
  children: ComponentChildren;
  /** The error of the last submission. */
  message?: string;
  /** Why the link does not work. Default: it has expired or has been used. */
  deadMessage?: string;
  /** Where people with a link that does not work go. */
  otherWay: { href: string; text: string };
}

/** A page behind an emailed link. Says what the link does and asks for it, because email scanners follow links. */
export function LinkPage(
  { path, token, texts: { title, submit, hint }, catalog, children, message, deadMessage, otherWay }: LinkPageProps,
) {
  const error = children === null ? deadMessage ?? catalog.errors.deadLink : message;
  return (
    <Page title={title} windowTitle={error && catalog.frame.titleWithError({ title })} isAuth>
      <FormMessage message={error} details={{}} labels={{}} />
      {children === null
        ? (
          <p>
            <a class="button" href={otherWay.href}>{otherWay.text}</a>
          </p>
        )
        : (
          <>
            {children}
            <form method="post" action={path}>
              <FormId />
              <input type="hidden" name="token" value={token} />
              <button type="submit">{submit}</button>
            </form>
            {hint !== undefined && <p class="hint">{hint}</p>}
          </>
        )}
    </Page>
  );
}
