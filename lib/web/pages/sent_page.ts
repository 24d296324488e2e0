import type { Context } from "fresh";
import type { NoticeCode } from "../../texts/texts.ts";
import type { State } from "../state.ts";
import { redirectWithNotice } from "./notice.ts";

/** Whether a page shows that an email has been sent, in place of the form that asks for it. */
export function isSentPage({ searchParams }: URL): boolean {
  return searchParams.has("sent");
}

/**
 * Redirects to the page that says that an email has been sent. Adds a notice only if the page was shown before, where
 * nothing else would change: a notice takes the focus from the field for a code. A refusal always needs one.
 */
export function redirectToSent(ctx: Context<State>, path: string, notice: NoticeCode): Response {
  const isNew = !isSentPage(ctx.url) && !notice.endsWith("_used_up");
  return isNew ? ctx.redirect(path, 303) : redirectWithNotice(ctx, path, notice);
}
