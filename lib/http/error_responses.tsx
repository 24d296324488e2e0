import { type Context, HttpError } from "fresh";
import { isDatabaseUnavailable } from "../../db/database_errors.ts";
import { AppError } from "../errors.ts";
import { errorFields } from "../log.ts";
import { ErrorPage } from "../ui/ErrorPage.tsx";
import { errorHeaders, errorJson, INTERNAL_MESSAGE } from "./error_body.ts";
import { methodNotAllowed } from "./other_methods.ts";
import { requestIdOf } from "./request_id.ts";
import { define, type State } from "./state.ts";

const RETRY_AFTER_SECONDS = 2;

/**
 * Turns whatever is thrown inside into the one error body, or into the page that says the same. It stands inside
 * the framework's middlewares because the framework's own error routes would lie outside of them.
 */
export const errorResponses = define.middleware(async (ctx) => {
  try {
    return await ctx.next();
  } catch (thrown) {
    return await errorResponse(ctx, thrown);
  }
});

/** The response to what was thrown; what nobody foresaw is logged. */
export async function errorResponse(ctx: Context<State>, thrown: unknown): Promise<Response> {
  const error = appErrorOf(thrown);
  if (error.code === "INTERNAL" || error.code === "UNAVAILABLE") {
    ctx.state.services.log("error", "request failed", { requestId: requestIdOf(ctx.info), ...errorFields(thrown) });
  }
  return wantsPage(ctx) ? await errorPage(ctx, error) : errorJson(error);
}

/** The error that a client may see for what was thrown; everything unknown is INTERNAL. */
export function appErrorOf(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof HttpError && thrown.status === 404) return new AppError("NOT_FOUND", "Not found");
  // Only the development server gets here: elsewhere, the outer handler refuses methods that the router does not know.
  if (thrown instanceof HttpError && thrown.status === 405) return methodNotAllowed();
  if (isDatabaseUnavailable(thrown)) {
    const message = "The service is not available at the moment";
    return new AppError("UNAVAILABLE", message, { cause: thrown, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return new AppError("INTERNAL", INTERNAL_MESSAGE, { cause: thrown });
}

/** Programs use /api and /auth, and send files; everything else is for people. */
function wantsPage({ url, req }: Context<State>): boolean {
  const isSending = url.pathname.startsWith("/files/") && !["GET", "HEAD"].includes(req.method);
  return !isSending && !/^\/(api|auth)(\/|$)/.test(url.pathname);
}

async function errorPage(ctx: Context<State>, error: AppError): Promise<Response> {
  // The page's header asks who is there: a database that has just not answered would make it wait as long again.
  if (isDatabaseUnavailable(error.cause)) ctx.state.currentSession = ctx.state.knownSession;
  return await ctx.render(<ErrorPage error={error} />, { status: error.status, headers: errorHeaders(error) });
}
