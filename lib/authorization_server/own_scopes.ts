import { ADMIN_SCOPE, SCOPES } from "../schemas/scopes.ts";

/** The scopes of OpenID Connect. Source: OpenID Connect Core 1.0, 5.4 and 11. */
const OPENID_SCOPES = ["openid", "profile", "email", "offline_access"] as const;

/** The scopes that clients may ask for without a resource: those of OpenID Connect and of the API, except for admins. */
export const OWN_SCOPES: readonly string[] = [...OPENID_SCOPES, ...SCOPES.filter((scope) => scope !== ADMIN_SCOPE)];

/** Names that no scope of a resource may have. The scope `groups` is reserved. */
export const RESERVED_SCOPES: readonly string[] = [...OPENID_SCOPES, ...SCOPES, "groups"];
