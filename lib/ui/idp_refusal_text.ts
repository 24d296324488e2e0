import type { IdpRefusal } from "../errors/errors.ts";
import type { Texts } from "../texts/texts.ts";

type Refusals = Texts["settings"]["signInMethods"]["refusals"];

/** Why a sign-in failed, and the name of the provider if it is known. */
interface Refusal {
  refusal: string | null;
  provider: string | null;
}

interface LoginRefusal extends Refusal {
  /** Whether passwords open something. */
  hasPasswords: boolean;
}

/** The login page's text for a failed sign-in; undefined for an unknown refusal. */
export function idpRefusalText(
  { login, someProvider }: Texts["signIn"],
  { refusal, provider, hasPasswords }: LoginRefusal,
): string | undefined {
  const ways = hasPasswords ? login : login.withoutPassword;
  const name = provider ?? someProvider;
  const texts: Record<IdpRefusal, string> = {
    cancelled: ways.cancelled,
    idp_failed: ways.idpFailed({ provider: name }),
    idp_email: ways.idpEmail({ provider: name }),
    idp_email_withheld: ways.idpEmailWithheld({ provider: name }),
    registration_closed: login.registrationClosed({ provider: name }),
  };
  return asSentence(ownText(texts, refusal), provider);
}

/** The text of the sign-in methods for a provider that was not added; undefined for an unknown refusal. */
export function linkRefusalText(
  { refusals, someProvider }: Texts["settings"]["signInMethods"],
  { refusal, provider }: Refusal,
): string | undefined {
  return asSentence(
    ownText<Refusals[keyof Refusals]>(refusals, refusal)?.({ provider: provider ?? someProvider }),
    provider,
  );
}

/** The words that stand for a name may be at the start of a text. */
function asSentence(text: string | undefined, name: string | null): string | undefined {
  return text && name === null ? text[0].toUpperCase() + text.slice(1) : text;
}

/** A closed list, so that a forged URL cannot put its own text on a page. */
function ownText<Text>(texts: Record<string, Text>, refusal: string | null): Text | undefined {
  return refusal !== null && Object.hasOwn(texts, refusal) ? texts[refusal] : undefined;
}
