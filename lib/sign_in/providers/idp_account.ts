import { storedAvatar } from "../../uploads/shown_photo.ts";
import { DEFAULT_NAME } from "../../users/user.ts";
import { IdpError } from "../../errors/errors.ts";
import { hasUploads } from "../../config/uploads_setting.ts";
import type { Config } from "../../config/config.ts";
import { prefixOf } from "../../config/provider_settings.ts";
import { Email, Name, WebAddress } from "../../schemas/user.ts";
import { NAME_MAX } from "../../schemas/user_rules.ts";
import type { IdpIdentity } from "../../services/identity_provider.ts";
import type { Services } from "../../services/services.ts";

/** The data that an account copies from the identity provider. It must meet the same rules as people's own input. */
export interface IdpAccount {
  provider: string;
  subject: string;
  email: string;
  name: string;
  /** The value of its column. */
  avatar: string | null;
  /** Null if the provider has said nothing about groups. */
  groups: string[] | null;
}

/**
 * Turns an identity into the data of an account. A name that breaks the rules is changed to fit, and a picture that may
 * not be an avatar is dropped.
 *
 * @throws {IdpError} idp_email when the address is unverified or invalid.
 */
export function idpAccountOf(
  { provider, subject, email, emailVerified, name, picture, groups }: IdpIdentity,
  services: Pick<Services, "config" | "objects">,
): IdpAccount {
  const address = Email.safeParse(email);
  if (!address.success) throw new IdpError("idp_email", "The email address is missing or invalid");
  if (!emailVerified) {
    throw new IdpError("idp_email", unverifiedMessage(provider, services.config));
  }
  const avatar = hasUploads(services.config, "photos") ? WebAddress.safeParse(picture).data : undefined;
  return {
    provider,
    subject,
    email: address.data,
    // A provider without a name may send the address instead, which may be private.
    name: Email.safeParse(name).success ? DEFAULT_NAME : fitName(name ?? ""),
    avatar: avatar ? storedAvatar(avatar, services) : null,
    groups,
  };
}

/** With the setting, only a denial of the provider leaves an address unverified. */
function unverifiedMessage(provider: string, { providers }: Config): string {
  const setting = `${prefixOf(provider)}TRUST_EMAIL`;
  return providers.find(({ key }) => key === provider)?.trustEmail
    ? `The provider says that the email address is not verified, which ${setting} does not override`
    : `Nothing vouches for the email address: neither the provider nor ${setting}`;
}

function fitName(text: string): string {
  const readable = text.toWellFormed().replaceAll(BIDI_CONTROL, "").replaceAll(SPACE_OR_CONTROL, " ").trim();
  return Name.safeParse([...readable].slice(0, NAME_MAX).join("")).data ?? DEFAULT_NAME;
}

const SPACE_OR_CONTROL = /[\s\p{Cc}]+/gu;
const BIDI_CONTROL = /\p{Bidi_Control}/gu;
