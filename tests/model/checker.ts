import { type Credential, described, type Ends, type Entry } from "./history.ts";

/** A rule that a history breaks, and the entries that show it. */
export interface Violation {
  rule: RuleName;
  entries: Entry[];
}

/** The rules. Each returns the entries that break it. */
const RULES = {
  "nothing is accepted after its end was acknowledged": acceptedAfterEnd,
  "nothing passes a gate that was acknowledged to be shut": passedShutGate,
  "what works once is accepted once": acceptedTwice,
  "nothing is accepted after its time": acceptedTooLate,
  "limits are not exceeded": exceededLimit,
  "nothing acknowledged is lost": lostWrite,
  "what has not ended works": refusedTooSoon,
} satisfies Record<string, (history: Entry[]) => Entry[][]>;

export type RuleName = keyof typeof RULES;

/** Checks a history against every rule. */
export function check(history: Entry[]): Violation[] {
  const names = Object.keys(RULES) as RuleName[];
  return names.flatMap((rule) => RULES[rule](history).map((entries) => ({ rule, entries })));
}

/** Returns a text for people. */
export function report({ rule, entries }: Violation): string {
  return `Broken: ${rule}\n${entries.map((entry) => `  ${described(entry)}`).join("\n")}`;
}

/** A credential, the entry that made it, and those that used it. */
interface Story {
  credential: Credential;
  madeBy: Entry;
  uses: Entry[];
  /** The entries that end it, if they are accepted. */
  ends: Entry[];
}

/**
 * A request that began after the acknowledgment must be refused, on every instance. It does not matter when the
 * credential was made, as long as its maker was acknowledged before the act began.
 */
function acceptedAfterEnd(history: Entry[]): Entry[][] {
  return storiesOf(history).flatMap(({ madeBy, uses, ends }) => {
    const known = ends.filter((end) => end.outcome === "accepted" && madeBy.endedAt < end.startedAt);
    return uses.filter(isAccepted).flatMap((use) => {
      const end = known.find((end) => end.endedAt < use.startedAt);
      return end === undefined ? [] : [[madeBy, end, use]];
    });
  });
}

/** A gate is shut for sure until someone may have tried to open it. */
function passedShutGate(history: Entry[]): Entry[][] {
  const shutters = Map.groupBy(history.filter((entry) => entry.shuts !== undefined), (entry) => entry.shuts!);
  const openers = Map.groupBy(history.filter((entry) => entry.opens !== undefined), (entry) => entry.opens!);
  return history.filter(isAccepted).flatMap((use) =>
    (use.passes ?? []).flatMap((gate) => {
      const shut = shutters.get(gate)?.findLast((entry) => isAccepted(entry) && entry.endedAt < use.startedAt);
      if (shut === undefined) return [];
      const mayBeOpen = openers.get(gate)?.some((opener) =>
        opener.outcome !== "refused" && opener.startedAt < use.endedAt && lastEffect(opener) > shut.startedAt
      );
      return mayBeOpen ? [] : [[shut, use]];
    })
  );
}

function acceptedTwice(history: Entry[]): Entry[][] {
  return storiesOf(history).filter(({ credential }) => credential.once).map(({ madeBy, uses }) => [
    madeBy,
    ...uses.filter(isAccepted),
  ]).filter((entries) => entries.length > 2);
}

/** By the clock of the installation, which the model moves. */
function acceptedTooLate(history: Entry[]): Entry[][] {
  return storiesOf(history).flatMap(({ credential: { lifeSeconds }, madeBy, uses }) =>
    uses.filter((use) =>
      lifeSeconds !== undefined && isAccepted(use) && use.earliest > madeBy.latest + lifeSeconds * 1000
    ).map((use) => [madeBy, use])
  );
}

/**
 * A window is fixed and starts with the first request that counts. What has ended within the length of a window after
 * the first request began is in the first window.
 */
function exceededLimit(history: Entry[]): Entry[][] {
  const counted = Map.groupBy(history.filter((entry) => entry.counts !== undefined), (entry) => entry.counts!.limit);
  return [...counted.values()].flatMap((entries) => {
    const { max, windowSeconds } = entries[0].counts!;
    const startedAt = Math.min(...entries.map((entry) => entry.earliest));
    const judged = entries.filter((entry) => entry.outcome !== "unknown" && !entry.counts!.isOver);
    const inFirst = judged.filter((entry) => entry.latest <= startedAt + windowSeconds * 1000);
    return inFirst.length > max ? [inFirst] : [];
  });
}

/**
 * What is found must be what the last acknowledged request stored, or what a request stored that may have come later:
 * one whose end is not known may take effect at any time.
 */
function lostWrite(history: Entry[]): Entry[][] {
  const written = Map.groupBy(history.filter((entry) => entry.writes !== undefined), (entry) => entry.writes!.key);
  return history.filter((entry) => entry.reads !== undefined).flatMap((read) => {
    const { key, value } = read.reads!;
    const before = (written.get(key) ?? []).filter((write) =>
      write.outcome !== "refused" && write.startedAt < read.endedAt
    );
    const last = before.filter((write) => isAccepted(write) && write.endedAt < read.startedAt)
      .toSorted((a, b) => a.endedAt - b.endedAt).at(-1);
    if (last === undefined) return [];
    const possible = before.filter((write) => lastEffect(write) >= last.startedAt);
    return possible.some((write) => write.writes!.value === value) ? [] : [[last, read]];
  });
}

/** A credential that lasts is refused only if an act may have ended it, or its time is over. */
function refusedTooSoon(history: Entry[]): Entry[][] {
  return storiesOf(history).filter(({ credential }) => credential.lasts).flatMap((story) => {
    const { credential: { lifeSeconds = Infinity }, madeBy, uses, ends } = story;
    return uses.filter((use) =>
      use.outcome === "refused" && use.startedAt > madeBy.endedAt &&
      use.latest < madeBy.earliest + lifeSeconds * 1000 &&
      !ends.some((end) => end.outcome !== "refused" && end.startedAt < use.endedAt)
    ).map((use) => [madeBy, use]);
  });
}

function storiesOf(history: Entry[]): Story[] {
  const presented = history.flatMap((entry) => (entry.uses ?? []).map((id) => ({ id, entry })));
  const uses = Map.groupBy(presented, ({ id }) => id);
  const ends = Map.groupBy(history.filter((entry) => entry.ends !== undefined), (entry) => entry.account);
  return history.flatMap((madeBy) =>
    (madeBy.makes ?? []).map((credential) => ({
      credential,
      madeBy,
      uses: (uses.get(credential.id) ?? []).map(({ entry }) => entry),
      ends: [...ends.get(credential.account) ?? [], ...ends.get(EVERYONE) ?? []]
        .filter((entry) => isEnded(credential, entry.ends!)),
    }))
  );
}

/** The account of an act that ends something of everyone. */
export const EVERYONE = "everyone";

/** Whether an act with these ends ends the credential. */
export function isEnded({ id, kind, parents = [] }: Credential, { ids = [], kinds = [], except = [] }: Ends): boolean {
  const names = [id, ...parents];
  if (names.some((name) => except.includes(name))) return false;
  return kinds.includes(kind) || names.some((name) => ids.includes(name));
}

/** Returns until when a request may have taken effect. */
function lastEffect({ outcome, endedAt }: Entry): number {
  return outcome === "unknown" ? Infinity : endedAt;
}

function isAccepted({ outcome }: Entry): boolean {
  return outcome === "accepted";
}
