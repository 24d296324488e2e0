import type { Context } from "fresh";
import { COUNTED_BY, type Policy } from "../../limits/policy.ts";
import { SITE_CLIENT } from "../../limits/rate_limit.ts";
import { clientAddress, siteOf } from "../../http/client_address.ts";
import { currentUser } from "../authentication/viewer.ts";
import type { State } from "../state.ts";

/** Returns whom a request counts for under a policy: its user, its address and the network of the address. */
export async function limitedClients(ctx: Context<State>, policy: Policy): Promise<string[]> {
  const user = async () => ctx.state.limit?.userId ?? (await currentUser(ctx))?.id;
  const clients: string[] = [];
  for (const key of COUNTED_BY[policy]) {
    const userId = key === "address" ? undefined : await user();
    if (userId !== undefined) clients.push(`user:${userId}`);
    else if (key !== "user") clients.push(...addressClients(ctx));
  }
  return clients;
}

function addressClients({ req, info, state }: Context<State>): string[] {
  const address = clientAddress(req, info, state.services.config.trustedProxies);
  const site = siteOf(address);
  return site === null ? [`address:${address}`] : [`address:${address}`, `${SITE_CLIENT}${site}`];
}
