import { type Context, HttpError } from "fresh";
import { isDatabaseUnavailable } from "../../db/database_errors.ts";
import { providerName } from "../accounts/identities.ts";
import { PROTECTED_RESOURCE_PATH } from "../authorization_server/discovery.ts";
import { OAuthError } from "../authorization_server/tokens/oauth_error.ts";
import { signInPath } from "../config/provider_settings.ts";
import { AppError, type ErrorCode, IdpError } from "../errors/errors.ts";
import { errorFields } from "../log/log.ts";
import { ErrorPage } from "../ui/ErrorPage.tsx";
import { textsIn } from "../texts/texts.ts";
import { KEEP_ACCOUNT_PAGE } from "./middleware/closing_account.ts";
import { isShownAtProduct, policyAtProduct } from "./pages/at_product.ts";
import { renderPage } from "./pages/page_viewer.ts";
import { errorHeaders, errorJson } from "../http/error_body.ts";
import { withNext } from "./pages/next_path.ts";
import { whomToAsk } from "./pages/whom_to_ask.ts";
import { hasBearer } from "../http/bearer_token.ts";
import { isNavigation, isRead } from "../http/navigation.ts";
import { methodNotAllowed } from "./middleware/other_methods.ts";
import { requestIdOf } from "../http/request_id.ts";
import { noteOAuthRefusal, noteRefusal } from "./refusal.ts";
import { productAddress } from "./authentication/auth_check.ts";
import { REQUIRED_PAGE, skipLookup } from "./authentication/current_session.ts";
import { define, type State } from "./state.ts";
import { isTokenEndpoint, oauthErrorResponse } from "./oauth/oauth_response.ts";

const RETRY_AFTER_SECONDS = 2;

/**
 * Turns every error into a JSON body or a page. This is a middleware because Fresh runs its own error routes outside
 * the middleware, so their responses would lack its headers.
 */
export const errorResponses = define.middleware(async (ctx) => {
  try {
    return await ctx.next();
  } catch (thrown) {
    return await errorResponse(ctx, thrown);
  }
});

/**
 * The response to a thrown value. Logs unexpected errors and outages. UNAVAILABLE without a cause is one of our own
 * limits: logging a stack for each refused request would let a flood fill the log.
 *
 * @param options.next the page to go to after logging in, if the error page offers that.
 */
export async function errorResponse(
  ctx: Context<State>,
  thrown: unknown,
  { next = null }: { next?: string | null } = {},
): Promise<Response> {
  const isForApps = isTokenEndpoint(ctx.url.pathname);
  if (isForApps && thrown instanceof OAuthError) {
    noteOAuthRefusal(ctx, thrown);
    return oauthErrorResponse(ctx, thrown)!;
  }
  const error = appErrorOf(thrown);
  if (error.code === "INTERNAL" || (error.code === "UNAVAILABLE" && error.cause !== undefined)) {
    ctx.state.services.log("error", "request failed", { requestId: requestIdOf(ctx.info), ...errorFields(thrown) });
  }
  await noteRefusal(ctx, error);
  const response = isForApps ? oauthErrorResponse(ctx, error) : null;
  if (response !== null) return response;
  return wantsPage(ctx) ? await errorPage(ctx, error, next) : withResourceMetadata(ctx, errorJson(error, ctx.req));
}

/**
 * Says to programs that our API refuses for want of a token, or of a scope, where apps get tokens. Source: RFC 9728,
 * 5.1.
 */
function withResourceMetadata({ url, state: { services: { config } } }: Context<State>, response: Response): Response {
  if (config.registrations === null || !/^\/api(\/|$)/.test(url.pathname)) return response;
  const challenge = response.headers.get("WWW-Authenticate");
  if (response.status !== 401 && challenge === null) return response;
  const metadata = `resource_metadata="${config.baseUrl}${PROTECTED_RESOURCE_PATH}"`;
  response.headers.set("WWW-Authenticate", challenge === null ? `Bearer ${metadata}` : `${challenge}, ${metadata}`);
  return response;
}

/** The error that a client may see for a thrown value. Everything unknown is INTERNAL. */
function appErrorOf(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof HttpError && thrown.status === 404) return new AppError("NOT_FOUND", { reason: "page" });
  // Only in development: elsewhere, the outer handler refuses methods that the router does not know.
  if (thrown instanceof HttpError && thrown.status === 405) return methodNotAllowed();
  if (thrown instanceof IdpError) {
    return new AppError("UNAVAILABLE", { reason: "provider", cause: thrown, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (isDatabaseUnavailable(thrown)) {
    return new AppError("UNAVAILABLE", { reason: "database", cause: thrown, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return new AppError("INTERNAL", { cause: thrown });
}

/** Programs use /api, /auth and API tokens, and send files. People use the rest, and follow links to /auth. */
function wantsPage({ url: { pathname }, req }: Context<State>): boolean {
  if (hasBearer(req) || isTokenEndpoint(pathname)) return false;
  if (/^\/auth(\/|$)/.test(pathname)) return isNavigation(req);
  const isSending = pathname.startsWith("/files/") && !isRead(req);
  return !isSending && !/^\/(api|\.well-known)(\/|$)/.test(pathname);
}

/**
 * A link to the address of the page. Its query may hold a token, so the page does not repeat it: browsers fill in an
 * empty address. They ignore the space, which keeps the value of the attribute in the markup.
 */
const SAME_ADDRESS = " ";

/** The pages on which people change what a page refuses them for. */
const LEADS_TO: Partial<Record<ErrorCode, string>> = {
  ACCOUNT_CLOSING: KEEP_ACCOUNT_PAGE,
  SECOND_FACTOR_SETUP_REQUIRED: REQUIRED_PAGE,
};

function providerWay({ services: { config }, language }: State, key: string, next: string | null) {
  const name = providerName(config, key);
  return {
    name,
    href: withNext(signInPath(key), next),
    text: textsIn(language).signIn.continueWith({ provider: name }),
  };
}

async function errorPage(ctx: Context<State>, error: AppError, next: string | null): Promise<Response> {
  const leadsTo = LEADS_TO[error.code];
  if (leadsTo !== undefined) {
    const { pathname, search } = ctx.url;
    return ctx.redirect(withNext(leadsTo, isRead(ctx.req) ? pathname + search : null), 303);
  }
  const { state } = ctx;
  // The page header looks up the session. While the database is down, a new lookup would wait for its timeout again.
  if (isDatabaseUnavailable(error.cause)) skipLookup(ctx);
  const texts = textsIn(state.language);
  const { config } = state.services;
  const isAtProduct = isShownAtProduct(ctx.url);
  const ownHref = ctx.url.pathname + ctx.url.search;
  const sameHref = isAtProduct ? productAddress(ctx.req, config) ?? ownHref : SAME_ADDRESS;
  const content = (
    <ErrorPage
      code={error.code}
      reason={error.is("NOT_FOUND") || error.is("FORBIDDEN") ? error.data.reason : undefined}
      baseUrl={config.baseUrl}
      whomToAsk={whomToAsk(texts, config)}
      retryHref={isRead(ctx.req) ? sameHref : null}
      provider={error.is("PROVIDER_REQUIRED") ? providerWay(state, error.data.provider, next) : null}
      logInHref={withNext("/login", next)}
      texts={texts.frame}
    />
  );
  const headers = new Headers(errorHeaders(error));
  if (isAtProduct) headers.set("Content-Security-Policy", policyAtProduct(config.baseUrl));
  return await renderPage(ctx, content, { status: error.status, headers });
}
