import { IdpError } from "../errors.ts";
import { Email, Name, WebAddress } from "../schemas/user.ts";
import { NAME_MAX } from "../schemas/user_rules.ts";
import type { IdpIdentity } from "../services.ts";
import { NAMELESS } from "../accounts/user.ts";

/** What an account takes over from the identity provider, under the same rules as what people enter here. */
export interface IdpAccount {
  subject: string;
  email: string;
  name: string;
  avatar: string | null;
}

/**
 * Turns an identity into the data of an account. The name is made to fit; a picture that is not https is dropped.
 *
 * @throws {IdpError} idp_email when no one vouches for the address, or when it breaks the rules of addresses here.
 */
export function idpAccountOf({ subject, email, emailVerified, name, picture }: IdpIdentity): IdpAccount {
  const address = Email.safeParse(email);
  if (!emailVerified || !address.success) {
    throw new IdpError("idp_email", "Neither the provider nor the configuration vouches for an email address");
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
