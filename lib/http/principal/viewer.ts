import type { Context } from "fresh";
import type { State } from "../state.ts";

/**
 * Returns the id of the user who is logged in, if the response depends on it. Otherwise skips the look-up, which would
 * also keep caches from storing the response.
 */
export async function viewerId(ctx: Context<State>): Promise<string | undefined> {
  if (ctx.state.services.config.publicUserEmails) return undefined;
  return (await ctx.state.currentSession())?.user.id;
}
