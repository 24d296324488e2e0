import type { Context } from "fresh";
import type { User } from "../../users/user_row.ts";
import type { ForViewer } from "../../users/user_visibility.ts";
import { anySession, currentSession } from "./current_session.ts";
import type { State } from "../state.ts";

/** Returns the user for whom the request acts, in a session or with an API token, or null. */
export async function currentUser(ctx: Context<State>): Promise<User | null> {
  return ctx.state.token?.user ?? (await currentSession(ctx))?.user ?? null;
}

/** The same, also if their session waits for a second factor. For counting, not for acting. */
export async function countedUser(ctx: Context<State>): Promise<User | null> {
  return ctx.state.token?.user ?? (await anySession(ctx))?.user ?? null;
}

/** Returns for whom the request looks at people. */
export function forViewer(ctx: Context<State>): ForViewer {
  return { findViewer: () => currentUser(ctx) };
}
