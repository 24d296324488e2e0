import { FoyerUnavailable } from "./errors.ts";
import { headerOf, type IncomingRequest, refusalOf, send } from "./request.ts";

/** The person who is logged in. People change these at Foyer's page `/profile`. */
export interface FoyerUser {
  /** The key for your own data. All else can change. */
  id: string;
  email: string;
  /** Always true: someone who has not confirmed the address is a guest. */
  emailVerified: boolean;
  name: string;
  /** The address of the photo, or null. The API calls it `avatar`. */
  picture: string | null;
  role: "user" | "admin";
}

/** Who sends a request. */
export interface FoyerSession {
  user: FoyerUser;
  /** Null for a program with an API token. Its id is `sid` in tokens, and in the notice that a session has ended. */
  session: { id: string } | null;
  /** The names of the groups that the person is in. */
  groups: string[];
  /** Lines of `Set-Cookie` that extend the session. Add them to your response; the adapters do. */
  cookies: string[];
}

export interface SessionOptions {
  /** Also accepts an API token in `Authorization`. Default: only the cookie counts. */
  bearer?: boolean;
}

export interface RequireOptions extends SessionOptions {
  /** Only members of this group pass. */
  group?: string;
}

/** How the session cookie begins. */
const SESSION = "auth_session=";

/** Returns the session cookie that a response sets, for the header `Cookie`. */
export function sessionCookieOf({ headers }: Response): string {
  return headers.getSetCookie().map((line) => line.split(";")[0]).find((cookie) => cookie.startsWith(SESSION)) ?? "";
}

/**
 * Asks Foyer who sends a request. Passes on the session cookie and no other, and none of the other headers.
 *
 * @returns null for a guest, an account that is closing, or one whose address is not confirmed.
 * @throws {FoyerUnavailable} if Foyer does not answer, or has no answer.
 */
export async function askSession(
  url: string,
  request: IncomingRequest,
  { bearer = false }: SessionOptions = {},
): Promise<FoyerSession | null> {
  const headers = credentialsOf(request, bearer);
  if (headers === null) return null;
  const response = await send(`${url}/auth/check`, { headers });
  // 403: an API token that may not read who its person is.
  if (response.status === 401 || response.status === 403) {
    await response.body?.cancel();
    return null;
  }
  const user = userOf(response.headers);
  if (response.status === 204 && user !== null) {
    const groups = (response.headers.get("x-foyer-user-groups") ?? "").split(",").filter(Boolean);
    const id = response.headers.get("x-foyer-user-session");
    return { user, session: id ? { id } : null, groups, cookies: response.headers.getSetCookie() };
  }
  throw unavailable(await refusalOf(response));
}

/** Returns the person whom the headers of `GET /auth/check` name, or null. */
export function userOf(headers: Headers): FoyerUser | null {
  const id = headers.get("x-foyer-user-id");
  if (id === null) return null;
  return {
    id,
    email: headers.get("x-foyer-user-email") ?? "",
    emailVerified: headers.get("x-foyer-user-email-verified") === "true",
    name: decodeURIComponent(headers.get("x-foyer-user-name") ?? ""),
    picture: headers.get("x-foyer-user-picture") || null,
    role: headers.get("x-foyer-user-role") === "admin" ? "admin" : "user",
  };
}

/** Returns the headers that present the sender of a request to Foyer, or null for a guest. */
export function credentialsOf(request: IncomingRequest, bearer: boolean): Record<string, string> | null {
  const authorization = bearer ? headerOf(request, "authorization") : null;
  if (authorization !== null) return { authorization };
  const cookies = (headerOf(request, "cookie") ?? "").split(";").map((cookie) => cookie.trim());
  // A sibling site can plant a second one. Foyer knows what to do about it, so it gets all of them.
  const own = cookies.filter((cookie) => cookie.startsWith(SESSION));
  return own.length === 0 ? null : { cookie: own.join("; ") };
}

function unavailable(cause: Error): FoyerUnavailable {
  if (cause instanceof FoyerUnavailable) return cause;
  return new FoyerUnavailable(`Foyer cannot say who is logged in: ${cause.message}`, { cause });
}
