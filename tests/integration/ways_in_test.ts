import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { v7 } from "uuid";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { createLoginLink } from "../../lib/admin/login_link.ts";
import { createToken, hashToken } from "../../lib/crypto/token.ts";
import { DAY_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { logIn, mailedToken, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { envOf, signIn, signInAt } from "../support/providers/idp.ts";
import { addPasskey, requestOptions, sendCredential } from "../support/app/passkeys.ts";
import { client, REDIRECT_URI } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { DEMANDED, joinGroup, makeOverdue } from "../support/app/second_factor.ts";
import { sources } from "../support/source/sources.ts";
import { openSharedTestApp, openTestInstanceWith } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

/**
 * Every way in against every state of the account. The order after the right proof is: unverified, suspended, second
 * factor, closing.
 */
type Outcome =
  /** An ordinary session. */
  | "session"
  /** The second factor comes first. */
  | "second step"
  /** A session that can only keep, export and log out. */
  | "closing session"
  /** A session that can only set up a second factor and log out. */
  | "waiting session"
  /** An ordinary session of another account, which was just created. */
  | "new account"
  /** The password is set, and nothing opens. */
  | "no session"
  | `${number} ${string}`;

const STATES = [
  "unverified",
  "suspended",
  "closing",
  "second factor",
  /** The same, and the browser is one that the person has trusted. */
  "trusted device",
  /** The account must have a second factor, has had time to set it up, and has only what the way in needs. */
  "waiting",
  /** The account must have a second factor, and has a passkey. */
  "passkey demanded",
  "limited",
  "deleted",
  /** An active account, where no one gets a new password. */
  "PASSWORDS existing",
  "PASSWORDS off",
  /** An active account, where its address logs in through the provider contoso only. */
  "SIGN_IN_DOMAINS",
] as const;
type State = typeof STATES[number];

const TABLE: Record<string, Record<State, Outcome>> = {
  "password": {
    "unverified": "403 EMAIL_NOT_VERIFIED",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "second step",
    "trusted device": "session",
    "waiting": "waiting session",
    "passkey demanded": "second step",
    "limited": "429 RATE_LIMITED",
    "deleted": "401 INVALID_CREDENTIALS",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "403 PASSWORDS_OFF",
    "SIGN_IN_DOMAINS": "403 PROVIDER_REQUIRED",
  },
  // The provider vouches for the address, and has limits of its own.
  "default provider": {
    "unverified": "session",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "second step",
    "trusted device": "session",
    "waiting": "waiting session",
    "passkey demanded": "second step",
    "limited": "session",
    "deleted": "new account",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "session",
    "SIGN_IN_DOMAINS": "403 PROVIDER_REQUIRED",
  },
  "another provider": {
    "unverified": "session",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "second step",
    "trusted device": "session",
    "waiting": "waiting session",
    "passkey demanded": "second step",
    "limited": "session",
    "deleted": "new account",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "session",
    "SIGN_IN_DOMAINS": "session",
  },
  // A passkey is a second factor itself.
  "passkey": {
    "unverified": "403 EMAIL_NOT_VERIFIED",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "session",
    "trusted device": "session",
    "waiting": "session",
    "passkey demanded": "session",
    "limited": "429 RATE_LIMITED",
    "deleted": "401 INVALID_CREDENTIALS",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "session",
    "SIGN_IN_DOMAINS": "403 PROVIDER_REQUIRED",
  },
  // The code verifies the address.
  "emailed code": {
    "unverified": "session",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "second step",
    "trusted device": "session",
    "waiting": "waiting session",
    "passkey demanded": "second step",
    "limited": "429 RATE_LIMITED",
    "deleted": "401 INVALID_CREDENTIALS",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "session",
    "SIGN_IN_DOMAINS": "403 PROVIDER_REQUIRED",
  },
  // In the browser that asked for it. Its token cannot be guessed, so attempts to log in do not block it.
  "link beside the code": {
    "unverified": "session",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "second step",
    "trusted device": "session",
    "waiting": "waiting session",
    "passkey demanded": "second step",
    "limited": "session",
    "deleted": "400 INVALID_TOKEN",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "session",
    "SIGN_IN_DOMAINS": "403 PROVIDER_REQUIRED",
  },
  // The link and the new password. It verifies the address, and never removes a factor. Its token cannot be guessed.
  "reset": {
    "unverified": "session",
    "suspended": "no session",
    "closing": "closing session",
    "second factor": "second step",
    // The reset ends the trust.
    "trusted device": "second step",
    "waiting": "waiting session",
    "passkey demanded": "second step",
    "limited": "session",
    "deleted": "400 INVALID_TOKEN",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "403 PASSWORDS_OFF",
    "SIGN_IN_DOMAINS": "403 PROVIDER_REQUIRED",
  },
  // The link alone. Its token cannot be guessed: only wrong tokens count, and attempts to log in do not block it.
  "invitation": {
    "unverified": "session",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "second step",
    "trusted device": "second step",
    "waiting": "waiting session",
    // A stranger may have added the passkey before the address was proved.
    "passkey demanded": "waiting session",
    "limited": "session",
    "deleted": "400 INVALID_TOKEN",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "session",
    "SIGN_IN_DOMAINS": "403 PROVIDER_REQUIRED",
  },
  // Of the command line. Whatever is shut, but never past the second step.
  "link": {
    "unverified": "403 EMAIL_NOT_VERIFIED",
    "suspended": "403 ACCOUNT_SUSPENDED",
    "closing": "closing session",
    "second factor": "second step",
    "trusted device": "second step",
    "waiting": "waiting session",
    "passkey demanded": "second step",
    "limited": "session",
    "deleted": "400 INVALID_TOKEN",
    "PASSWORDS existing": "session",
    "PASSWORDS off": "session",
    "SIGN_IN_DOMAINS": "session",
  },
};

const [main, contoso] = [await startFalseProvider(), await startFalseProvider()];
Deno.test.afterAll(async () => {
  for (const provider of [main, contoso]) await provider[Symbol.asyncDispose]();
});
const app = await openSharedTestApp({
  ...main.env,
  ...DEMANDED,
  CLIENTS_FILE: await writeClientsFile([
    client("vault", { require_second_factor: true, first_party: true, groups: ["keepers"] }),
  ]),
  SIGN_IN_CODES: "true",
  TRUST_DEVICE_DAYS: "30",
  IDP_PROVIDERS: "contoso",
  ...envOf("contoso", contoso.env),
  IDP_CONTOSO_NAME: "Contoso",
});
const { db } = app.services;
const ADDRESS = "192.0.2.7";
/** The secret of the browser that is trusted. */
const DEVICE_TOKEN = createToken();
const instances = {
  "PASSWORDS existing": await openTestInstanceWith(app, { passwords: "existing" }),
  "PASSWORDS off": await openTestInstanceWith(app, { passwords: "off" }),
  "SIGN_IN_DOMAINS": await openTestInstanceWith(app, {
    signInDomains: [{ domain: "example.com", provider: "contoso" }],
  }),
};
Deno.test.afterAll(async () => {
  for (const instance of Object.values(instances)) await instance[Symbol.asyncDispose]();
});

/** An account, and a way into it that a browser can take once. */
interface Door {
  userId: string;
  /** Enters, and returns the response that opens a session or refuses. */
  enter(client: TestClient): Promise<Response>;
}

/** Creates an account for each way in, with everything that the way needs. */
const DOORS: Record<string, (email: string) => Promise<Door>> = {
  async "password"(email) {
    const { id } = await registerVerifiedUser(app, email);
    return { userId: id, enter: (client) => logIn(client, email) };
  },
  async "default provider"(email) {
    const { id } = await registerVerifiedUser(app, email);
    const person = { sub: email, email, email_verified: true, name: "Ada" };
    return { userId: id, enter: (client) => signIn(app, main, person, client) };
  },
  async "another provider"(email) {
    const { id } = await registerVerifiedUser(app, email);
    return {
      userId: id,
      enter(client) {
        contoso.userinfo = { sub: email, email, email_verified: true, name: "Ada" };
        return signInAt("contoso", { client, consent: contoso.consent });
      },
    };
  },
  async "passkey"(email) {
    const { id, client } = await registerVerifiedUser(app, email);
    const { authenticator } = await addPasskey(client);
    return {
      userId: id,
      enter: async (guest) => sendCredential(guest, await authenticator.get(await requestOptions(guest))),
    };
  },
  async "emailed code"(email) {
    const { id } = await registerVerifiedUser(app, email);
    await app.client().send("POST", "/auth/code", { email });
    await app.deliverMails();
    const mail = app.mails.findLast(({ to, subject }) => to === email && subject.endsWith("login code"))!;
    const code = mail.text.match(/^\d{8}$/m)![0];
    return { userId: id, enter: (client) => client.send("POST", "/auth/code/verify", { email, code }) };
  },
  async "link beside the code"(email) {
    const { id } = await registerVerifiedUser(app, email);
    const asking = app.client();
    await asking.send("POST", "/auth/code", { email });
    const token = await mailedToken(app, email);
    return {
      userId: id,
      enter(client) {
        client.cookies.set("login_request", asking.cookies.get("login_request")!);
        return client.send("POST", "/auth/code/link", { token });
      },
    };
  },
  async "reset"(email) {
    const { id } = await registerVerifiedUser(app, email);
    await app.client().send("POST", "/auth/forgot-password", { email });
    const token = await mailedToken(app, email);
    const reset = { email, token, password: PASSWORD };
    return { userId: id, enter: (client) => client.send("POST", "/auth/reset-password", reset) };
  },
  async "invitation"(email) {
    const { client } = await registerVerifiedUser(app, `host-of-${email}`);
    const response = await client.send("POST", "/api/users", { name: "Guest", email });
    const { id: userId } = (await response.json()).data;
    const token = await mailedToken(app, email);
    return {
      userId,
      async enter(client) {
        const set = await client.send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
        const { code } = await set.clone().json();
        return code === "PASSWORDS_OFF" ? await client.send("POST", "/auth/link", { email, token }) : set;
      },
    };
  },
  async "link"(email) {
    const { id } = await registerVerifiedUser(app, email);
    const { link } = await createLoginLink(app.services, { who: email, by: COMMAND_LINE });
    const token = new URL(link).searchParams.get("token")!;
    return { userId: id, enter: (client) => client.send("POST", "/auth/link", { email, token }) };
  },
};

/** Brings an account into a state. Only SQL can do so for some of them. */
const PREPARATIONS: Record<State, (userId: string) => Promise<unknown>> = {
  "unverified": (id) => db.updateTable("users").set({ email_verified: false }).where("id", "=", id).execute(),
  "suspended": (id) => db.updateTable("users").set({ suspended_at: app.services.now() }).where("id", "=", id).execute(),
  "closing": (id) =>
    db.updateTable("users").set({ deletion_due_at: secondsAfter(app.services.now(), DAY_SECONDS) })
      .where("id", "=", id).execute(),
  "second factor": (id) =>
    db.insertInto("totp_secrets").values({
      user_id: id,
      secret: "never decrypted",
      enabled_at: app.services.now(),
      pending_secret: null,
      pending_until: null,
    }).execute(),
  async "trusted device"(id) {
    await PREPARATIONS["second factor"](id);
    const now = app.services.now();
    const ends = secondsAfter(now, DAY_SECONDS);
    const trust = { trust_id: v7(), trusted_at: now, trusted_until: ends };
    await db.insertInto("devices")
      .values({ user_id: id, token_hash: hashToken(DEVICE_TOKEN), created_at: now, expires_at: ends, ...trust })
      .execute();
  },
  "waiting": (id) => makeOverdue(app, id),
  async "passkey demanded"(id) {
    await makeOverdue(app, id);
    await db.insertInto("passkeys").values({
      id: crypto.randomUUID(),
      user_id: id,
      credential_id: id,
      public_key: "never used",
      counter: 0,
      transports: [],
      name: "Laptop",
      backed_up: false,
      created_at: app.services.now(),
      last_used_at: null,
    }).execute();
  },
  "limited": () =>
    db.insertInto("rate_limits").values({
      policy: "login",
      client: `address:${ADDRESS}`,
      requests: 1_000_000,
      window_ends_at: secondsAfter(app.services.now(), DAY_SECONDS),
    }).onConflict((conflict) => conflict.doNothing()).execute(),
  "PASSWORDS existing": () => Promise.resolve(),
  "PASSWORDS off": () => Promise.resolve(),
  "SIGN_IN_DOMAINS": () => Promise.resolve(),
  "deleted": (id) => db.deleteFrom("users").where("id", "=", id).execute(),
};

/** Says in a word where a browser is after it has entered. */
async function outcomeOf(client: TestClient, response: Response, userId: string): Promise<Outcome> {
  const isPage = response.headers.get("Content-Type")?.startsWith("text/html") ?? false;
  const code = response.status < 400 ? "" : isPage ? pageCode(await response.text()) : (await response.json()).code;
  const isWaiting = client.cookies.has("second_factor");
  const profile = await client.get("/api/profile");
  const { user, code: refusal } = await profile.json();
  if (isWaiting) {
    strictEqual(profile.status, 401, "no session before the second step");
    const isAsked = code === "SECOND_FACTOR_REQUIRED" || response.headers.get("Location") === "/second-factor";
    strictEqual(isAsked || (await response.json()).methods.length > 0, true, "the browser learns about it");
    return "second step";
  }
  if (profile.status === 200) return user.id === userId ? "session" : "new account";
  if (refusal === "ACCOUNT_CLOSING") return "closing session";
  if (refusal === "SECOND_FACTOR_SETUP_REQUIRED") return "waiting session";
  strictEqual(client.cookies.has("auth_session"), false);
  if (response.status === 200) return "no session";
  return `${response.status} ${code}`;
}

/** Error pages contain no code. */
function pageCode(html: string): string {
  if (html.includes("Your address logs in with Contoso here")) return "PROVIDER_REQUIRED";
  return html.includes("This account is suspended") ? "ACCOUNT_SUSPENDED" : html;
}

for (const [way, cells] of Object.entries(TABLE)) {
  Deno.test(`the states of an account whose owner comes in by: ${way}`, async () => {
    deepStrictEqual(Object.keys(cells).sort(), [...STATES].sort(), "no cell is missing");
    for (const [index, state] of STATES.entries()) {
      const { userId, enter } = await DOORS[way](`${way.replaceAll(" ", "-")}-${index}@example.com`);
      await PREPARATIONS[state](userId);
      const { client: newClient } = state in instances ? instances[state as keyof typeof instances] : app;
      const client = newClient(state === "limited" ? ADDRESS : undefined);
      if (state === "trusted device") client.cookies.set("device", DEVICE_TOKEN);
      const outcome = await outcomeOf(client, await enter(client), userId);
      strictEqual(outcome, cells[state], `${way} x ${state}`);
    }
  });
}

/** An app that requires a second factor, whatever SECOND_FACTOR says. */
const VAULT = "/oauth/authorize?client_id=vault&response_type=code&scope=openid&code_challenge_method=S256" +
  `&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&code_challenge=${"c".repeat(43)}`;

for (const way of Object.keys(TABLE)) {
  const goes = way === "passkey" ? REDIRECT_URI : "/settings/sign-in-methods/required";
  Deno.test(`an app that requires a second factor leads someone who comes in by ${way} to ${goes}`, async () => {
    const { userId, enter } = await DOORS[way](`vault-${way.replaceAll(" ", "-")}@example.com`);
    const browser = app.client();
    await enter(browser);
    await joinGroup(app, userId, "keepers");
    const headers = { "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    const location = (await browser.get(VAULT, headers)).headers.get("Location") ?? "";
    strictEqual(location.split("?")[0], goes);
  });
}

Deno.test("the use of a passkey is spent even if the account is suspended", async () => {
  const { id, client } = await registerVerifiedUser(app, "spent@example.com");
  const { authenticator } = await addPasskey(client);
  const guest = app.client();
  const credential = await authenticator.get(await requestOptions(guest));
  await PREPARATIONS.suspended(id);
  strictEqual((await sendCredential(guest, credential)).status, 403);
  await db.updateTable("users").set({ suspended_at: null }).where("id", "=", id).execute();
  strictEqual((await sendCredential(guest, credential)).status, 401);
});

/** The ways in that end in each call that opens a session. */
const OPENERS: Record<string, string[]> = {
  "login.ts": ["password"],
  "password_reset.ts": ["reset", "invitation"],
  // Invitations too, where no one gets a new password.
  "login_link.ts": ["link"],
  "code_login.ts": ["emailed code", "link beside the code"],
  "passkey_login.ts": ["passkey"],
  "idp_login.ts": ["default provider", "another provider"],
  // An account that is created now, and the second step of all others.
  "registration.ts": [],
  "setup.ts": [],
  "finish_sign_in.ts": [],
};

Deno.test("the table of this file contains every way in", async () => {
  deepStrictEqual(Object.keys(TABLE).sort(), Object.keys(DOORS).sort());
  deepStrictEqual(Object.keys(TABLE).sort(), Object.values(OPENERS).flat().sort());
  const openers: string[] = [];
  for await (const [path, text] of sources(new URL("../../lib/", import.meta.url))) {
    if (/(?<!function )openSession\(/.test(text)) openers.push(path.split("/").at(-1)!);
  }
  deepStrictEqual(openers.sort(), Object.keys(OPENERS).sort());
});
