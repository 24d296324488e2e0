import type { Context } from "fresh";
import type { Caller, Principal } from "../../access/principal.ts";
import { type Entry, isForAdmins } from "../../api/entry.ts";
import {
  requireAdmin,
  requireCaller,
  requirePresentedSessions,
  requirePrincipal,
  requireVerifiedCaller,
} from "../authentication/require_user.ts";
import { requireRecentProof } from "../../sign_in/proof.ts";
import type { State } from "../state.ts";

/** Who sends a request to an endpoint. Null if the entry requires no one; for "sessions", the ids of the sessions. */
export type CallerOf<E extends Entry> = E["caller"] extends "public" ? null
  : E["caller"] extends "session" | "adminSession" ? Principal
  : E["caller"] extends "sessions" ? string[]
  : Caller;

type FindCaller = (ctx: Context<State>) => null | Promise<Principal | Caller | string[]>;

/**
 * Returns the function that finds the caller whom the entry requires. It throws UNAUTHENTICATED if there is none, NOT_FOUND
 * if it is no admin and must be one, and REAUTHENTICATION_REQUIRED if a proof is required.
 */
export function callerFinder(entry: Entry): FindCaller {
  const find = anyCallerFinder(entry);
  if (!entry.needsProof) return find;
  return async (ctx) => {
    const caller = await find(ctx) as Caller;
    if (caller.session !== undefined) await requireRecentProof(ctx.state.services, caller);
    return caller;
  };
}

function anyCallerFinder(entry: Entry): FindCaller {
  const { caller, needsVerifiedEmail } = entry;
  if (caller === "public") return () => null;
  if (isForAdmins(entry)) return requireAdmin<Caller>(caller === "adminSession" ? requirePrincipal : requireCaller);
  if (caller === "session") return requirePrincipal;
  if (caller === "sessions") return requirePresentedSessions;
  return needsVerifiedEmail ? requireVerifiedCaller : requireCaller;
}
