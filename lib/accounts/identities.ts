import type { Db } from "../../db/schema.ts";
import type { Config } from "../config/config.ts";
import type { IdentityView } from "./schema.ts";

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

/** Returns the key of the provider of an account with one identity; undefined if it has none or several. */
export async function findOnlyProvider(db: Db, userId: string): Promise<string | undefined> {
  const identities = await listIdentities(db, userId);
  return identities.length === 1 ? identities[0].provider : undefined;
}

/** Returns an event with the name of its provider in place of the key, which logins of version 0.1.0 did not store. */
export function withProviderName<Event extends { details: Record<string, unknown> }>(
  event: Event,
  config: Pick<Config, "providers">,
): Event {
  const { provider, method } = event.details;
  const key = provider ?? (method === "idp" && config.providers.length === 1 ? config.providers[0].key : undefined);
  if (typeof key !== "string") return event;
  return { ...event, details: { ...event.details, provider: providerName(config, key) } };
}

/** The name of a provider for people. One that is no longer configured has only its key. */
export function providerName({ providers }: Pick<Config, "providers">, key: string): string {
  return providers.find((provider) => provider.key === key)?.name ?? key;
}
