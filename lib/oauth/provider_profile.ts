import { IdpError } from "../errors.ts";
import type { ProviderSettings } from "../config/provider_settings.ts";
import type { IdpIdentity } from "../identity_provider.ts";

/** The claims of an ID token, or the fields of a userinfo response. */
export type ProviderProfile = Record<string, unknown>;

/** Claims that deny an address if they are present and not true: of OpenID Connect, Google's older API and Discord. */
const VERIFICATION_CLAIMS = ["email_verified", "verified_email", "verified"];
/** Source: OpenID Connect Core 1.0, 2 (`sub`). */
const SUBJECT = /^\P{Cc}{1,255}$/u;

/** Microsoft encodes this claim in different ways. It is in its signed ID token, where no one else can put it. */
const IS_DOMAIN_OWNER_VERIFIED: unknown[] = [true, "true", 1, "1"];

type Trust = Pick<ProviderSettings, "rules" | "trustEmail">;

/**
 * Whether the provider vouches for the address: by `email_verified`, by Microsoft's `xms_edov`, or because the operator
 * trusts all its addresses. Silence never vouches: people who can enter any address at the provider could log in to
 * anyone's account here. Only the boolean true counts, because the string "true" may come from a field that the person
 * filled in.
 *
 * @param settings `trustEmail` does not override a denial.
 */
export function vouches(profile: ProviderProfile, settings: Trust): boolean {
  if (isEmailDenied(profile, settings)) return false;
  return profile.email_verified === true || settings.trustEmail ||
    (settings.rules === "microsoft" && IS_DOMAIN_OWNER_VERIFIED.includes(profile.xms_edov));
}

function isEmailDenied(profile: ProviderProfile, { rules }: Trust): boolean {
  const { xms_edov: edov } = profile;
  return VERIFICATION_CLAIMS.some((name) => profile[name] !== undefined && profile[name] !== true) ||
    (rules === "microsoft" && edov !== undefined && !IS_DOMAIN_OWNER_VERIFIED.includes(edov));
}

/**
 * The identity of an OpenID Connect sign-in. The address and its verification come from the same source, because the
 * verification of one address must not count for another. An address is unverified if either source says so.
 *
 * @param claims of the ID token.
 * @param userinfo of the same `sub`; it takes precedence over the claims, except for Microsoft's address.
 */
export function openIdIdentity(
  issuer: string,
  { claims, userinfo, settings }: { claims: ProviderProfile; userinfo: ProviderProfile; settings: ProviderSettings },
): IdpIdentity {
  const isMicrosoft = settings.rules === "microsoft";
  const isFromClaims = isMicrosoft ? claims.email !== undefined : userinfo.email === undefined;
  const source = isFromClaims ? claims : userinfo;
  return {
    provider: settings.key,
    subject: subjectAt(issuer, claims.sub),
    email: textOrNull(source.email),
    emailVerified: vouches(source, settings) && ![claims, userinfo].some((profile) => isEmailDenied(profile, settings)),
    name: textOrNull(userinfo.name ?? claims.name),
    picture: textOrNull(userinfo.picture ?? claims.picture),
  };
}

/**
 * The identity of a plain OAuth 2.0 sign-in.
 *
 * @param authority the URL that serves as the issuer, where ids are unique.
 */
export function plainIdentity(
  authority: string,
  { profile, settings }: { profile: ProviderProfile; settings: ProviderSettings },
): IdpIdentity {
  const { sub, id, email, name, picture, avatar_url: avatarUrl } = profile;
  return {
    provider: settings.key,
    subject: subjectAt(authority, textOfNumber(sub ?? id)),
    email: textOrNull(email),
    emailVerified: vouches(profile, settings),
    name: textOrNull(name),
    picture: textOrNull(picture ?? avatarUrl),
  };
}

/**
 * The identity of a sign-in with GitHub. Only the primary address counts, whatever the profile shows: that is the one with
 * which people receive email, and it may be private.
 *
 * @param emails the list of addresses, as GitHub sends it.
 */
export function githubIdentity(
  authority: string,
  { profile, emails, settings }: { profile: ProviderProfile; emails: unknown; settings: ProviderSettings },
): IdpIdentity {
  const entries: ProviderProfile[] = Array.isArray(emails) ? emails.filter((entry) => entry instanceof Object) : [];
  const primary = entries.find((entry) => entry.primary === true) ?? {};
  const identity = plainIdentity(authority, { profile, settings });
  return {
    ...identity,
    email: textOrNull(primary.email),
    emailVerified: !isEmailDenied(primary, settings) && (primary.verified === true || settings.trustEmail),
    name: identity.name ?? textOrNull(profile.login),
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
