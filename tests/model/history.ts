/**
 * What the model writes down: every request with its times and its outcome, and what its sender may conclude from that.
 * The rules in `checker.ts` read nothing else.
 */

/** What a credential opens. */
export type Kind =
  | "session"
  | "password"
  | "token"
  | "grant"
  | "reset link"
  | "verification link"
  | "not-me link"
  | "code"
  | "recovery code"
  | "second step";

/** Something that a response or an email gave to someone. */
export interface Credential {
  id: string;
  kind: Kind;
  /** The address of its account. */
  account: string;
  /** What it ends with, beside itself: the session of a grant, for example. */
  parents?: string[];
  /** Whether it works once. */
  once?: boolean;
  /** How long it works, by the clock of the installation. */
  lifeSeconds?: number;
  /** Whether it must work until an act ends it. */
  lasts?: boolean;
}

/** What an act ends, of everything that its sender had before the act began. */
export interface Ends {
  /** Ids of credentials, and of their parents. */
  ids?: string[];
  /** All credentials of the account of these kinds. */
  kinds?: Kind[];
  /** Credentials that stay, and what has one of them as a parent. */
  except?: string[];
}

/** A request is accepted or refused, or its sender cannot know: the connection broke, or the answer was 5xx. */
export type Outcome = "accepted" | "refused" | "unknown";

/** One request, or one email that arrived. */
export interface Entry {
  actor: string;
  act: string;
  /** The address of the account. */
  account: string;
  outcome: Outcome;
  /** The answer, for people who read the history. */
  answer: string;
  /** Milliseconds, by the clock of this process. */
  startedAt: number;
  endedAt: number;
  /** The time of the installation at the start, by the instance that is behind. Milliseconds. */
  earliest: number;
  /** The time of the installation at the end, by the instance that is ahead. */
  latest: number;
  /** The ids of the credentials that the request presents. */
  uses?: string[];
  makes?: Credential[];
  ends?: Ends;
  /** Gates that must be open for it to be accepted, such as "ada@example.com is suspended". */
  passes?: string[];
  shuts?: string;
  opens?: string;
  /** A limit that it counts under. A request that the limit refused has `isOver`. */
  counts?: { limit: string; max: number; windowSeconds: number; isOver: boolean };
  /** What it stores. */
  writes?: { key: string; value: string };
  /** What was found. */
  reads?: { key: string; value: string | null };
}

/** Returns a line for people. */
export function described(entry: Entry): string {
  const { actor, act, account, answer, startedAt, endedAt, uses } = entry;
  const times = `${(startedAt / 1000).toFixed(3)} to ${(endedAt / 1000).toFixed(3)} s`;
  return `${times}: ${actor}, ${act}, account ${account}${
    uses === undefined ? "" : `, with ${uses.join(" and ")}`
  }: ${answer}`;
}
