import { requestEmail } from "../accounts/email_request.ts";
import { isAddressAssumed } from "../accounts/first_admin.ts";
import { inEqualTime } from "../accounts/equal_time.ts";
import { openSession, type SessionClient } from "../access/session_start.ts";
import { lockUser, lockUserByEmail } from "../users/user_lock.ts";
import { userOfRow } from "../users/user_row.ts";
import { recordFailedLogin } from "../activity/events.ts";
import { requireOpenDoor } from "../config/sign_in_domains.ts";
import { createToken } from "../crypto/token.ts";
import { AppError } from "../errors/errors.ts";
import type { CodeLogin, SignInCodeRequest } from "./schema.ts";
import type { Services } from "../services/services.ts";
import { type CodeLink, findCodeLink, type PresentedCodeLink, spendCodeLink } from "../mail/links/code_link.ts";
import { tryCode } from "../mail/links/emailed_code.ts";
import { invalidToken, type LinkTarget } from "../mail/links/emailed_token.ts";
import { proveAddress } from "./address_proof.ts";
import { countSignIn, type SignedIn } from "./sign_in_count.ts";

/** The page that the link beside a code opens. */
export const CODE_LINK_PAGE = "/login-link";

/** A browser that asks for a code, and the page to which the link in the email leads. */
export interface AskingBrowser extends LinkTarget {
  /** Its secret, if it has asked before; otherwise null. */
  requestToken: string | null;
}

/**
 * Emails a code that logs in, and a link beside it that works only in this browser, if the address has an account that
 * got fewer than three within the last hour. A new code replaces an earlier one. Neither the response nor its time
 * reveals whether there is an account. The caller counts the request.
 *
 * @returns the secret that the browser keeps, for unknown addresses too. One that has asked before keeps its own: this
 * email may not be sent, and the link in the last one must go on working. `isExhausted` says whether the address has
 * used up its codes of this hour. Requests for unknown addresses count too.
 * @throws {AppError} PROVIDER_REQUIRED.
 */
export async function sendSignInCode(
  services: Services,
  { email }: SignInCodeRequest,
  { requestToken: presented, next }: AskingBrowser,
): Promise<{ isExhausted: boolean; requestToken: string }> {
  requireOpenDoor(services.config, email);
  const requestToken = presented ?? createToken();
  const isExhausted = await requestEmail(
    services,
    { kind: "sign_in_code", email, requestToken, next },
    async ({ id }, trx) => !await isAddressAssumed(trx, id),
  );
  return { isExhausted, requestToken };
}

/**
 * Opens a session for a person with the code that was emailed to the address, or asks for the second factor. The code
 * also verifies the address; if a stranger has registered it, nothing of theirs stays. A wrong code and an unknown
 * address take the same time and throw the same error. The caller counts the attempt beforehand.
 *
 * @throws {AppError} INVALID_CREDENTIALS when the code is wrong, used, replaced or expired; PROVIDER_REQUIRED;
 * ACCOUNT_SUSPENDED.
 */
export async function logInWithCode(
  services: Services,
  { email, code }: CodeLogin,
  client: SessionClient,
): Promise<SignedIn> {
  return await countSignIn(services, "code", tryLogIn(services, { email, code }, client));
}

async function tryLogIn(
  services: Services,
  { email, code }: CodeLogin,
  client: SessionClient,
): Promise<SignedIn> {
  requireOpenDoor(services.config, email);
  const now = services.now();
  // Returns errors instead of throwing them: a rollback would forget the try, and a suspended account's code would stay
  // valid.
  const signedIn = await inEqualTime(services, email, async (trx) => {
    const user = await lockUserByEmail(trx, email);
    const isRight = await tryCode(
      { ...services, db: trx },
      { userId: user?.id ?? "", purpose: "sign_in", email },
      { code, address: client.address },
    );
    if (user === null || !isRight) {
      await recordFailedLogin(trx, { email, client, reason: "code" }, now);
      return new AppError("INVALID_CREDENTIALS", { reason: "code" });
    }
    await proveAddress(trx, services, { user, client, proof: { way: "code" } });
    try {
      const session = await openSession(trx, services, { userId: user.id, method: "code", client });
      return { user: userOfRow((await lockUser(trx, user.id))!, services), session };
    } catch (error) {
      if (error instanceof AppError && error.code === "ACCOUNT_SUSPENDED") return error;
      throw error;
    }
  });
  if (signedIn instanceof AppError) throw signedIn;
  return signedIn;
}

/** What a browser presents to log in with the link beside a code. */
type PresentedLink = Pick<PresentedCodeLink, "token" | "requestToken">;

/** Finds what a link beside a code would do in this browser, or null if it does not work. Nothing changes. */
export async function findSignInLink({ db, now }: Services, link: PresentedLink): Promise<CodeLink | null> {
  return await findCodeLink(db, { ...link, now: now() });
}

/**
 * Opens a session with the link beside a code, as {@linkcode logInWithCode} does with the code, or asks for the second
 * factor. Using either voids both.
 *
 * @returns also the page to go to, or null.
 * @throws {AppError} INVALID_TOKEN when the link is used, replaced or expired, and in a browser that has not asked for
 * it: it still works in the one that has. PROVIDER_REQUIRED; ACCOUNT_SUSPENDED.
 */
export async function logInWithCodeLink(
  services: Services,
  link: PresentedLink,
  client: SessionClient,
): Promise<SignedIn & { next: string | null }> {
  const now = services.now();
  return await countSignIn(
    services,
    "code",
    services.db.transaction().execute(async (trx) => {
      const found = await findCodeLink(trx, { ...link, now });
      const user = found === null ? null : await lockUser(trx, found.userId);
      const spent = await spendCodeLink(trx, { ...link, now });
      if (user === null || spent === null) throw invalidToken();
      await proveAddress(trx, services, { user, client, proof: { way: "code" } });
      const session = await openSession(trx, services, { userId: user.id, method: "code", client });
      return { user: userOfRow((await lockUser(trx, user.id))!, services), session, next: spent.next };
    }),
  );
}
