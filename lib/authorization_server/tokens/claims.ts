import { unixSeconds } from "../../duration.ts";
import type { User } from "../../users/user_row.ts";
import type { RegisteredClient, ResourceClaim } from "../../config/registered_client.ts";

/** A person, as their claims describe them. */
export interface DescribedPerson {
  user: User;
  userUpdatedAt: Date;
  /** The names of their groups, in their order. */
  groups: string[];
}

/** What apps learn about a person. Source: OpenID Connect Core, 5.1. */
export type PersonClaims = Record<string, string | number | boolean | string[]>;

/** Returns the claims of the scopes. Empty ones are left out. */
export function claimsOfScopes(
  { user, userUpdatedAt, groups }: DescribedPerson,
  { scopes, client }: { scopes: readonly string[]; client: RegisteredClient },
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
    ...scopes.includes("groups") && { groups: groupsFor(client, groups) },
  });
}

/** Returns what access tokens for a resource say about the person. */
export function claimsOfResource(
  { user, groups }: DescribedPerson,
  { claims, client }: { claims: readonly ResourceClaim[]; client: RegisteredClient },
): PersonClaims {
  const values: Record<ResourceClaim, PersonClaims[string]> = {
    email: user.email,
    email_verified: user.emailVerified,
    name: user.name,
    groups: groupsFor(client, groups),
  };
  return Object.fromEntries(claims.map((claim) => [claim, values[claim]]));
}

/** An app that only some groups may use learns of no other group. */
function groupsFor({ groups: own }: RegisteredClient, groups: string[]): string[] {
  return own.length === 0 ? groups : groups.filter((name) => own.includes(name));
}

function withoutEmpty(claims: PersonClaims): PersonClaims {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== ""));
}
