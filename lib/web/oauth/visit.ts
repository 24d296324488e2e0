import type { Context } from "fresh";
import { judgeRequest, type Judgment, senderOf } from "../../authorization_server/authorize/authorize_request.ts";
import { findClient } from "../../clients/registrations.ts";
import { isDocumentId, type RegisteredClient } from "../../config/registered_client.ts";
import type { Visit } from "../../authorization_server/authorize/next_step.ts";
import { readMark, splitMark } from "../../authorization_server/authorize/seen_mark.ts";
import type { Language } from "../../texts/texts.ts";
import { anySession } from "../authentication/current_session.ts";
import { withoutHop } from "../pages/same_site_hop.tsx";
import type { State } from "../state.ts";
import type { UnusableDocument } from "./authorize_page.ts";
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
export type RefusedVisit =
  | Exclude<Judgment, { kind: "accepted" }>
  | { kind: "untrusted"; reason: "document"; document: UnusableDocument };

/** A request of an unregistered app, from someone who is not logged in: its document stays unread. */
export interface GuestVisit extends Pick<PageVisit, "query"> {
  kind: "guest";
  request: { client: { id: string }; state: string | null };
}

/**
 * Judges a request. Finds who sends it if the app may make it.
 *
 * @throws {AppError} FORBIDDEN if the browser opens no page.
 */
export async function findVisit(ctx: Context<State>): Promise<PageVisit | RefusedVisit | GuestVisit> {
  const { services } = ctx.state;
  requireNavigation(ctx.req);
  const { query, mark } = splitMark(withoutHop(ctx.url).slice(1));
  const { registrations, baseUrl: issuer } = services.config;
  const { clientId, state } = senderOf(query);
  const found = isDocumentId(clientId) ? await readClient(ctx, clientId) : await findClient(services, clientId);
  if (found !== null && "kind" in found) {
    return found.kind === "guest" ? { ...found, query, request: { client: { id: clientId }, state } } : found;
  }
  const judgment = judgeRequest(query, { client: found, registrations: registrations!, issuer });
  if (judgment.kind !== "accepted") return judgment;
  const { request } = judgment;
  // The next step says what a session that waits has to do.
  const session = await anySession(ctx);
  const seen = await readMark(services, mark, { ...request, userId: session?.user.id ?? null });
  const language = useRequestedLanguage(ctx, { ...request, session });
  return { kind: "accepted", request, session, seen, query, language };
}

/**
 * Finds an unregistered app. Services without such apps do not load what reads their documents.
 *
 * @throws {AppError} RATE_LIMITED.
 */
async function readClient(
  ctx: Context<State>,
  id: string,
): Promise<RegisteredClient | RefusedVisit | { kind: "guest" } | null> {
  const { services } = ctx.state;
  if (services.config.clientDocuments === null) return null;
  const { documentUrl } = await import("../../clients/document_url.ts");
  const url = documentUrl(id, services.config);
  if (url === null) return null;
  const session = await anySession(ctx);
  if (session === null) return { kind: "guest" };
  const [{ readDocumentClient }, { DocumentError }] = await Promise.all([
    import("../../clients/document_client.ts"),
    import("../../clients/document.ts"),
  ]);
  return await readDocumentClient(services, { id, userId: session.user.id }).catch((error): RefusedVisit => {
    if (!(error instanceof DocumentError)) throw error;
    return {
      kind: "untrusted",
      reason: "document",
      document: { host: url.host, problem: `The metadata document cannot be used: ${error.message}` },
    };
  });
}
