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
  return ownText(texts, refusal);
}

/** The text of the sign-in methods for a `provider` that was not added; undefined for an unknown refusal. */
export function linkRefusalText(
  { refusals }: Words["settings"]["signInMethods"],
  { refusal, provider }: { refusal: string | null; provider: string },
): string | undefined {
  return ownText(refusals, refusal)?.(provider);
}

/** A closed list, so that a forged URL cannot put its own text on a page. */
function ownText<Text>(texts: Record<string, Text>, refusal: string | null): Text | undefined {
  return refusal !== null && Object.hasOwn(texts, refusal) ? texts[refusal] : undefined;
}
