import type { DeliveredMail } from "../support/mail/delivery_service.ts";
import { delay } from "../support/delay.ts";
import { fetchWith } from "../support/processes/fetch_with.ts";
import { type Credential, type Entry, type Outcome } from "./history.ts";
import type { Installation } from "./installation.ts";
import type { Step } from "./plan.ts";

/** A request of someone in the model. */
export interface Sent {
  method: string;
  path: string;
  json?: unknown;
  form?: Record<string, string>;
  body?: BodyInit;
  headers?: Record<string, string>;
  cookies?: Record<string, string>;
  bearer?: string;
  /** The address of the sender. By default, a new one. */
  from?: string;
}

/** What an act says about its request before it knows the answer. */
export type Claim = Pick<Entry, "act" | "account"> & Partial<Entry>;

/** An answer, and its entry in the history. Status 0 stands for a broken connection. */
export interface Answer {
  status: number;
  // deno-lint-ignore no-explicit-any -- the body of any response
  body: any;
  location: string | null;
  cookies: Record<string, string>;
  entry: Entry;
}

/** A credential in the hands of someone in the model. */
export interface Held extends Credential {
  /** The browsers' sessions that a session may continue: a login in a session of the same person opens it again. */
  mayContinue?: string[];
  /** The refresh token before it. */
  previous?: string;
  /** When a refresh token has first worked. */
  advancedAt?: number;
  secret: string;
  /** Presents it, on an instance or on both. */
  use(step: Step): Promise<unknown>;
}

/** Everyone in the model, and what they have seen. */
export interface World {
  installation: Installation;
  history: Entry[];
  /** Names what someone gets, such as "session 3". */
  nextId(kind: string): string;
  /** What everyone holds, oldest first. */
  held: Held[];
  /** Is called with the emails to an address. */
  inboxes: Map<string, (mail: DeliveredMail) => void>;
}

/** How long people wait after an error, before they go on. */
const PAUSE_MS = 200;
/** Of its own, because fetch repeats a request whose kept-alive connection breaks. */
const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

export function createWorld(installation: Installation): World {
  const counts = new Map<string, number>();
  const next = (kind: string) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts.get(kind)!;
  };
  const world: World = {
    installation,
    history: [],
    held: [],
    inboxes: new Map(),
    nextId: (kind) => `${kind} ${next(kind)}`,
  };
  installation.onMail = (mail) => world.inboxes.get(mail.body.to)?.(mail);
  return world;
}

/** Sends a request to an instance, and to the other one at the same time if the step says so. */
export async function sendEach(world: World, actor: string, step: Step, claim: Claim, sent: Sent): Promise<Answer[]> {
  const instances = step.isTwice ? [step.instance, 1 - step.instance] : [step.instance];
  return await Promise.all(instances.map((instance) => send(world, { actor, instance, claim, sent })));
}

/** Sends a request, and writes it down with its answer. */
export async function send(
  world: World,
  { actor, instance, claim, sent }: { actor: string; instance: number; claim: Claim; sent: Sent },
): Promise<Answer> {
  const { installation } = world;
  const url = await installation.urlOf(instance);
  const startedAt = performance.now();
  const { earliest } = installation.time();
  const answer = await request(url, { from: installation.nextAddress(), ...sent });
  const entry: Entry = {
    actor,
    ...claim,
    outcome: outcomeOf(answer),
    answer: `instance ${instance}: ${answer.status} ${answer.body?.code ?? answer.body?.error ?? ""}`.trim(),
    startedAt,
    endedAt: performance.now(),
    earliest,
    latest: installation.time().latest,
  };
  world.history.push(entry);
  if (entry.outcome === "unknown") await delay(PAUSE_MS);
  return { ...answer, entry };
}

/** Writes down something that no request of the model has caused, such as an email that arrived. */
export function note(world: World, claim: Claim & Pick<Entry, "actor">): Entry {
  const now = performance.now();
  const entry: Entry = {
    outcome: "accepted",
    answer: "seen",
    startedAt: now,
    endedAt: now,
    ...world.installation.time(),
    ...claim,
  };
  world.history.push(entry);
  return entry;
}

async function request(
  url: string,
  { method, path, json, form, body, headers = {}, cookies = {}, bearer, from }: Sent,
): Promise<Omit<Answer, "entry">> {
  const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
  try {
    const response = await fetchWith(client, url + path, {
      method,
      redirect: "manual",
      body: json !== undefined ? JSON.stringify(json) : form !== undefined ? new URLSearchParams(form) : body,
      headers: {
        ...json !== undefined && { "Content-Type": "application/json" },
        ...pairs.length > 0 && { Cookie: pairs.join("; ") },
        ...bearer !== undefined && { Authorization: `Bearer ${bearer}` },
        "X-Forwarded-For": from!,
        ...headers,
      },
    });
    const text = await response.text();
    const set = response.headers.getSetCookie().map((line) => line.split(";")[0].split("=") as [string, string]);
    const { status } = response;
    return { status, body: parsed(text), location: response.headers.get("Location"), cookies: Object.fromEntries(set) };
  } catch {
    return { status: 0, body: null, location: null, cookies: {} };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A redirect of an app is accepted if it has a code: otherwise it leads to a login. */
function outcomeOf({ status, body, location }: Omit<Answer, "entry">): Outcome {
  if (status === 0 || status >= 500) return "unknown";
  if (status >= 300 && status < 400) return location?.includes("code=") ? "accepted" : "refused";
  // The first proof was right.
  return status < 300 || body?.code === "SECOND_FACTOR_REQUIRED" ? "accepted" : "refused";
}
