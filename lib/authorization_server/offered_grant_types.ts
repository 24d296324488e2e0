import type { GrantType } from "./registered_client.ts";

/** The grant types of this version. */
export const OFFERED_GRANT_TYPES: GrantType[] = ["authorization_code", "refresh_token"];
