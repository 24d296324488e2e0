import { IdpError } from "../errors/errors.ts";
import type { ProviderOddities, ProviderSettings } from "../config/provider_settings.ts";
import type { IdpIdentity } from "../services/identity_provider.ts";

/** The claims of an ID token, or the fields of a userinfo response. */
export type ProviderProfile = Record<string, unknown>;

/** Claims that deny an address if they are present and not true: of OpenID Connect, Google's older API and Discord. */
const VERIFICATION_CLAIMS = ["email_verified", "verified_email", "verified"];
/** Source: OpenID Connect Core 1.0, 2 (`sub`). */
const SUBJECT = /^\P{Cc}{1,255}$/u;

/** How providers write true: Amazon Cognito and some versions of Microsoft's as a text, others as a number. */
const YES: unknown[] = [true, "true", "True", 1, "1"];

type Trust = Pick<ProviderSettings, "rules" | "trustEmail">;

/**
 * Whether the provider vouches for the address: by `email_verified`, by Microsoft's `xms_edov`, or because the operator
 * trusts all its addresses. Silence never vouches: people who can enter any address at the provider could log in to
 * anyone's account here.
 *
 * @param settings `trustEmail` does not override a denial.
 * @param options.isIssuer whether an OpenID Connect issuer has written the profile, which follows its rules. Then every
 * way to write true counts. Elsewhere, the text "true" may come from a field that the person has filled in.
 */
export function vouches(profile: ProviderProfile, settings: Trust, { isIssuer = false } = {}): boolean {
  if (isEmailDenied(profile, settings)) return false;
  const { email_verified: verified, xms_edov: edov } = profile;
  return (isIssuer ? YES.includes(verified) : verified === true) || settings.trustEmail ||
    (settings.rules === "microsoft" && YES.includes(edov));
}

function isEmailDenied(profile: ProviderProfile, { rules }: Trust): boolean {
  const { xms_edov: edov } = profile;
  return VERIFICATION_CLAIMS.some((name) => profile[name] !== undefined && !YES.includes(profile[name])) ||
    (rules === "microsoft" && edov !== undefined && !YES.includes(edov));
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
    emailVerified: vouches(source, settings, { isIssuer: true }) &&
      ![claims, userinfo].some((profile) => isEmailDenied(profile, settings)),
    name: textOrNull(userinfo.name ?? claims.name),
    picture: textOrNull(userinfo.picture ?? claims.picture),
    groups: groupsIn(claims, settings) ?? groupsIn(userinfo, settings),
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
  const claims = settings.oddities?.claims === undefined ? profile : readClaims(profile, settings.oddities.claims);
  const { sub, id, email, name, picture, avatar_url: avatarUrl } = claims;
  return {
    provider: settings.key,
    subject: subjectAt(authority, textOfNumber(sub ?? id)),
    email: textOrNull(email),
    emailVerified: vouches(claims, settings),
    name: textOrNull(name),
    picture: textOrNull(picture ?? avatarUrl),
    groups: groupsIn(profile, settings),
  };
}

/** Reads the fields that stand for the claims of OpenID Connect. */
function readClaims(profile: ProviderProfile, claims: NonNullable<ProviderOddities["claims"]>): ProviderProfile {
  const read = (source: string) => source.includes("{") ? filled(source, profile) : fieldAt(profile, source);
  const entries = Object.entries(claims).map(([name, sources]) => [
    name,
    sources.map(read).find((value) => value !== undefined && value !== null),
  ]);
  return Object.fromEntries(entries);
}

function fieldAt(profile: ProviderProfile, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (value, name) => value instanceof Object && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined,
    profile,
  );
}

/** Puts fields into a text. Undefined if one has no value. */
function filled(text: string, profile: ProviderProfile): string | undefined {
  const values = [...text.matchAll(/\{([^}]+)\}/g)].map(([, path]) => fieldAt(profile, path));
  if (!values.every((value) => typeof value === "string")) return undefined;
  return text.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(values.shift()!));
}

/**
 * The identity of a sign-in with GitHub. Only the primary address counts, whatever the profile shows: that is the one
 * with which people receive email, and it may be private.
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

/**
 * Returns the groups that a claim stands for, or null without one that can be read. A claim that is left out because it
 * would be too long, as Microsoft does with more than 200 groups, says nothing.
 */
function groupsIn(profile: ProviderProfile, { groups: { claim, pairs } }: ProviderSettings): string[] | null {
  const said = Object.hasOwn(profile, claim) ? profile[claim] : undefined;
  const values = typeof said === "string" ? [said] : said;
  if (pairs.length === 0 || !Array.isArray(values)) return null;
  return [...new Set(pairs.filter(([value]) => values.includes(value)).map(([, group]) => group))].sort();
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
