import { TOTP } from "otpauth";
import { DAY_SECONDS } from "../../lib/duration.ts";
import type { DeliveredMail } from "../support/mail/delivery_service.ts";
import { waitFor } from "../support/wait_for.ts";
import { EVERYONE, isEnded } from "./checker.ts";
import type { Entry, Kind } from "./history.ts";
import type { Step } from "./plan.ts";
import { type Answer, type Held, sendEach, type Sent, type World } from "./world.ts";

/** A person in the model: what they hold, how they send requests, and how they get in. */

const SESSION_COOKIE = "auth_session";
const SECOND_STEP_COOKIE = "second_factor";
/** How long emailed codes work, and a login waits for its second step. */
export const CODE_SECONDS = 600;
/** How long a session works after its last use. */
export const SESSION_SECONDS = 7 * DAY_SECONDS;
const SECOND_STEP_TRIES = 5;
/** How long an authenticator app shows a code. The next one is accepted too. */
const STEP_MS = 30_000;
const REGISTER_TRIES = 20;
/** How many of the newest credentials of a kind someone goes on trying, those that have ended too. */
const TRIED = 4;
const ONCE: Kind[] = ["reset link", "verification link", "not-me link", "code", "recovery code", "second step"];
/** The act of a step that tries what another act has ended. */
const TRIAL = "try what has ended";

/** What acts for an account, or will. */
export const ACCESS: Kind[] = ["session", "token", "grant", "second step"];

/** What an act of someone says about its request. */
export type OwnClaim = Partial<Entry> & { act: string };

/** The gate that a suspension shuts. */
export const suspensionOf = (account: string) => `${account} is suspended`;
/** The gate that closing an account shuts. */
export const closingOf = (account: string) => `${account} is closing`;

export interface Person {
  name: string;
  email: string;
  /** The id of the account. */
  id: string;
  world: World;
  /** The secret of the authenticator app. */
  secret: string | null;
  /** The address from which people guess passwords. */
  guessesFrom: string;
  /** Whether the newest session has been refused. */
  isLoggedOut: boolean;
}

/** Registers someone, confirms the address and logs in. */
export async function createPerson(
  world: World,
  { name, run, receive }: { name: string; run: string; receive: (person: Person, mail: DeliveredMail) => void },
): Promise<Person> {
  const step: Step = { act: "", instance: 0, isTwice: false, pick: 0 };
  for (let attempt = 1; attempt <= REGISTER_TRIES; attempt++) {
    const email = `${name}.${attempt}.${run}@example.com`.replaceAll(/[^a-z0-9.@]/g, "-");
    const person: Person = {
      name,
      email,
      id: "",
      world,
      secret: null,
      guessesFrom: world.installation.nextAddress(),
      isLoggedOut: false,
    };
    world.inboxes.set(email, (mail) => receive(person, mail));
    const password = newPassword(person);
    const json = { name: "Ada Lovelace", email, password: password.secret };
    const claim = { act: "register", account: email, writes: { key: `account ${email}`, value: "there" } };
    const answer = await ask(person, step, claim, { method: "POST", path: "/auth/register", json });
    if (answer.entry.outcome !== "accepted") continue;
    person.id = answer.body.user.id;
    hold(answer.entry, person, password);
    openSession(person, answer);
    await waitFor(`the email to ${email}`, () => newest(person, "verification link"));
    while (await newest(person, "verification link")!.use(step) === "unknown");
    await logIn(person, step);
    return person;
  }
  throw new Error(`${name} cannot register`);
}

/** Sends a request to one instance. Then tries, on the other one, what it has ended. */
export async function ask(person: Person, step: Step, claim: OwnClaim, sent: Sent): Promise<Answer> {
  const [answer] = await askEach(person, { ...step, isTwice: false }, claim, sent);
  return answer;
}

/** Sends a request as the step says: to one instance, or to both at once. */
export async function askEach(
  { name, email, world }: Person,
  step: Step,
  claim: OwnClaim,
  sent: Sent,
): Promise<Answer[]> {
  const answers = await sendEach(world, name, step, { account: email, ...claim }, sent);
  for (const { entry } of answers) await tryEnded(world, entry, step);
  return answers;
}

/** Presents the newest credential of each kind that an act has ended. */
export async function tryEnded(world: World, { outcome, ends, account }: Entry, step: Step): Promise<void> {
  if (outcome !== "accepted" || ends === undefined || step.act === TRIAL) return;
  const ended = world.held.filter((held) => isEnded(held, ends) && [held.account, EVERYONE].includes(account));
  const newestOf = new Map(ended.map((held) => [held.kind, held]));
  const trial = { ...step, act: TRIAL, instance: 1 - step.instance, isTwice: false };
  for (const held of newestOf.values()) await held.use(trial);
}

/** Presents, for everyone, the newest credential of each kind whose time has ended because the clock moved so far. */
export async function tryExpired(world: World, seconds: number, step: Step): Promise<void> {
  const lifeOf = ({ kind, lifeSeconds = Infinity }: Held) => kind === "session" ? SESSION_SECONDS : lifeSeconds;
  const expired = world.held.filter((held) => lifeOf(held) < seconds);
  const newestOf = new Map(expired.map((held) => [`${held.account} ${held.kind}`, held]));
  const trial = { ...step, act: TRIAL, isTwice: false };
  await Promise.all([...newestOf.values()].map((held) => held.use(trial)));
}

/** Puts a credential of an answer or an email into the hands of its person. */
export function hold(entry: Entry, { world, email }: Person, held: Omit<Held, "account">): Held {
  const { secret: _, use: _use, mayContinue: _before, previous: _previous, advancedAt: _at, ...credential } = held;
  const whole = { ...credential, account: email, once: held.once ?? ONCE.includes(held.kind) };
  (entry.makes ??= []).push(whole);
  const result = { ...held, ...whole };
  world.held.push(result);
  return result;
}

/** Returns what someone has got of a kind, the oldest first, ended or not. */
export function allOf({ world, email }: Person, kind: Kind): Held[] {
  return world.held.filter((held) => held.account === email && held.kind === kind);
}

/** Returns the last that someone has got of a kind. */
export function newest(person: Person, kind: Kind): Held | undefined {
  return allOf(person, kind).at(-1);
}

/** The newest one half of the time, otherwise one of the last few. */
export function picked(person: Person, kind: Kind, { pick }: Step): Held | undefined {
  const last = allOf(person, kind).slice(-TRIED);
  return pick < 0.5 ? last.at(-1) : last[Math.floor((pick * 2 - 1) * last.length)];
}

/** Sends a request in a session. */
export async function askIn({ id, secret }: Held, person: Person, step: Step, claim: OwnClaim, sent: Sent) {
  const { email } = person;
  const whole = { uses: [id], passes: [suspensionOf(email), closingOf(email)], ...claim };
  const answer = await ask(person, step, whole, { ...sent, cookies: { [SESSION_COOKIE]: secret } });
  if (answer.status === 401 && newest(person, "session")?.id === id) person.isLoggedOut = true;
  return answer;
}

/** Holds the session of an answer. It may continue the one that the request presented, or does so for sure. */
export function openSession(
  person: Person,
  { entry, cookies }: Answer,
  { before, isSame = false }: { before?: Held; isSame?: boolean } = {},
): void {
  const secret = cookies[SESSION_COOKIE];
  if (entry.outcome !== "accepted" || secret === undefined) return;
  const parents = isSame ? before?.parents : [person.world.nextId("browser")];
  const mayContinue = [...before?.parents ?? [], ...before?.mayContinue ?? []];
  person.isLoggedOut = false;
  const session: Held = hold(entry, person, {
    id: person.world.nextId("session"),
    kind: "session",
    parents,
    mayContinue,
    secret,
    use: (step) => askIn(session, person, step, { act: "read the profile" }, { method: "GET", path: "/api/profile" }),
  });
}

/** Makes up a password, which the account does not have yet. */
export function newPassword(person: Person): Omit<Held, "account"> {
  const id = person.world.nextId("password");
  const password = {
    id,
    kind: "password" as const,
    secret: `Quiet-lantern-${id.split(" ")[1]}`,
    use: (step: Step) => logIn(person, step, password),
  };
  return password;
}

/** Returns the status of the first answer. */
export async function logIn(person: Person, step: Step, password?: Pick<Held, "id" | "secret">): Promise<number> {
  const { id, secret } = password ?? picked(person, "password", step)!;
  const claim = { act: "log in", uses: [id], passes: [suspensionOf(person.email)] };
  const json = { email: person.email, password: secret };
  return await enter(person, step, claim, { method: "POST", path: "/auth/login", json });
}

/** Logs in with an emailed code. */
export async function logInByCode(person: Person, step: Step, { id, secret }: Held) {
  const claim = { act: "log in with a code", uses: [id], passes: [suspensionOf(person.email)] };
  const json = { email: person.email, code: secret };
  await enter(person, step, claim, { method: "POST", path: "/auth/code/verify", json });
}

/** Sends a first proof, in the browser with the newest session, and does the second step if there is one. */
async function enter(person: Person, step: Step, claim: OwnClaim, sent: Sent): Promise<number> {
  const old = newest(person, "session");
  const cookies = old && { [SESSION_COOKIE]: old.secret };
  const answers = await askEach(person, step, claim, { ...sent, cookies });
  for (const answer of answers) await goOn(person, step, answer, old);
  return answers[0].status;
}

/** Goes on after a first proof: with the session, or with the second step. */
export async function goOn(person: Person, step: Step, answer: Answer, old?: Held): Promise<void> {
  if (answer.body?.code === "SECOND_FACTOR_REQUIRED") return await secondStep(person, step, answer, old);
  if (old !== undefined) answer.entry.ends = { ids: [old.id] };
  openSession(person, answer, { before: old });
  if (old !== undefined) await tryEnded(person.world, answer.entry, step);
}

async function secondStep(person: Person, step: Step, { entry, cookies }: Answer, before?: Held) {
  const secret = cookies[SECOND_STEP_COOKIE];
  const held: Held = hold(entry, person, {
    id: person.world.nextId("second step"),
    kind: "second step",
    lifeSeconds: CODE_SECONDS,
    secret,
    use: (step) => finish(person, step, held, before),
  });
  await held.use(step);
}

async function finish(person: Person, step: Step, { id, secret }: Held, before?: Held) {
  const recovery = step.pick < 0.5 ? picked(person, "recovery code", { ...step, pick: step.pick * 2 }) : undefined;
  const code = recovery?.secret ?? totpCode(person, person.secret, step.isTwice ? STEP_MS : 0);
  const uses = [id, ...recovery === undefined ? [] : [recovery.id]];
  const cookies = { [SECOND_STEP_COOKIE]: secret };
  const sent = { method: "POST", path: "/auth/second-factor", json: { code }, cookies };
  const claim = { act: "finish a login", uses, passes: [suspensionOf(person.email)] };
  for (const answer of await askEach(person, step, claim, sent)) {
    const isOver = answer.status !== 403 && answer.status !== 200;
    answer.entry.counts = { limit: id, max: SECOND_STEP_TRIES, windowSeconds: CODE_SECONDS, isOver };
    openSession(person, answer, { before });
  }
}

/** Returns the code that an authenticator app shows so much later. */
export function totpCode({ world }: Person, secret: string | null, laterMs = 0): string {
  if (secret === null) return "000000";
  return new TOTP({ secret }).generate({ timestamp: world.installation.time().latest + laterMs });
}
