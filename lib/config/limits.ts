import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../duration.ts";
import { limit } from "./variable_types.ts";

/** What a policy counts by. A sender is the user, or the address of a guest. */
type CountedBy = "address" | "user" | "sender";

/** A policy: how many requests it allows by default in which time, and how they are counted. */
interface LimitDeclaration {
  quota: number;
  windowSeconds: number;
  /**
   * Addresses come before their networks, and these before users, as in the alphabet: rows that are always locked in
   * one order cannot deadlock.
   */
  countedBy: readonly CountedBy[];
  /**
   * By default every request counts. Otherwise those that fail, such as wrong tokens, or what the domain counts,
   * because it knows what counts. Then responses only report the limit.
   */
  counts?: "failures" | "in domain";
  /** What counts, for docs/configuration.md. */
  says: string;
}

const LIMITS = {
  login: {
    quota: 5,
    windowSeconds: 15 * MINUTE_SECONDS,
    countedBy: ["address"],
    says: "login attempts per client address",
  },
  // The login counts it for the address that someone enters.
  account: {
    quota: 20,
    windowSeconds: HOUR_SECONDS,
    countedBy: [],
    counts: "in domain",
    says: "wrong passwords per address, from browsers that its account does not know",
  },
  // The second step counts it for the account.
  code: {
    quota: 50,
    windowSeconds: DAY_SECONDS,
    countedBy: [],
    counts: "in domain",
    says:
      "wrong codes at the second step per account, from browsers that it does not know; `LIMIT_PROOF` counts them too",
  },
  register: {
    quota: 20,
    windowSeconds: HOUR_SECONDS,
    countedBy: ["address"],
    says: "registrations per client address",
  },
  attempt: {
    quota: 60,
    windowSeconds: 15 * MINUTE_SECONDS,
    countedBy: ["address"],
    says: "started sign-ins at identity providers per client address",
  },
  mail: {
    quota: 20,
    windowSeconds: HOUR_SECONDS,
    countedBy: ["address", "user"],
    says: "requests that send an email, per client address and per user",
  },
  // Also bounds how many login codes someone can guess in an hour, because each allows 25 guesses.
  mail_address: {
    quota: 3,
    windowSeconds: HOUR_SECONDS,
    countedBy: [],
    counts: "in domain",
    says:
      "emails of each kind that strangers can cause, per recipient. Lift it for tests only: strangers choose whom they reach",
  },
  presign: { quota: 120, windowSeconds: HOUR_SECONDS, countedBy: ["user"], says: "presigned URLs per user" },
  link: { quota: 120, windowSeconds: HOUR_SECONDS, countedBy: ["user"], says: "links to private files per user" },
  image: { quota: 60, windowSeconds: HOUR_SECONDS, countedBy: ["user"], says: "image uploads per user" },
  profile: { quota: 60, windowSeconds: HOUR_SECONDS, countedBy: ["user"], says: "changes of the profile per user" },
  security: {
    quota: 20,
    windowSeconds: HOUR_SECONDS,
    countedBy: ["user"],
    says:
      "changes of the password, and making or removing API tokens, passkeys, authenticator apps, recovery codes and identities, per user",
  },
  write: {
    quota: 600,
    windowSeconds: HOUR_SECONDS,
    countedBy: ["sender"],
    says: "everything else that is stored, per user; for guests per client address",
  },
  guess: {
    quota: 20,
    windowSeconds: 15 * MINUTE_SECONDS,
    countedBy: ["address"],
    counts: "failures",
    says: "wrong tokens of emailed links per client address",
  },
  proof: {
    quota: 5,
    windowSeconds: 15 * MINUTE_SECONDS,
    countedBy: ["user"],
    counts: "in domain",
    says: "wrong proofs of identity per account; those in browsers that it does not know count apart",
  },
  export: { quota: 3, windowSeconds: HOUR_SECONDS, countedBy: ["user"], says: "exports per user" },
  // Only those of guests.
  search: {
    quota: 60,
    windowSeconds: MINUTE_SECONDS,
    countedBy: ["address"],
    says: "searches of guests among people, per client address",
  },
  // Counted where the token is looked up.
  token: {
    quota: 600,
    windowSeconds: MINUTE_SECONDS,
    countedBy: [],
    says: "requests per API token, per grant of an app, and per app that acts as itself",
  },
  // Counted for the person and the app.
  authorize: {
    quota: 30,
    windowSeconds: MINUTE_SECONDS,
    countedBy: [],
    counts: "in domain",
    says: "sign-ins to one app per person",
  },
  client: {
    quota: 30,
    windowSeconds: 15 * MINUTE_SECONDS,
    countedBy: ["address"],
    counts: "in domain",
    says: "wrong client secrets per client address. Right ones are never refused",
  },
  client_document: {
    quota: 20,
    windowSeconds: HOUR_SECONDS,
    countedBy: ["user"],
    counts: "in domain",
    says: "documents of unregistered apps that are read, per person",
  },
  device: {
    quota: 10,
    windowSeconds: 15 * MINUTE_SECONDS,
    countedBy: ["user"],
    counts: "failures",
    says: "wrong codes of devices per person",
  },
  // The page on which people allow a device takes its request back.
  device_start: {
    quota: 30,
    windowSeconds: HOUR_SECONDS,
    countedBy: ["address"],
    counts: "in domain",
    says: "requests of devices that nobody has allowed, per client address",
  },
} satisfies Record<string, LimitDeclaration>;

/** The name of a limit, which the variable LIMIT_<NAME> sets. */
export type Policy = keyof typeof LIMITS;
/** The names of all limits. */
export const POLICIES = Object.keys(LIMITS) as Policy[];

/** Returns how many requests a policy allows by default, and how they are counted. */
export function limitDeclaration(policy: Policy): LimitDeclaration {
  return LIMITS[policy];
}

type LimitVariable = `LIMIT_${Uppercase<Policy>}`;

/** The variable that sets a limit. */
export function variableOf(policy: Policy): LimitVariable {
  return `LIMIT_${policy.toUpperCase() as Uppercase<Policy>}`;
}

/** The settings of all limits. */
export const LIMIT_SETTINGS = Object.fromEntries(POLICIES.map((policy) => {
  const { quota, windowSeconds, says } = LIMITS[policy];
  const shown = `${quota}/${windowSeconds}`;
  return [variableOf(policy), { rule: limit.optional(), example: shown, unset: shown, says }];
})) as Record<LimitVariable, { rule: ReturnType<typeof limit.optional>; example: string; unset: string; says: string }>;
