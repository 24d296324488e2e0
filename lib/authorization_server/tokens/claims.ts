import { unixSeconds } from "../../duration.ts";
import type { User } from "../../users/user_row.ts";
import type { ResourceClaim } from "../../config/registered_client.ts";

/** A person, as their claims describe them. */
export interface DescribedPerson {
  user: User;
  userUpdatedAt: Date;
}

/** What apps learn about a person. Source: OpenID Connect Core, 5.1. */
export type PersonClaims = Record<string, string | number | boolean>;

/** Returns the claims of the scopes. Empty ones are left out. */
export function claimsOfScopes(
  { user, userUpdatedAt }: DescribedPerson,
  { scopes }: { scopes: readonly string[] },
): PersonClaims {
  const hasEmail = scopes.includes("email");
  return withoutEmpty({
    ...scopes.includes("profile") && {
      name: user.name,
      // For programs that require two names. People have one here.
      given_name: user.name,
      picture: user.avatar ?? "",
      website: user.website,
      locale: user.language ?? "",
      updated_at: unixSeconds(userUpdatedAt),
      ...hasEmail && { preferred_username: user.email },
    },
    ...hasEmail && { email: user.email, email_verified: user.emailVerified },
  });
}

/** Returns what access tokens for a resource say about the person. */
export function claimsOfResource({ user }: DescribedPerson, claims: readonly ResourceClaim[]): PersonClaims {
  const values: Record<ResourceClaim, PersonClaims[string]> = {
    email: user.email,
    email_verified: user.emailVerified,
    name: user.name,
  };
  return Object.fromEntries(claims.map((claim) => [claim, values[claim]]));
}

function withoutEmpty(claims: PersonClaims): PersonClaims {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== ""));
}
