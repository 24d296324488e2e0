import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import type { IdentityView } from "../schemas/views/account.ts";

/** A person at an identity provider who can log in to an account. */
export interface Identity {
  id: string;
  /** The key of the provider. */
  provider: string;
  /** The address at the provider; null if not known. */
  email: string | null;
}

/** Lists the identities of an account, in the order in which they were added. */
export async function listIdentities(db: Db, userId: string): Promise<Identity[]> {
  return await db.selectFrom("identities").select(["id", "provider", "email"]).where("user_id", "=", userId)
    .orderBy("linked_at").orderBy("id").execute();
}

/** The fields of an identity in the API. */
export function identityView(
  { id, provider, email }: Identity,
  { account, config }: { account: { email: string }; config: Pick<Config, "providers"> },
): IdentityView {
  return { id, provider, name: providerName(config, provider), email: email ?? account.email };
}

/** The name of a provider for people. One that is no longer configured has only its key. */
export function providerName({ providers }: Pick<Config, "providers">, key: string): string {
  return providers.find((provider) => provider.key === key)?.name ?? key;
}
