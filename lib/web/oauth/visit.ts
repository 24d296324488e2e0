import type { Context } from "fresh";
import { judgeRequest, type Judgment } from "../../authorization_server/authorize/authorize_request.ts";
import { findClient } from "../../clients/registrations.ts";
import type { Visit } from "../../authorization_server/authorize/next_step.ts";
import { readMark, splitMark } from "../../authorization_server/authorize/seen_mark.ts";
import type { Language } from "../../texts/texts.ts";
import { anySession } from "../authentication/current_session.ts";
import { withoutHop } from "../pages/same_site_hop.tsx";
import type { State } from "../state.ts";
import { requireNavigation } from "./navigation.ts";
import { useRequestedLanguage } from "./request_language.ts";

/** A request that an app may make, and who sends it. */
export interface PageVisit extends Visit {
  kind: "accepted";
  /** What the app has sent. */
  query: string;
  /** The language that the app asks for, if the pages follow it. */
  language: Language | null;
}

/** A request that its app may not make. */
export type RefusedVisit = Exclude<Judgment, { kind: "accepted" }>;

/**
 * Judges a request. Finds who sends it if the app may make it.
 *
 * @throws {AppError} FORBIDDEN if the browser opens no page.
 */
export async function findVisit(ctx: Context<State>): Promise<PageVisit | RefusedVisit> {
  const { services } = ctx.state;
  requireNavigation(ctx.req);
  const { query, mark } = splitMark(withoutHop(ctx.url).slice(1));
  const { registrations, baseUrl: issuer } = services.config;
  // Reads a client that was made in the browser: it may have been changed or deleted elsewhere.
  await findClient(services, new URLSearchParams(query).get("client_id") ?? "");
  const judgment = judgeRequest(query, { registrations: registrations!, issuer });
  if (judgment.kind !== "accepted") return judgment;
  const { request } = judgment;
  // The next step says what a session that waits has to do.
  const session = await anySession(ctx);
  const seen = await readMark(services, mark, { ...request, userId: session?.user.id ?? null });
  const language = useRequestedLanguage(ctx, { ...request, session });
  return { kind: "accepted", request, session, seen, query, language };
}
