import type { Context } from "fresh";
import type { State } from "./state.ts";

/** Who looks, where that changes what is shown: only then is it worth a look-up and a response no cache may keep. */
export async function viewerId(ctx: Context<State>): Promise<string | undefined> {
  if (ctx.state.services.config.publicUserEmails) return undefined;
  return (await ctx.state.currentSession())?.user.id;
}
