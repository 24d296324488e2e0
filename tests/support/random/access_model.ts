import { DAY_SECONDS } from "../../../lib/duration.ts";

/**
 * A minimal model of who may open an app that is for some groups, and of who must first set up a second factor. Times
 * are in seconds.
 */

/** How long a membership counts that a provider does not repeat. */
export const GROUPS_DAYS = 3;

export interface ModelPolicy {
  everyone: boolean;
  groups: string[];
}

export interface ModelPerson {
  byAdmins: string[];
  /** What the provider has said last, and until when it counts. */
  byProvider: { names: string[]; until: number };
  hasFactor: boolean;
  /** By when they must have a second factor. */
  dueAt: number | null;
  /** Whether the app has tokens of theirs. */
  hasGrant: boolean;
}

export class AccessModel {
  now = 0;
  policy: ModelPolicy | null = null;
  graceSeconds = 7 * DAY_SECONDS;
  /** The groups that may use the app. None means everyone. */
  admitted: string[] = [];
  people: ModelPerson[];

  constructor(count: number) {
    this.people = Array.from({ length: count }, () => ({
      byAdmins: [],
      byProvider: { names: [], until: 0 },
      hasFactor: false,
      dueAt: null,
      hasGrant: false,
    }));
  }

  groupsOf({ byAdmins, byProvider }: ModelPerson): string[] {
    return [...new Set([...byAdmins, ...byProvider.until > this.now ? byProvider.names : []])].sort();
  }

  /** A login by the provider. A claim that is undefined changes nothing. */
  takeClaim(person: ModelPerson, names: string[] | undefined): void {
    if (names !== undefined) person.byProvider = { names, until: this.now + GROUPS_DAYS * DAY_SECONDS };
  }

  /** A request in a session: the first one under a policy starts the time that people have, later ones shorten it. */
  use(person: ModelPerson): void {
    if (!this.isReached(person)) return;
    person.dueAt = Math.min(person.dueAt ?? Infinity, this.now + this.graceSeconds);
  }

  isReached(person: ModelPerson): boolean {
    const groups = this.groupsOf(person);
    return this.policy !== null && (this.policy.everyone || this.policy.groups.some((name) => groups.includes(name)));
  }

  /** Whether they can do nothing but set up a second factor. */
  isWaiting(person: ModelPerson): boolean {
    return this.isReached(person) && !person.hasFactor && person.dueAt !== null && person.dueAt <= this.now;
  }

  mayUseApp(person: ModelPerson): boolean {
    const groups = this.groupsOf(person);
    return this.admitted.length === 0 || this.admitted.some((name) => groups.includes(name));
  }

  /** What the app gets for someone who opens it. */
  authorize(person: ModelPerson): "second factor" | "closed" | "code" {
    if (this.isWaiting(person)) return "second factor";
    return this.mayUseApp(person) ? "code" : "closed";
  }

  refresh(person: ModelPerson): "tokens" | "invalid_grant" {
    return this.mayUseApp(person) && !this.isWaiting(person) ? "tokens" : "invalid_grant";
  }

  /** The status for a proxy that asks whether someone is in one of some groups. */
  check(person: ModelPerson, wanted: string[]): number {
    if (this.isWaiting(person)) return 401;
    return this.groupsOf(person).some((name) => wanted.includes(name)) ? 204 : 403;
  }
}
