import { IdpError } from "../errors.ts";
import type { IdpIdentity } from "../services.ts";

/** The claims of an ID token, or the fields of a userinfo response. */
export type ProviderProfile = Record<string, unknown>;

/** Claims that deny an address if they are present and not true: of OpenID Connect, Google's older API and Discord. */
const VERIFICATION_CLAIMS = ["email_verified", "verified_email", "verified"];
/** Source: OpenID Connect Core 1.0, 2 (`sub`). */
const SUBJECT = /^\P{Cc}{1,255}$/u;

/**
 * Whether the provider vouches for the address: by `email_verified`, or because the operator trusts all its addresses.
 * Silence never vouches: people who can enter any address at the provider could log in to anyone's account here. Only the
 * boolean true counts, because the string "true" may come from a field that the person filled in.
 *
 * @param trustEmail whether the operator trusts the addresses (IDP_TRUST_EMAIL). This does not override a denial.
 */
export function isEmailVerified(profile: ProviderProfile, trustEmail: boolean): boolean {
  return !isEmailDenied(profile) && (profile.email_verified === true || trustEmail);
}

function isEmailDenied(profile: ProviderProfile): boolean {
  return VERIFICATION_CLAIMS.some((name) => profile[name] !== undefined && profile[name] !== true);
}

/**
 * The identity of an OpenID Connect sign-in. The address and its verification come from the same source, because the
 * verification of one address must not count for another. An address is unverified if either source says so.
 *
 * @param claims of the ID token.
 * @param userinfo of the same `sub`; it takes precedence over the claims.
 */
export function openIdIdentity(
  issuer: string,
  { claims, userinfo, trustEmail }: { claims: ProviderProfile; userinfo: ProviderProfile; trustEmail: boolean },
): IdpIdentity {
  const source = userinfo.email === undefined ? claims : userinfo;
  return {
    subject: subjectAt(issuer, claims.sub),
    email: textOrNull(source.email),
    emailVerified: isEmailVerified(source, trustEmail) && ![claims, userinfo].some(isEmailDenied),
    name: textOrNull(userinfo.name ?? claims.name),
    picture: textOrNull(userinfo.picture ?? claims.picture),
  };
}

/**
 * The identity of a plain OAuth 2.0 sign-in.
 *
 * @param authority the URL that serves as the issuer, where ids are unique.
 */
export function plainIdentity(authority: string, profile: ProviderProfile, trustEmail: boolean): IdpIdentity {
  const { sub, id, email, name, picture, avatar_url: avatarUrl } = profile;
  return {
    subject: subjectAt(authority, textOfNumber(sub ?? id)),
    email: textOrNull(email),
    emailVerified: isEmailVerified(profile, trustEmail),
    name: textOrNull(name),
    picture: textOrNull(picture ?? avatarUrl),
  };
}

/** Larger numbers are rounded, so two people could share one. Zero means "no id" in many languages. */
function textOfNumber(id: unknown): unknown {
  return Number.isSafeInteger(id) && (id as number) > 0 ? String(id) : id;
}

/** A subject is unique only at its issuer. An issuer contains no space, so no two pairs produce the same text. */
function subjectAt(issuer: string, sub: unknown): string {
  if (typeof sub === "string" && sub.isWellFormed() && SUBJECT.test(sub)) return `${issuer} ${sub}`;
  throw new IdpError("idp_failed", "Cannot identify the person: the provider sent no usable subject");
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
