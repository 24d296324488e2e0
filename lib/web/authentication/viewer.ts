import type { Context } from "fresh";
import type { User } from "../../users/user_row.ts";
import { currentSession } from "./current_session.ts";
import type { State } from "../state.ts";

/** Returns the user for whom the request acts, in a session or with an API token, or null. */
export async function currentUser(ctx: Context<State>): Promise<User | null> {
  return ctx.state.token?.user ?? (await currentSession(ctx))?.user ?? null;
}

/** Returns the id of the user for whom the request acts, if there is one. */
export async function viewerId(ctx: Context<State>): Promise<string | undefined> {
  return (await currentUser(ctx))?.id;
}
