import type { Context } from "fresh";
import { seesAddresses } from "../../access/service.ts";
import { serviceName } from "../../config/registered_client.ts";
import { ADMIN_SCOPE } from "../../schemas/scopes.ts";
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

/** Returns for whom the request looks at people: the user, an app that acts as itself, or a guest. */
export function forViewer(ctx: Context<State>): ForViewer {
  const { token } = ctx.state;
  if (token?.user !== null) return { findViewer: () => currentUser(ctx) };
  const showsAddresses = seesAddresses(token);
  // Where only admins see people, the operator's own programs may too, if they may see addresses.
  const isAdmin = showsAddresses || token.scopes.includes(ADMIN_SCOPE);
  const viewer = { id: serviceName(token.clientId), role: isAdmin ? "admin" as const : "user" as const };
  return { findViewer: () => Promise.resolve(viewer), showsAddresses };
}

/** Whether the request is of an app that acts as itself and may see the addresses of people. */
export function showsAddresses({ state: { token } }: Context<State>): boolean {
  return token?.user === null && seesAddresses(token);
}
