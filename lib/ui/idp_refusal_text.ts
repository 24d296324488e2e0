import type { IdpRefusal } from "../errors.ts";

const TEXTS: Record<IdpRefusal, string> = {
  cancelled: "You cancelled signing in. Nothing was changed; you can try again or use your password",
  idp_failed: "Signing in did not work this time. Please try again, or use your password",
  idp_email: "Your provider does not confirm your email address, or it belongs to somebody else's account here. " +
    "Please confirm the address there and try again, or use your password",
};

/** What the login page says of a sign-in that came to nothing; undefined for words that are none of ours. */
export function idpRefusalText(refusal: string | null): string | undefined {
  return refusal !== null && Object.hasOwn(TEXTS, refusal) ? TEXTS[refusal as IdpRefusal] : undefined;
}
