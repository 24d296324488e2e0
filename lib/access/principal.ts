import type { Transaction } from "kysely";
import type { Database } from "../../db/schema.ts";
import type { Client } from "../activity/client.ts";
import type { AccountEvent, Actor } from "../activity/events.ts";
import { serviceName } from "../config/registered_client.ts";
import { AppError } from "../errors/errors.ts";
import { type ActiveSession, isOpen } from "./session.ts";
import { type ActiveToken, isTokenActive } from "./api_token.ts";
import type { ServiceToken } from "./service.ts";
import { lockCredentials } from "../users/user_lock.ts";
import type { CredentialsRow, User } from "../users/user_row.ts";

/** The person who sends a request in a session, and from where. */
export interface Principal {
  user: User;
  session: ActiveSession;
  token?: undefined;
  service?: undefined;
  client: Client;
}

/** A program that sends a request with an API token, and from where. */
export interface TokenPrincipal {
  user: User;
  session?: undefined;
  token: ActiveToken;
  service?: undefined;
  client: Client;
}

/** Who sends a request: a person in a session, or a program that acts for them. */
export type Caller = Principal | TokenPrincipal;

/** An app that sends a request as itself, and from where. */
export interface ServicePrincipal {
  user?: undefined;
  session?: undefined;
  token?: undefined;
  service: ServiceToken;
  client: Client;
}

/** Who sends a request that need not be about a person: one of the above, or an app that acts as itself. */
export type AnyCaller = Caller | ServicePrincipal;

/** Returns what identifies the caller among all. */
export function callerId(caller: AnyCaller): string {
  return caller.user === undefined ? serviceName(caller.service.clientId) : caller.user.id;
}

/** The parts of an event that a user, or their program, causes for their own account. */
export function eventBy(
  { user, session, token, client }: Caller,
): Pick<AccountEvent, "userId" | "client" | "sessionId" | "tokenId"> {
  return { userId: user.id, client, sessionId: session?.id, tokenId: token?.id };
}

/** Returns who acts, for events in the account of someone else. */
export function actorIn(caller: AnyCaller): Actor {
  const { client } = caller;
  if (caller.user === undefined) return { actorId: null, actor: serviceName(caller.service.clientId), client };
  return { actorId: caller.user.id, client, tokenId: caller.token?.id };
}

/**
 * Locks the principal's row like {@linkcode lockCredentials}. The owner may just have ended the session
 * to keep a thief out, so a session that has ended must not change how the account is protected.
 *
 * @throws {AppError} UNAUTHENTICATED when the session has ended or the account has been deleted.
 */
export async function lockPrincipal(
  trx: Transaction<Database>,
  { user, session }: Principal,
  now: Date,
): Promise<CredentialsRow> {
  const locked = await lockCredentials(trx, user.id);
  if (locked === null || !await isOpen(trx, session.id, now)) {
    throw new AppError("UNAUTHENTICATED", { reason: "session" });
  }
  return locked;
}

/**
 * Returns what locks the caller's row, as {@linkcode lockPrincipal} does, also for a program: its API token, or the
 * grant of its app, may just have ended. It throws UNAUTHENTICATED when the session or the token has ended, or the
 * account has been deleted.
 */
export function lockCaller(caller: Caller): (trx: Transaction<Database>, now: Date) => Promise<CredentialsRow> {
  return async (trx, now) => {
    if (caller.session !== undefined) return await lockPrincipal(trx, caller, now);
    const locked = await lockCredentials(trx, caller.user.id);
    if (locked !== null && await isTokenActive(trx, caller.token, now)) return locked;
    throw new AppError("UNAUTHENTICATED", { reason: "token" });
  };
}
