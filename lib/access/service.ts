import type { ServiceScope } from "../schemas/scopes.ts";

/** The access token of an app that acts as itself, by the grant type client_credentials. */
export interface ServiceToken {
  /** The id of the app. */
  clientId: string;
  /** The name of the app, as people read it. */
  name: string;
  /** What it may do: a part of what the app may. */
  scopes: ServiceScope[];
  /** It acts for no one. */
  user: null;
}

/** Whether an app may see the addresses that people hide from others. */
export function seesAddresses({ scopes }: ServiceToken): boolean {
  return scopes.includes("users:emails");
}
