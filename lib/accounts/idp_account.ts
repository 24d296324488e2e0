import { IdpError } from "../errors.ts";
import { Email, Name, WebAddress } from "../schemas/user.ts";
import { NAME_MAX } from "../schemas/user_rules.ts";
import type { IdpIdentity } from "../services.ts";
import { NAMELESS } from "./user.ts";

/** What an account takes from the identity provider, held to the rules of what people type here. */
export interface IdpAccount {
  subject: string;
  email: string;
  name: string;
  avatar: string | null;
}

/**
 * The account of a person at the identity provider. A name is made to fit, a picture that is not https is left out.
 *
 * @throws {IdpError} idp_email when the provider does not vouch for the address, or it is none that we can mail to.
 */
export function idpAccountOf({ subject, email, emailVerified, name, picture }: IdpIdentity): IdpAccount {
  const address = Email.safeParse(email);
  if (!emailVerified || !address.success) {
    throw new IdpError("idp_email", "The provider does not vouch for an email address");
  }
  const avatar = WebAddress.safeParse(picture).data;
  return {
    subject,
    email: address.data,
    name: fittingName(name ?? ""),
    avatar: avatar?.startsWith("https:") ? avatar : null,
  };
}

function fittingName(text: string): string {
  const readable = text.toWellFormed().replaceAll(BIDI_CONTROL, "").replaceAll(SPACE_OR_CONTROL, " ").trim();
  return Name.safeParse([...readable].slice(0, NAME_MAX).join("")).data ?? NAMELESS;
}

const SPACE_OR_CONTROL = /[\s\p{Cc}]+/gu;
const BIDI_CONTROL = /\p{Bidi_Control}/gu;
