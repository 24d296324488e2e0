import type { Context } from "fresh";
import type { OAuthError } from "../authorization_server/tokens/oauth_error.ts";
import { findSessionEnd, type PresentedSessions } from "../access/session.ts";
import { isJwt, isWellFormedToken } from "../access/token_format.ts";
import type { AppError, ErrorCode } from "../errors/errors.ts";
import { refusingLimit } from "../limits/rate_limit.ts";
import { errorInEnglish } from "../http/error_english.ts";
import { cookieValues } from "../http/cookies.ts";
import { bearerToken, hasBearer } from "../http/bearer_token.ts";
import { sessionTokens } from "./authentication/presented_tokens.ts";
import { SESSION_COOKIE } from "./authentication/session_cookie.ts";
import type { State } from "./state.ts";

/** What the log line says about a refused request. It is kept here until the outer handler logs the request. */
export interface Refusal {
  code?: ErrorCode;
  /** The user who sent the request, if it has looked up its session or API token. */
  userId?: string;
  /** Why the request was refused with 401 or 403, such as "403 FORBIDDEN: ...". */
  refusal?: string;
}

/** Returns what is known about the refusal of a request; nothing about one that was accepted. */
export function refusalOf(info: Deno.ServeHandlerInfo): Refusal {
  const { code, userId, refusal } = info as Refusal;
  return { code, userId, refusal };
}

/** Notes the refusal of a request for its log line, its page, and its RateLimit headers. */
export async function noteRefusal(ctx: Context<State>, error: AppError): Promise<void> {
  const limit = refusingLimit(error);
  // Another one than that of the route may refuse, such as that of wrong proofs. That of tokens has its own place.
  if (limit !== undefined && limit.policy !== "token") ctx.state.limit = { policy: limit.policy, counted: limit };
  Object.assign(ctx.info, { code: error.code, userId: await senderIfKnown(ctx) } satisfies Refusal);
  await explainRefusal(ctx, error);
}

/** Notes why a request of an app was refused. It holds nothing of what the app has sent. */
export function noteOAuthRefusal(
  { info }: Context<State>,
  { status, message }: Pick<OAuthError, "status" | "message">,
): void {
  Object.assign(info, { refusal: `${status} ${message}` } satisfies Refusal);
}

/** Returns the id of the user, without another look-up. */
async function senderIfKnown({ state: { token, sessionLookup } }: Context<State>): Promise<string | undefined> {
  if (token !== undefined) return token.user?.id;
  return (await sessionLookup.found?.catch(() => null))?.current?.user.id;
}

/**
 * Explains a refusal with 401 or 403 to the log. In production, only what refused it can: the rest may cost a query.
 * Looks up nothing that would change the response, and contains no token and no cookie value.
 */
async function explainRefusal(ctx: Context<State>, error: AppError): Promise<void> {
  if (error.status !== 401 && error.status !== 403) return;
  if (ctx.state.services.config.isProduction && typeof error.cause !== "string") return;
  const reason = await reasonOf(ctx, error).catch(() => errorInEnglish(error));
  Object.assign(ctx.info, { refusal: `${error.status} ${error.code}: ${reason}` } satisfies Refusal);
}

async function reasonOf(ctx: Context<State>, error: AppError): Promise<string> {
  // What refused the request knows more than its message says.
  if (typeof error.cause === "string") return error.cause;
  if (error.is("SCOPE_MISSING")) return missingScope(ctx, error.data.scopes);
  if (error.code === "REAUTHENTICATION_REQUIRED") return await oldProof(ctx);
  if (error.code !== "UNAUTHENTICATED") return errorInEnglish(error);
  if (hasBearer(ctx.req)) return unknownApiToken(ctx.req);
  const found = await ctx.state.sessionLookup.found;
  return found?.current === null
    ? `${errorInEnglish(error)}: ${await missingSession(ctx, found)}`
    : errorInEnglish(error);
}

function missingScope({ state: { token } }: Context<State>, scopes: string[]): string {
  if (scopes.length === 0) return "no API token may use this route";
  return `the token has ${token?.scopes.join(", ") || "no scope"}, the route requires ${scopes.join(", ")}`;
}

async function oldProof(ctx: Context<State>): Promise<string> {
  const { services: { config: { sudoSeconds } }, sessionLookup: { found } } = ctx.state;
  const session = (await found)?.current;
  if (session?.lastProof === "trusted_device") return "the login skipped the second step on a trusted device";
  const provenAt = session?.authenticatedAt.toISOString();
  return `the last proof in this session was at ${provenAt}, and SUDO_SECONDS is ${sudoSeconds}`;
}

function unknownApiToken(req: Request): string {
  if (isJwt(bearerToken(req))) {
    return "the access token is wrong or expired, is not for this service, or its grant has ended";
  }
  return isWellFormedToken(bearerToken(req))
    ? "the API token has ended or expired, or was never issued"
    : "what the header Authorization presents does not have the form of an API token";
}

/** Says what is wrong with the session cookies of a request. */
async function missingSession(
  { req, state: { services } }: Context<State>,
  { ids }: PresentedSessions,
): Promise<string> {
  const { name } = SESSION_COOKIE;
  if (cookieValues(req, name).length === 0) return `no ${name} cookie`;
  const [token, ...others] = sessionTokens(req);
  if (token === undefined) return `the cookie ${name} does not have the form of a session token`;
  if (ids.length > 1) return `the cookies ${name} name different sessions`;
  if (others.length > 0) return `none of the ${others.length + 1} cookies ${name} names a session`;
  const endedAt = await findSessionEnd(services.db, token);
  return endedAt === null
    ? `the cookie ${name} names no session: it has ended, or was opened elsewhere`
    : `the session of the cookie ${name} expired at ${endedAt.toISOString()}`;
}
