import { DAY_SECONDS, SECOND_MS } from "../../lib/duration.ts";
import { delay } from "../support/delay.ts";
import { administer, adminPlan, live, makeAdmin, personPlan, receive } from "./acts.ts";
import { check, EVERYONE, report, type Violation } from "./checker.ts";
import { disturb, disturbancePlan } from "./disturbances.ts";
import type { Entry } from "./history.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { createPerson, SESSION_SECONDS, tryExpired } from "./person.ts";
import type { Step } from "./plan.ts";
import { createWorld, note, type World } from "./world.ts";

const PEOPLE = 6;
const PERSON_STEPS = 50;
const ADMIN_STEPS = 16;
const DISTURBANCES = 4;
/** How many entries there are, about, between two steps of the admin, and between two disturbances. */
const ENTRIES_BETWEEN = { admin: 40, disturbances: 160 };

/** Who sends nothing, and only sees. */
const NOT_SENDERS = ["mail", "the clock", "the end"];
/** How many violations of a rule are shown. */
const EXAMPLES = 2;

/** The result of a run. */
export interface Run {
  rounds: number;
  requests: number;
  seconds: number;
  /** What the last round has broken. */
  violations: Violation[];
  /** The seed that repeats the last round. */
  seed: string;
}

/**
 * Runs rounds until time is over or a rule is broken. Each round has new people, and a seed of its own: `seed/3`
 * repeats only the third.
 *
 * @param options.daysBetween how far the clock moves between two rounds.
 */
export async function runModel(
  { seed, seconds = Infinity, rounds = Infinity, daysBetween = 0, onRound = () => {} }: {
    seed: string;
    seconds?: number;
    rounds?: number;
    daysBetween?: number;
    onRound?: (history: Entry[]) => void;
  },
): Promise<Run> {
  await using installation = await startInstallation();
  const startedAt = performance.now();
  const run: Run = { rounds: 0, requests: 0, seconds: 0, violations: [], seed };
  while (run.seconds < seconds && run.rounds < rounds && run.violations.length === 0) {
    run.rounds += 1;
    run.seed = seed.includes("/") ? seed : `${seed}/${run.rounds}`;
    const history = await runRound(installation, run.seed);
    run.requests += history.filter(({ actor }) => !NOT_SENDERS.includes(actor)).length;
    run.violations = check(history);
    onRound(history);
    if (daysBetween > 0) await installation.forward(daysBetween * DAY_SECONDS);
    run.seconds = (performance.now() - startedAt) / SECOND_MS;
  }
  return run;
}

/** Returns a text for people, with two examples of each rule that is broken. */
export function summary({ rounds, requests, seconds, violations, seed }: Run): string {
  const times = `${rounds} rounds, ${requests} requests, ${seconds.toFixed(0)} s`;
  if (violations.length === 0) return times;
  const examples = [...Map.groupBy(violations, ({ rule }) => rule).values()].flatMap((each) => each.slice(0, EXAMPLES));
  return [`${times}. MODEL_SEED=${seed} repeats the last round`, ...examples.map(report)].join("\n");
}

async function runRound(installation: Installation, seed: string): Promise<Entry[]> {
  const world = createWorld(installation);
  const run = crypto.randomUUID().slice(0, 8);
  const names = ["admin", ...Array.from({ length: PEOPLE }, (_, index) => `person-${index + 1}`)];
  const [root, ...people] = await Promise.all(names.map((name) => createPerson(world, { name, run, receive })));
  const admin = await makeAdmin(root);
  const lives = people.map((person) => live(person, personPlan(seed, person.name, PERSON_STEPS)));
  const areOver = Promise.all(lives);
  await Promise.all([
    areOver,
    along(
      world,
      areOver,
      { plan: adminPlan(seed, ADMIN_STEPS), every: ENTRIES_BETWEEN.admin },
      (step) => administer(admin, people, step),
    ),
    along(
      world,
      areOver,
      { plan: disturbancePlan(seed, DISTURBANCES), every: ENTRIES_BETWEEN.disturbances },
      (step) => disturbAndTry(world, step),
    ),
  ]);
  await lookAtLast(world);
  return world.history;
}

/** Disturbs the installation. If the clock moves, what has ended by that is tried. */
async function disturbAndTry(world: World, step: Step): Promise<void> {
  const startedAt = performance.now();
  const seconds = await disturb(world.installation, step);
  const passed = { actor: "the clock", act: `move by ${seconds} seconds`, account: EVERYONE, startedAt };
  if (seconds > SESSION_SECONDS) note(world, { ...passed, ends: { kinds: ["session"] } });
  if (seconds > 0) await tryExpired(world, seconds, step);
}

/** Does one step whenever the history has grown by so much, until the lives of the others are over. */
async function along(
  { history }: World,
  others: Promise<unknown>,
  { plan, every }: { plan: Step[]; every: number },
  act: (step: Step) => Promise<void>,
): Promise<void> {
  let areOver = false;
  void others.finally(() => areOver = true).catch(() => {});
  let next = history.length;
  for (const step of plan) {
    next += every;
    while (history.length < next && !areOver) await delay(10);
    if (areOver) return;
    await act(step);
  }
}

/** Looks at what must be left. */
async function lookAtLast(world: World): Promise<void> {
  const { history, held, installation } = world;
  for (const [index, token] of held.filter(({ kind }) => kind === "token").entries()) {
    await token.use({ act: "", instance: index % 2, isTwice: false, pick: 0 });
  }
  const stored = new Map<string, string>();
  const at = { startedAt: performance.now() };
  const sent = "select id from outbox where status = 'sent' order by id desc limit 300";
  for (const { id } of await installation.query(sent)) {
    const writes = { key: `email ${id}`, value: "delivered" };
    note(world, {
      actor: "the end",
      act: "say that it was sent",
      account: writes.key,
      writes,
      startedAt: 0,
      endedAt: 0,
    });
    if (installation.delivered.has(String(id))) stored.set(writes.key, writes.value);
  }
  for (const { email, name } of await installation.query("select email, name from users")) {
    stored.set(`account ${email}`, "there").set(`name of ${email}`, String(name));
  }
  for (const { id } of await installation.query("select id from uploads")) stored.set(`upload ${id}`, "there");
  for (const key of new Set(history.flatMap(({ writes }) => writes === undefined ? [] : [writes.key]))) {
    const reads = { key, value: stored.get(key) ?? null };
    note(world, { actor: "the end", act: "look", account: key, answer: `${reads.value}`, reads, ...at });
  }
}
