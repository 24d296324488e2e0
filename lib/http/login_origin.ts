import type { Context } from "fresh";
import type { LoginOrigin } from "../accounts/login.ts";
import { clientAddress } from "./client_address.ts";
import type { State } from "./state.ts";

/** Where the login that this request asks for comes from. */
export async function loginOrigin(ctx: Context<State>): Promise<LoginOrigin> {
  const { config } = ctx.state.services;
  return {
    clientAddress: clientAddress(ctx.req, ctx.info, config.trustedProxies),
    presentedSessionIds: await ctx.state.presentedSessionIds(),
  };
}
