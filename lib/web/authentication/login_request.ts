import type { Config } from "../../config/config.ts";
import { MINUTE_SECONDS } from "../../duration.ts";
import { hostCookie, withCookie } from "../../http/cookies.ts";
import { singleToken } from "./presented_tokens.ts";

/**
 * Marks the browser that has asked for a code to log in with: the link beside the code works only there. SameSite=Lax,
 * because mail programs on the web link from another site.
 */
const LOGIN_REQUEST_COOKIE = "login_request";
const LOGIN_REQUEST_SECONDS = 10 * MINUTE_SECONDS;

/** Returns the secret of a browser that has asked for a code within the last ten minutes, or null. */
export function findLoginRequest(req: Request, config: Config): string | null {
  return singleToken(req, hostCookie(LOGIN_REQUEST_COOKIE, config));
}

/** Sets the cookie, whether or not the address has an account. */
export function withLoginRequest(response: Response, requestToken: string, config: Config): Response {
  const name = hostCookie(LOGIN_REQUEST_COOKIE, config);
  return withCookie(response, { name, value: requestToken, maxAge: LOGIN_REQUEST_SECONDS }, config);
}
