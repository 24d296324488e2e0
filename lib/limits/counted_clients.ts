import { hashToken } from "../crypto/token.ts";

/** Returns the client for which requests about an email address count, whether or not it has an account. */
export function emailClient(email: string): string {
  return `email:${hashToken(email)}`;
}

/**
 * Returns the client under which wrong codes from browsers unknown to an account count: apart, so that someone who
 * knows the password cannot use up the owner's tries.
 */
export function unknownBrowsersOf(userId: string): string {
  return `unknown:${userId}`;
}

/** Returns all clients under which limits count for an account, apart from its API tokens. */
export function clientsOfUser({ id, email }: { id: string; email: string }): string[] {
  return [`user:${id}`, unknownBrowsersOf(id), emailClient(email)];
}
