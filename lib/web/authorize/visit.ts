import { type Context, page } from "fresh";
import { type Distrust, judgeRequest } from "../../authorization_server/authorize/authorize_request.ts";
import type { Visit } from "../../authorization_server/authorize/next_step.ts";
import { readMark, splitMark, withMark } from "../../authorization_server/authorize/seen_mark.ts";
import type { Language } from "../../texts/texts.ts";
import { currentSession } from "../authentication/current_session.ts";
import { noteOAuthRefusal } from "../refusal.ts";
import type { State } from "../state.ts";
import type { Answer, AuthorizePage } from "./authorize_page.ts";
import { leave } from "./leave.ts";
import { requireNavigation } from "./navigation.ts";
import { useRequestedLanguage } from "./request_language.ts";

export const AUTHORIZE_PATH = "/oauth/authorize";

/** A request that an app may make, and who sends it. */
export interface PageVisit extends Visit {
  /** What the app has sent. */
  query: string;
  /** The language that the app asks for, if the pages follow it. */
  language: Language | null;
}

/** Judges a request, and passes it on if the app may make it. */
export async function withVisit(
  ctx: Context<State>,
  respond: (visit: PageVisit) => Promise<Answer>,
): Promise<Answer> {
  const { config } = ctx.state.services;
  requireNavigation(ctx.req);
  const { query, mark } = splitMark(ctx.url.search.slice(1));
  const judgment = judgeRequest(query, { registrations: config.registrations!, issuer: config.baseUrl });
  if (judgment.kind === "untrusted") return untrustedPage(ctx, judgment.reason);
  if (judgment.kind === "refused") return await leave(ctx, judgment);
  const { request } = judgment;
  const session = await currentSession(ctx);
  const seen = await readMark(ctx.state.services, mark, { ...request, userId: session?.user.id ?? null });
  const language = useRequestedLanguage(ctx, { ...request, session });
  return await respond({ request, session, seen, query, language });
}

/** Why nothing may be said to the app, for the log. */
const REASONS: Record<Distrust, string> = {
  query: "the request to authorize is too long or malformed",
  client: "client_id is missing, repeated or unknown",
  redirectUri: "redirect_uri is missing, repeated or not one of this client",
};

/** The page for a request that may come from anyone. It shows nothing of the request. */
export function untrustedPage(ctx: Context<State>, reason: Distrust): Answer {
  noteOAuthRefusal(ctx, { status: 400, message: REASONS[reason] });
  return page<AuthorizePage>({ kind: "untrusted" }, { status: 400 });
}

/**
 * Returns the path of a visit, with a mark of when the request was first seen. Pages that come first lead back to it.
 *
 * @param options.chosenBy the id of the user, if they have chosen this account; otherwise null. Default: as in the present mark.
 */
export async function pathOfVisit(
  { state: { services } }: Context<State>,
  { query, request, session, seen }: PageVisit,
  { chosenBy = seen?.isChosen ? session?.user.id ?? null : null }: { chosenBy?: string | null } = {},
): Promise<string> {
  const at = seen?.at ?? services.now();
  const { client, state } = request;
  return `${AUTHORIZE_PATH}?${await withMark(services, query, { client, state, chosenBy, at })}`;
}
