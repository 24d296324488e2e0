import type { Context } from "fresh";
import { limitDeclaration, type Policy } from "../../config/limits.ts";
import { serviceName } from "../../config/registered_client.ts";
import { SITE_CLIENT } from "../../limits/rate_limit.ts";
import { clientAddress, siteOf } from "../../http/client_address.ts";
import { countedUser } from "../authentication/viewer.ts";
import type { State } from "../state.ts";

/**
 * Returns whom a request counts for under a policy: its user, or the app that acts as itself, its address and the
 * network of the address.
 */
export async function limitedClients(ctx: Context<State>, policy: Policy): Promise<string[]> {
  const clients: string[] = [];
  for (const key of limitDeclaration(policy).countedBy) {
    const account = key === "address" ? undefined : await accountOf(ctx);
    if (account !== undefined) clients.push(account);
    else if (key !== "user") clients.push(...addressClients(ctx));
  }
  return clients;
}

async function accountOf(ctx: Context<State>): Promise<string | undefined> {
  const { limit, token } = ctx.state;
  if (limit?.account !== undefined) return limit.account;
  if (token?.user === null) return serviceName(token.clientId);
  const user = await countedUser(ctx);
  return user === null ? undefined : `user:${user.id}`;
}

function addressClients({ req, info, state }: Context<State>): string[] {
  return clientsOfAddress(clientAddress(req, info, state.services.config.trustedProxies));
}

/** Returns whom a request from a client address counts for: the address, and its network. */
export function clientsOfAddress(address: string): string[] {
  const site = siteOf(address);
  return site === null ? [`address:${address}`] : [`address:${address}`, `${SITE_CLIENT}${site}`];
}
