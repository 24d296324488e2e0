import { IdpError } from "../errors.ts";
import type { IdpIdentity } from "../services.ts";

/** What a provider tells of a person, by claim or field. */
export type ProviderProfile = Record<string, unknown>;

/** Source: OpenID Connect Core 1.0, 2 (`sub`). */
const SUBJECT = /^\P{Cc}{1,255}$/u;

/**
 * The person of an OpenID Connect sign-in. An address and whether it is verified are taken from one place: one half
 * of each would vouch for an address that the provider never vouched for.
 *
 * @param claims of the ID token.
 * @param userinfo of the same `sub`; what it tells goes before the claims.
 */
export function openIdIdentity(issuer: string, claims: ProviderProfile, userinfo: ProviderProfile): IdpIdentity {
  const { email, email_verified: emailVerified } = userinfo.email === undefined ? claims : userinfo;
  return {
    subject: subjectAt(issuer, claims.sub),
    email: textOrNull(email),
    emailVerified: emailVerified === true,
    name: textOrNull(userinfo.name ?? claims.name),
    picture: textOrNull(userinfo.picture ?? claims.picture),
  };
}

/**
 * The person of a plain OAuth 2.0 sign-in: having an address is being vouched for, unless the provider says
 * otherwise.
 *
 * @param authority what gives out the ids, as an issuer does.
 */
export function plainIdentity(authority: string, profile: ProviderProfile): IdpIdentity {
  const { sub, id, email, email_verified: emailVerified = true, name, picture, avatar_url: avatarUrl } = profile;
  return {
    subject: subjectAt(authority, sub ?? (Number.isSafeInteger(id) ? String(id) : id)),
    email: textOrNull(email),
    emailVerified: emailVerified === true,
    name: textOrNull(name),
    picture: textOrNull(picture ?? avatarUrl),
  };
}

/** Who somebody is, only issuer and subject say together; an address has no space, so no two pairs look alike. */
function subjectAt(issuer: string, sub: unknown): string {
  if (typeof sub === "string" && sub.isWellFormed() && SUBJECT.test(sub)) return `${issuer} ${sub}`;
  throw new IdpError("idp_failed", "Cannot tell who signed in: the provider gave no usable subject");
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
