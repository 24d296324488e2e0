import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { RegisteredClient } from "../../lib/config/registered_client.ts";
import { COMMAND_LINE as by } from "../../lib/activity/events.ts";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { prepareGroups, saveGroup } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { logIn, mailedCode, PASSWORD, type Registered, registerVerifiedUser } from "../support/app/accounts.ts";
import {
  client as registered,
  exchange,
  openAuthorizationApp,
  REDIRECT_URI,
  refresh,
  tokensIn,
} from "../support/app/authorization.ts";
import { answerTo, authorizePath, codeIn } from "../support/app/authorize_page.ts";
import { type AuthenticatorApp, enableTotp, STEP_SECONDS } from "../support/app/second_factor.ts";
import { problemOf } from "../support/app/test_client.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { signIn } from "../support/providers/idp.ts";
import { AccessModel, GROUPS_DAYS, type ModelPerson, type ModelPolicy } from "../support/random/access_model.ts";

/**
 * Groups by admins and by a provider, the groups of an app, and the policy for second factors change in any order. After
 * each step, nobody opens what no rule allows, and everyone who must set up a second factor can.
 *
 * `FUZZ_RUNS=1000 deno task test integration tests/integration/access_model_test.ts` searches longer.
 */

const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 8);
const PEOPLE = 2;
const GROUPS = ["ops", "staff", "strict"];
/** A session ends after a week without use, or after 90 days: before that, every sequence is over. */
const PAUSES = [HOUR_SECONDS, 2 * DAY_SECONDS, 4 * DAY_SECONDS];
const POLICIES: (ModelPolicy | null)[] = [null, { everyone: false, groups: ["strict"] }, {
  everyone: false,
  groups: ["ops", "strict"],
}, {
  everyone: true,
  groups: [],
}];
const REQUIRED = "/settings/sign-in-methods/required";
/** What a browser sends for an address that someone has typed. */
const NAVIGATION = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openAuthorizationApp({
  ...provider.env,
  IDP_GROUPS: GROUPS.map((name) => `${name}:${name}`).join(" "),
  IDP_GROUPS_DAYS: String(GROUPS_DAYS),
  LOGIN_MAX_ATTEMPTS: "0",
  LIMIT_MAIL_ADDRESS: "off",
}, [
  registered("desk", { first_party: true, grant_lifetime: "offline", id_token_signed_response_alg: "ES256" }),
]);
const { config } = app.services;
const desk: RegisteredClient = config.registrations!.clients.get("desk")!;
await prepareGroups(app.services);
for (const name of GROUPS) await saveGroup(app.services, { name, title: name, by });

const person = fc.nat(PEOPLE - 1);
const groups = fc.subarray(GROUPS);
const claim = fc.option(fc.oneof(groups, fc.constantFrom(...GROUPS)), { nil: undefined, freq: 3 });
const pause = fc.constantFrom(...PAUSES);
const policy = fc.constantFrom(...POLICIES);
/** Two of a kind make it more frequent. */
const kinds: Record<string, fc.Arbitrary<unknown>>[] = [
  { do: fc.constant("admin"), person, groups },
  { do: fc.constant("provider"), person, claim },
  { do: fc.constantFrom("password", "unlink"), person },
  { do: fc.constantFrom("setUp", "remove"), person },
  { do: fc.constant("policy"), policy, days: fc.constantFrom(1, 7) },
  { do: fc.constant("app"), groups },
  { do: fc.constant("wait"), pause },
  { do: fc.constant("wait"), pause },
];
const step = fc.oneof(...kinds.map((kind) => fc.record(kind, { noNullPrototype: true }))) as fc.Arbitrary<Step>;

type Step =
  | { do: "admin"; person: number; groups: string[] }
  | { do: "provider"; person: number; claim?: string | string[] }
  | { do: "password" | "unlink" | "setUp" | "remove"; person: number }
  | { do: "policy"; policy: ModelPolicy | null; days: number }
  | { do: "app"; groups: string[] }
  | { do: "wait"; pause: number };

/** Sequences begin with one of these or its first steps, because few random ones get so far. */
const OPENINGS: Step[][] = [
  [
    { do: "app", groups: ["staff"] },
    { do: "provider", person: 0, claim: ["staff", "strict"] },
    { do: "provider", person: 0 },
    { do: "unlink", person: 0 },
  ],
  [
    { do: "app", groups: ["staff"] },
    { do: "provider", person: 0, claim: "staff" },
    { do: "wait", pause: 2 * DAY_SECONDS },
    { do: "wait", pause: 2 * DAY_SECONDS },
  ],
  [
    { do: "policy", policy: { everyone: false, groups: ["strict"] }, days: 7 },
    { do: "admin", person: 0, groups: ["strict"] },
    { do: "policy", policy: { everyone: false, groups: ["strict"] }, days: 1 },
    { do: "wait", pause: 2 * DAY_SECONDS },
    { do: "setUp", person: 0 },
  ],
];

/** Someone as the service knows them. */
interface Someone extends Registered {
  model: ModelPerson;
  totp: AuthenticatorApp | null;
  refreshToken: string | null;
}

Deno.test("nobody opens what no rule allows, and everyone can set up a second factor, after any steps", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...OPENINGS),
      fc.option(fc.nat(5), { nil: undefined, freq: 1 }),
      fc.array(step, { minLength: 4, maxLength: 14, size: "max" }),
      (opening, length, steps) => runSteps([...opening.slice(0, length), ...steps]),
    ),
    { numRuns: RUNS, examples: OPENINGS.map((opening): [Step[], undefined, Step[]] => [opening, undefined, []]) },
  );
  deepStrictEqual([...seen].sort(), ["closed", "code", "second factor"], "what the app got");
});

async function runSteps(steps: Step[]): Promise<void> {
  const model = new AccessModel(PEOPLE);
  applyPolicy(model);
  const people: Someone[] = [];
  for (const each of model.people) {
    const found = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
    people.push({ ...found, model: each, totp: null, refreshToken: null });
  }
  for (const [index, step] of steps.entries()) {
    await act(step, { model, people });
    for (const [number, someone] of people.entries()) {
      await assertAccess(model, someone, `person ${number} after step ${index} of ${JSON.stringify(steps)}`);
    }
  }
  for (const someone of people.filter((each) => model.isWaiting(each.model))) {
    await setUp(model, someone);
    await assertAccess(model, someone, `after the second factor, at the end of ${JSON.stringify(steps)}`);
  }
}

async function act(step: Step, { model, people }: { model: AccessModel; people: Someone[] }): Promise<void> {
  switch (step.do) {
    case "policy":
      model.policy = step.policy;
      model.graceSeconds = step.days * DAY_SECONDS;
      return applyPolicy(model);
    case "app":
      model.admitted = step.groups;
      return applyPolicy(model);
    case "wait":
      return advance(model, step.pause);
  }
  const someone = people[step.person];
  switch (step.do) {
    case "admin":
      someone.model.byAdmins = step.groups;
      await setGroups(app.services, { userId: someone.id, groups: step.groups, by, reason: "a test" });
      return;
    case "provider":
      return await logInWithProvider(model, someone, step.claim);
    case "password":
      return await logInWithPassword(model, someone);
    case "unlink":
      return await unlink(model, someone);
    case "setUp":
      if (someone.totp === null) await setUp(model, someone);
      return;
    case "remove":
      if (someone.totp !== null) await removeFactor(model, someone);
  }
}

/** Makes the settings of the service those of the model, as a start with other variables and another file does. */
function applyPolicy({ policy, graceSeconds, admitted }: AccessModel): void {
  config.secondFactor = policy && { ...policy, admins: false };
  config.secondFactorGraceSeconds = graceSeconds;
  desk.groups = admitted;
}

function advance(model: AccessModel, seconds: number): void {
  model.now += seconds;
  app.advance(seconds);
}

async function logInWithPassword(model: AccessModel, someone: Someone): Promise<void> {
  const response = await logIn(someone.client, someone.email);
  strictEqual(response.status, someone.totp === null ? 200 : 403, await response.text());
  await takeSecondStep(model, someone);
}

async function logInWithProvider(model: AccessModel, someone: Someone, claim?: string | string[]): Promise<void> {
  const { email, id, client } = someone;
  const said = { sub: id, email, email_verified: true, name: "Ada", ...claim !== undefined && { groups: claim } };
  const location = (await signIn(app, provider, said, client)).headers.get("Location")!;
  strictEqual(location.startsWith("/second-factor"), someone.totp !== null, location);
  await takeSecondStep(model, someone);
  model.takeClaim(someone.model, typeof claim === "string" ? [claim] : claim);
}

async function takeSecondStep(model: AccessModel, { client, totp }: Someone): Promise<void> {
  if (totp === null) return;
  const response = await client.send("POST", "/auth/second-factor", { code: totp.code() });
  strictEqual(response.status, 200, await response.text());
  advance(model, STEP_SECONDS);
}

async function unlink(model: AccessModel, someone: Someone): Promise<void> {
  await logInWithPassword(model, someone);
  model.use(someone.model);
  const { client } = someone;
  const response = await client.get("/api/account/identities");
  strictEqual(response.status, model.isWaiting(someone.model) ? 403 : 200);
  if (response.status === 403) return;
  for (const { id } of (await response.json()).data) {
    await withProof(someone, () => client.request(`/api/account/identities/${id}`, { method: "DELETE" }), 204);
  }
  someone.model.byProvider = { names: [], until: 0 };
}

/** Sets up an authenticator app, whatever proof that takes. */
async function setUp(model: AccessModel, someone: Someone): Promise<void> {
  const { client } = someone;
  await withProof(someone, () => client.request("/api/totp", { method: "POST" }), 200);
  someone.totp = await enableTotp(app, client);
  model.now += STEP_SECONDS; // as enableTotp does
  someone.model.hasFactor = true;
}

async function removeFactor(model: AccessModel, someone: Someone): Promise<void> {
  await logInWithPassword(model, someone);
  const { status } = await someone.client.request("/api/totp", { method: "DELETE" });
  strictEqual(status, model.isReached(someone.model) ? 409 : 204);
  if (status === 409) return;
  someone.totp = null;
  someone.model.hasFactor = false;
}

/** Does what may require a proof, with any proof of those that the service accepts. Fails if the person has none. */
async function withProof(someone: Someone, request: () => Promise<Response>, expected: number): Promise<void> {
  const { client, email } = someone;
  let response = await request();
  if (response.status === 403) {
    const [, code, details] = await problemOf(response);
    strictEqual(code, "REAUTHENTICATION_REQUIRED");
    const { methods } = details as { methods: string[] };
    if (methods.includes("code")) {
      strictEqual((await client.request("/auth/reauthenticate/code", { method: "POST" })).status, 200);
      const proof = await client.send("POST", "/auth/reauthenticate", { code: await mailedCode(app, email) });
      strictEqual(proof.status, 200, await proof.text());
    } else {
      ok(methods.includes("password"), `no proof that they have: ${methods}`);
      const proof = await client.send("POST", "/auth/reauthenticate", { password: PASSWORD });
      strictEqual(proof.status, 200, await proof.text());
    }
    response = await request();
  }
  strictEqual(response.status, expected, await response.text());
}

/** Asks for everything that groups and the second factor open or close, and for the page that sets one up. */
async function assertAccess(model: AccessModel, someone: Someone, when: string): Promise<void> {
  const { client, model: known } = someone;
  model.use(known);
  const { status, headers } = await client.get("/auth/check?group=ops,strict");
  strictEqual(status, model.check(known, ["ops", "strict"]), `the check of a proxy, ${when}`);
  if (status === 204) strictEqual(headers.get("X-Foyer-User-Groups"), model.groupsOf(known).join(","), when);
  await assertApp(model, someone, when);
  if (!model.isWaiting(known)) return;
  strictEqual((await client.get("/api/profile")).status, 403, `the profile, ${when}`);
  strictEqual((await client.get(REQUIRED)).status, 200, `the page that sets a second factor up, ${when}`);
  const response = await client.request("/api/totp", { method: "POST" });
  if (response.status !== 200) ok((await response.json()).details.methods.length > 0, `a proof, ${when}`);
}

const seen = new Set<string>();

async function assertApp(model: AccessModel, someone: Someone, when: string): Promise<void> {
  const { client, model: known } = someone;
  if (known.hasGrant) {
    const response = await refresh(app, "desk", someone.refreshToken!);
    const { refresh_token, error = "tokens" } = await response.json();
    strictEqual(error, model.refresh(known), `refreshing, ${when}`);
    someone.refreshToken = refresh_token ?? someone.refreshToken;
  }
  const response = await client.get(authorizePath("desk"), NAVIGATION);
  const location = response.headers.get("Location") ?? "";
  const result = location.startsWith(`${REDIRECT_URI}?code=`)
    ? "code"
    : location.startsWith(REQUIRED)
    ? "second factor"
    : response.status === 403
    ? "closed"
    : `${response.status} ${location}`;
  deepStrictEqual(result, model.authorize(known), `authorizing, ${when}`);
  seen.add(result);
  if (result !== "code" || known.hasGrant) return;
  const tokens = await tokensIn(exchange(app, codeIn(answerTo(response), "desk")));
  someone.refreshToken = tokens.refresh_token!;
  known.hasGrant = true;
}
