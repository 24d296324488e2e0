import { hashToken } from "../../lib/crypto/token.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import type { DeliveredMail } from "../support/mail/delivery_service.ts";
import { EVERYONE } from "./checker.ts";
import type { Entry, Kind } from "./history.ts";
import { CLIENT, LOGIN_MAX, LOGIN_WINDOW_SECONDS } from "./installation.ts";
import {
  ACCESS,
  allOf,
  ask,
  askEach,
  askIn,
  closingOf,
  CODE_SECONDS,
  goOn,
  hold,
  logIn,
  logInByCode,
  newest,
  newPassword,
  openSession,
  type Person,
  picked,
  suspensionOf,
  totpCode,
  tryEnded,
} from "./person.ts";
import { planOf, type Step } from "./plan.ts";
import { type Answer, type Held, note, send, type World } from "./world.ts";

/** What people, their programs, an app and an admin do. Each act is one request, or a few that belong together. */

const TOKEN_SECONDS = 90 * DAY_SECONDS;
/** Clocks of verifiers may be a minute off. */
const LEEWAY_SECONDS = 60;
const VERIFIER = "v".repeat(43);
const FILE = { name: "model.txt", type: "text/plain", content: "A model" };
const REASON = { reason: "The model asks for it" };
const LINK_KINDS: Record<string, Kind> = {
  "verify-email": "verification link",
  "reset-password": "reset link",
  "not-me": "not-me link",
};

/** How long what is emailed works. */
const LIFE_SECONDS: Partial<Record<Kind, number>> = { code: CODE_SECONDS, "reset link": HOUR_SECONDS };

type Act = (person: Person, step: Step) => Promise<unknown>;

function trying(kind: Kind): Act {
  return async (person, step) => await picked(person, kind, step)?.use(step);
}

/** Returns an act that needs a session: mostly the newest one. Someone without one logs in instead. */
function inSession(act: (person: Person, step: Step, session: Held) => Promise<unknown>): Act {
  return async (person, step) => {
    const session = person.isLoggedOut || step.pick < 0.8 ? newest(person, "session") : picked(person, "session", step);
    if (person.isLoggedOut) await getIn(person, step);
    else if (session !== undefined) await act(person, step, session);
  };
}

/** Logs in with the newest password, or gets another one. */
async function getIn(person: Person, step: Step): Promise<void> {
  if (await logIn(person, step, newest(person, "password")) !== 401) return;
  const link = newest(person, "reset link");
  await (link ?? { use: asking("/auth/forgot-password").bind(null, person) }).use(step);
}

const rename = inSession(async (person, step, session) => {
  const name = person.world.nextId("Ada");
  const writes = { key: `name of ${person.email}`, value: name };
  const sent = { method: "PUT", path: "/api/profile", json: { name } };
  await askIn(session, person, step, { act: "change the name", writes }, sent);
});

const logOut = inSession(async (person, step, session) => {
  const claim = { act: "log out", ends: { ids: [browserOf(session)] }, passes: [] };
  await askIn(session, person, step, claim, { method: "POST", path: "/auth/logout" });
});

const endOthers = inSession(async (person, step, session) => {
  const ends = { kinds: ["session", "grant"] as Kind[], except: staysWith(session) };
  const sent = { method: "POST", path: "/api/account/sessions/end-others" };
  await askIn(session, person, step, { act: "end other sessions", ends }, sent);
});

const reauthenticate = inSession(async (person, step, session) => {
  const { id, secret } = newest(person, "password")!;
  const claim = { act: "prove who it is", uses: [session.id, id], ends: { ids: [session.id] }, passes: [] };
  const sent = { method: "POST", path: "/auth/reauthenticate", json: { password: secret } };
  openSession(person, await askIn(session, person, step, claim, sent), { before: session, isSame: true });
});

const changePassword = inSession(async (person, step, session) => {
  const [current, next] = [newest(person, "password")!, newPassword(person)];
  const kinds: Kind[] = ["session", "grant", "second step", "password", "reset link"];
  const ends = { kinds, except: staysWith(session) };
  const claim = { act: "change the password", uses: [session.id, current.id], ends };
  const json = { currentPassword: current.secret, newPassword: next.secret };
  const answer = await askIn(session, person, step, claim, { method: "PUT", path: "/api/account/password", json });
  if (answer.entry.outcome !== "refused") hold(answer.entry, person, next);
});

const makeToken = inSession(async (person, step, session) => {
  const json = { name: "Model", scopes: ["profile:read", "uploads:read"] };
  const sent = { method: "POST", path: "/api/tokens", json };
  const { entry, body } = await askIn(session, person, step, { act: "make a token" }, sent);
  if (entry.outcome !== "accepted") return;
  const token: Held = hold(entry, person, {
    id: `token ${body.data.id}`,
    kind: "token",
    lasts: true,
    lifeSeconds: TOKEN_SECONDS,
    secret: body.token,
    async use(step) {
      const passes = [suspensionOf(person.email), closingOf(person.email)];
      const claim = { act: "read the profile with a token", uses: [token.id], passes };
      return await ask(person, step, claim, { method: "GET", path: "/api/profile", bearer: token.secret });
    },
  });
});

const revokeToken = inSession(async (person, step, session) => {
  const token = picked(person, "token", step);
  if (token === undefined) return;
  const sent = { method: "DELETE", path: `/api/tokens/${token.id.split(" ")[1]}` };
  await askIn(session, person, step, { act: "revoke a token", ends: { ids: [token.id] } }, sent);
});

const setUpTotp = inSession(async (person, step, session) => {
  const start = await askIn(session, person, step, { act: "start with an authenticator app" }, {
    method: "POST",
    path: "/api/totp",
  });
  if (start.entry.outcome !== "accepted") return;
  const { secret } = start.body;
  const claim = { act: "set up an authenticator app", ends: { kinds: ["recovery code"] as Kind[] } };
  const sent = { method: "POST", path: "/api/totp/confirm", json: { code: totpCode(person, secret) } };
  const answer = await askIn(session, person, step, claim, sent);
  if (answer.entry.outcome !== "refused") person.secret = secret;
  holdRecoveryCodes(person, answer);
});

const makeRecoveryCodes = inSession(async (person, step, session) => {
  const claim = { act: "make recovery codes", ends: { kinds: ["recovery code"] as Kind[] } };
  const sent = { method: "POST", path: "/api/totp/recovery-codes" };
  holdRecoveryCodes(person, await askIn(session, person, step, claim, sent));
});

function holdRecoveryCodes(person: Person, { entry, body }: Answer): void {
  if (entry.outcome !== "accepted") return;
  for (const secret of body.recoveryCodes) {
    hold(entry, person, {
      id: person.world.nextId("recovery code"),
      kind: "recovery code",
      secret,
      use: async () => {}, // a second step presents it
    });
  }
}

const removeTotp = inSession(async (person, step, session) => {
  const claim = { act: "remove the authenticator app", ends: { kinds: ["recovery code"] as Kind[] } };
  await askIn(session, person, step, claim, { method: "DELETE", path: "/api/totp" });
});

const signInToApp = inSession(async (person, step, session) => {
  const query = new URLSearchParams({
    client_id: CLIENT.client_id,
    redirect_uri: CLIENT.redirect_uris[0],
    response_type: "code",
    scope: "openid",
    code_challenge: hashToken(VERIFIER),
    code_challenge_method: "S256",
  });
  const sent = { method: "GET", path: `/oauth/authorize?${query}` };
  const { entry, location } = await askIn(session, person, step, { act: "sign in to an app" }, sent);
  const secret = URL.parse(location ?? "")?.searchParams.get("code");
  if (secret == null) return;
  const parents = [browserOf(session), person.world.nextId("grant")];
  const code: Held = hold(entry, person, {
    id: person.world.nextId("authorization code"),
    kind: "grant",
    parents,
    once: true,
    lifeSeconds: 60,
    secret,
    async use(step) {
      const form = {
        grant_type: "authorization_code",
        client_id: CLIENT.client_id,
        redirect_uri: CLIENT.redirect_uris[0],
        code_verifier: VERIFIER,
        code: secret,
      };
      const claim = { act: "exchange a code", uses: [code.id] };
      const sent = { method: "POST", path: "/oauth/token", form };
      for (const answer of await askEach(person, step, claim, sent)) holdTokens(person, answer, { parents });
    },
  });
  await code.use(step);
});

/** Holds the access token and the refresh token of a grant. */
function holdTokens(
  person: Person,
  { entry, body }: Answer,
  { parents, previous }: Pick<Held, "parents" | "previous">,
) {
  if (entry.outcome !== "accepted") return;
  const { access_token: access, refresh_token: refresh, expires_in: expiresIn } = body;
  const passes = [suspensionOf(person.email)];
  const token: Held = hold(entry, person, {
    id: person.world.nextId("access token"),
    kind: "grant",
    parents,
    lifeSeconds: expiresIn + LEEWAY_SECONDS,
    secret: access,
    async use(step) {
      const claim = { act: "ask who the person is", uses: [token.id], passes };
      return await ask(person, step, claim, { method: "GET", path: "/oauth/userinfo", bearer: access });
    },
  });
  if (allOf(person, "grant").some(({ secret }) => secret === refresh)) return; // two requests at once get the same
  const held: Held = hold(entry, person, {
    id: person.world.nextId("refresh token"),
    kind: "grant",
    parents,
    secret: refresh,
    previous,
    use: (step) => useRefreshToken(person, step, held),
  });
}

/** Of a refresh token, its successor works next. Once that has worked, the token itself ends the grant. */
async function useRefreshToken(person: Person, step: Step, held: Held): Promise<void> {
  const { id, secret, previous, parents } = held;
  const form = { grant_type: "refresh_token", client_id: CLIENT.client_id, refresh_token: secret };
  const claim = { act: "refresh", uses: [id], ends: previous === undefined ? undefined : { ids: [previous] } };
  const next = allOf(person, "grant").find((other) => other.previous === id && other.advancedAt !== undefined);
  for (const answer of await askEach(person, step, claim, { method: "POST", path: "/oauth/token", form })) {
    const { entry } = answer;
    holdTokens(person, answer, { parents, previous: id });
    if (entry.outcome === "accepted") held.advancedAt ??= entry.endedAt;
    if (entry.outcome !== "refused" || next === undefined) continue;
    const { startedAt, endedAt, account } = entry;
    const theft = { actor: person.name, act: "be refused with an old refresh token", account, startedAt, endedAt };
    await tryEnded(person.world, note(person.world, { ...theft, ends: { ids: [parents![1]] } }), step);
  }
}

async function revokeGrant(person: Person, step: Step): Promise<void> {
  const token = allOf(person, "grant").findLast(({ id }) => id.startsWith("refresh"));
  if (token === undefined) return;
  const claim = { act: "revoke a grant", ends: { ids: [token.parents![1]] } };
  const form = { client_id: CLIENT.client_id, token: token.secret };
  await ask(person, step, claim, { method: "POST", path: "/oauth/revoke", form });
}

const upload = inSession(async (person, step, session) => {
  const json = { filename: FILE.name, contentType: FILE.type, size: FILE.content.length };
  const sent = { method: "POST", path: "/api/upload/presign", json };
  const { entry, body } = await askIn(session, person, step, { act: "ask for an upload" }, sent);
  if (entry.outcome !== "accepted") return;
  const { pathname, search } = new URL(body.presignedUrl);
  const headers = { "Content-Type": FILE.type };
  await ask(person, step, { act: "upload" }, { method: "PUT", path: pathname + search, body: FILE.content, headers });
  const writes = { key: `upload ${body.id}`, value: "there" };
  const confirm = { method: "POST", path: `/api/uploads/${body.id}/confirm` };
  await askIn(session, person, step, { act: "confirm an upload", writes }, confirm);
});

const close = inSession(async (person, step, session) => {
  const claim = { act: "close the account", ends: { kinds: ACCESS }, shuts: closingOf(person.email) };
  await askIn(session, person, step, claim, { method: "DELETE", path: "/api/account" });
});

const keep = inSession(async (person, step, session) => {
  const claim = { act: "keep the account", opens: closingOf(person.email), passes: [] };
  await askIn(session, person, step, claim, { method: "POST", path: "/api/account/restore" });
});

async function guessPassword(person: Person, step: Step): Promise<void> {
  const { email, guessesFrom: from } = person;
  const json = { email, password: "Wrong-lantern-1" };
  const sent = { method: "POST", path: "/auth/login", json, from };
  for (const { entry, status } of await askEach(person, { ...step, isTwice: true }, { act: "guess" }, sent)) {
    const limit = { limit: from, max: LOGIN_MAX, windowSeconds: LOGIN_WINDOW_SECONDS };
    entry.counts = { ...limit, isOver: status === 429 };
  }
}

function asking(path: string): Act {
  return (person, step) =>
    ask(person, step, { act: `ask by ${path}` }, { method: "POST", path, json: { email: person.email } });
}

/** Holds the link or the code of an email. One that is delivered twice is the same. */
export function receive(person: Person, { body: { subject, text } }: DeliveredMail): void {
  const url = text.match(/https?:\/\/\S+\/(?:verify-email|reset-password|not-me)\?\S+/)?.[0];
  const link = url === undefined ? null : new URL(url);
  const code = subject.match(/^[\d ]{8,}(?= is your .*login code)/)?.[0].replaceAll(" ", "");
  const secret = link?.searchParams.get("token") ?? code;
  if (secret == null || person.world.held.some((held) => held.secret === secret)) return;
  const kind = link === null ? "code" : LINK_KINDS[link.pathname.slice(1)];
  const entry = note(person.world, { actor: "mail", act: `receive a ${kind}`, account: person.email });
  const held: Held = hold(entry, person, {
    id: person.world.nextId(kind),
    kind,
    lifeSeconds: LIFE_SECONDS[kind],
    secret,
    use: (step) => kind === "code" ? logInByCode(person, step, held) : LINK_USES[held.kind]!(person, step, held),
  });
}

const LINK_USES: Partial<Record<Kind, (person: Person, step: Step, link: Held) => Promise<unknown>>> = {
  async "verification link"(person, step, { id, secret }) {
    const json = { email: person.email, token: secret };
    const claim = { act: "confirm the address", uses: [id], ends: { kinds: ACCESS } };
    return (await ask(person, step, claim, { method: "POST", path: "/auth/verify-email", json })).entry.outcome;
  },
  async "reset link"(person, step, { id, secret }) {
    const password = newPassword(person);
    const json = { email: person.email, token: secret, password: password.secret };
    const kinds: Kind[] = [...ACCESS, "password", "reset link", "code"];
    const claim = { act: "reset the password", uses: [id], ends: { kinds } };
    const sent = { method: "POST", path: "/auth/reset-password", json };
    for (const answer of await askEach(person, step, claim, sent)) {
      if (answer.entry.outcome !== "accepted") continue;
      hold(answer.entry, person, password);
      await goOn(person, step, answer);
    }
  },
  async "not-me link"(person, step, { id, secret }) {
    const kinds: Kind[] = [...ACCESS, "password", "reset link", "code"];
    const claim = { act: "say it was not me", uses: [id], ends: { kinds }, opens: closingOf(person.email) };
    await askEach(person, step, claim, { method: "POST", path: "/auth/not-me", json: { token: secret } });
  },
};

/** How often each act of a person is drawn, and what it does. */
const PERSON_ACTS: Record<string, { weight: number; act: Act }> = {
  "log in": { weight: 8, act: logIn },
  "guess a password": { weight: 3, act: guessPassword },
  "try a session": { weight: 5, act: trying("session") },
  "try a token": { weight: 4, act: trying("token") },
  "try a reset link": { weight: 4, act: trying("reset link") },
  "try a not-me link": { weight: 1, act: trying("not-me link") },
  "try a code": { weight: 4, act: trying("code") },
  "try a grant": { weight: 8, act: trying("grant") },
  "try a second step": { weight: 2, act: trying("second step") },
  "change the name": { weight: 4, act: rename },
  "log out": { weight: 3, act: logOut },
  "end other sessions": { weight: 2, act: endOthers },
  "prove who it is": { weight: 2, act: reauthenticate },
  "change the password": { weight: 3, act: changePassword },
  "ask for a reset link": { weight: 3, act: asking("/auth/forgot-password") },
  "ask for a code": { weight: 3, act: asking("/auth/code") },
  "make a token": { weight: 3, act: makeToken },
  "revoke a token": { weight: 2, act: revokeToken },
  "set up an authenticator app": { weight: 2, act: setUpTotp },
  "make recovery codes": { weight: 1, act: makeRecoveryCodes },
  "remove the authenticator app": { weight: 1, act: removeTotp },
  "sign in to an app": { weight: 5, act: signInToApp },
  "revoke a grant": { weight: 1, act: revokeGrant },
  "upload a file": { weight: 2, act: upload },
  "close the account": { weight: 1, act: close },
  "keep the account": { weight: 3, act: keep },
};

/** Draws what someone will do. */
export function personPlan(seed: string, actor: string, length: number): Step[] {
  const weights = Object.fromEntries(Object.entries(PERSON_ACTS).map(([act, { weight }]) => [act, weight]));
  return planOf({ seed, actor, weights, length });
}

/** Does what the plan of someone says. */
export async function live(person: Person, plan: Step[]): Promise<void> {
  for (const step of plan) await PERSON_ACTS[step.act].act(person, step);
}

/** An admin, who acts with an API token. */
export interface Admin {
  token: string;
  world: World;
}

/** Makes an admin of someone. */
export async function makeAdmin(person: Person): Promise<Admin> {
  const { world, email } = person;
  await world.installation.query("update users set role = 'admin' where email = $1", [email]);
  const step: Step = { act: "", instance: 0, isTwice: false, pick: 0 };
  const sent = { method: "POST", path: "/api/tokens", json: { name: "Admin", scopes: ["admin"] } };
  const { body } = await askIn(newest(person, "session")!, person, step, { act: "make a token" }, sent);
  return { token: body.token, world };
}

/** An act of an admin on the account of a person. */
type AdminAct = (person: Person) => { path: string; claim: Omit<Partial<Entry>, "act"> };

const ON_SUSPENSION: Kind[] = [...ACCESS, "reset link", "verification link", "not-me link", "code"];

const ADMIN_ACTS: Record<string, { weight: number; act: AdminAct }> = {
  suspend: {
    weight: 1,
    act: ({ id, email }) => ({
      path: `/api/admin/users/${id}/suspend`,
      claim: { ends: { kinds: ON_SUSPENSION }, shuts: suspensionOf(email) },
    }),
  },
  unsuspend: {
    weight: 3,
    act: ({ id, email }) => ({ path: `/api/admin/users/${id}/unsuspend`, claim: { opens: suspensionOf(email) } }),
  },
  "end sessions": {
    weight: 1,
    act: ({ id }) => ({
      path: `/api/admin/users/${id}/end-sessions`,
      claim: { ends: { kinds: ["session", "grant"] } },
    }),
  },
  "end the grants of the app": {
    weight: 1,
    act: () => ({
      path: `/api/admin/clients/${CLIENT.client_id}/end-grants`,
      claim: { account: EVERYONE, ends: { kinds: ["grant"] } },
    }),
  },
};

/** Draws what the admin will do. */
export function adminPlan(seed: string, length: number): Step[] {
  const weights = Object.fromEntries(Object.entries(ADMIN_ACTS).map(([act, { weight }]) => [act, weight]));
  return planOf({ seed, actor: "admin", weights, length });
}

/** Does one step of the admin. Suspensions are lifted in the order in which they were made. */
export async function administer({ token, world }: Admin, people: Person[], step: Step): Promise<void> {
  const isSuspended = (person: Person) =>
    world.history.findLast(({ shuts, opens }) => [shuts, opens].includes(suspensionOf(person.email)))?.shuts;
  const candidates = step.act === "unsuspend" ? people.filter(isSuspended) : people;
  if (candidates.length === 0) return;
  const person = candidates[Math.floor(step.pick * candidates.length)];
  const { path, claim } = ADMIN_ACTS[step.act].act(person);
  const { entry, body } = await send(world, {
    actor: "admin",
    instance: step.instance,
    claim: { act: step.act, account: person.email, ...claim },
    sent: { method: "POST", path, json: REASON, bearer: token },
  });
  // Someone who is suspended already may have got links since: they reset the password, and open nothing.
  if (body?.changed === false) entry.ends = undefined;
  // Nothing that a suspension has ended comes back with the account.
  await tryEnded(world, step.act === "unsuspend" ? { ...entry, ends: { kinds: ON_SUSPENSION } } : entry, step);
}

/** What stays if everything but this session ends. */
function staysWith({ parents, mayContinue }: Held): string[] {
  return [...parents!, ...mayContinue!];
}

function browserOf({ parents }: Held): string {
  return parents![0];
}
