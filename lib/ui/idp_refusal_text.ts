import type { IdpRefusal } from "../errors.ts";
import type { Words } from "../words/words.ts";

/** The login page's text for a failed sign-in with `provider`; undefined for an unknown refusal. */
export function idpRefusalText(
  { login }: Words["signIn"],
  { refusal, provider }: { refusal: string | null; provider: string },
): string | undefined {
  const texts: Record<IdpRefusal, string> = {
    cancelled: login.cancelled,
    idp_failed: login.idpFailed(provider),
    idp_email: login.idpEmail(provider),
  };
  return refusal !== null && Object.hasOwn(texts, refusal) ? texts[refusal as IdpRefusal] : undefined;
}
