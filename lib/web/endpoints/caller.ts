import type { Context } from "fresh";
import type { Caller, Principal } from "../../access/principal.ts";
import type { Entry } from "../../api/entry.ts";
import {
  requireCaller,
  requirePresentedSessions,
  requirePrincipal,
  requireVerifiedCaller,
} from "../authentication/require_user.ts";
import type { State } from "../state.ts";

/** Who sends a request to an endpoint. Null if the entry requires no one; for "sessions", the ids of the sessions. */
export type CallerOf<E extends Entry> = E["caller"] extends "public" ? null
  : E["caller"] extends "session" ? Principal
  : E["caller"] extends "sessions" ? string[]
  : Caller;

type FindCaller = (ctx: Context<State>) => null | Promise<Principal | Caller | string[]>;

/** Returns the function that finds the caller whom the entry requires, or throws UNAUTHENTICATED. */
export function callerFinder({ caller, needsVerifiedEmail }: Entry): FindCaller {
  if (caller === "public") return () => null;
  if (caller === "session") return requirePrincipal;
  if (caller === "sessions") return requirePresentedSessions;
  return needsVerifiedEmail ? requireVerifiedCaller : requireCaller;
}
