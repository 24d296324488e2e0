import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { createInvitedUser } from "../../lib/accounts/invitation.ts";
import { importUsers } from "../../lib/accounts/user_import.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import type { Config } from "../../lib/config/config.ts";
import { AppError } from "../../lib/errors/errors.ts";
import { detailsInEnglish } from "../../lib/http/error_english.ts";
import type { Services } from "../../lib/services/services.ts";
import {
  logIn,
  mailedCode,
  mailedToken,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
} from "../support/app/accounts.ts";
import { openSharedTestApp, openTestInstanceWith, type TestInstance } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { sources } from "../support/source/sources.ts";
import { envOf, signIn, signInAt } from "../support/providers/idp.ts";

/** Every way in which an account is opened or gets an address, against every setting. */
type Result = "done" | "closed" | "domain" | `error ${string}`;

/** The settings, and the domain of the address. */
const SETTINGS = {
  "open": [{ registration: "open" }, "example.com"],
  "invited": [{ registration: "invited" }, "example.com"],
  "closed": [{ registration: "closed" }, "example.com"],
  "allowed domain": [{ allowedEmailDomains: ["other.example", "allowed.example"] }, "Allowed.example"],
  "another domain": [{ allowedEmailDomains: ["other.example", "allowed.example"] }, "example.com"],
  "subdomain": [{ allowedEmailDomains: ["other.example", "allowed.example"] }, "sub.allowed.example"],
  "longer domain": [{ allowedEmailDomains: ["other.example", "allowed.example"] }, "notallowed.example"],
} satisfies Record<string, [settings: Partial<Config>, domain: string]>;
type Setting = keyof typeof SETTINGS;

const by = (invited: Result, closed: Result, domain: Result): Record<Setting, Result> => ({
  "open": "done",
  invited,
  closed,
  "allowed domain": "done",
  "another domain": domain,
  "subdomain": domain,
  "longer domain": domain,
});
const PERSON_OPENS = by("closed", "closed", "domain");
const AT_PROVIDER = by("error registration_closed", "error registration_closed", "error registration_closed");
const CHANGES_ADDRESS = by("done", "done", "domain");
const EXISTS = by("done", "done", "done");

const TABLE: Record<string, Record<Setting, Result>> = {
  "registration, API": PERSON_OPENS,
  "registration, page": PERSON_OPENS,
  "invitation": by("done", "closed", "domain"),
  "command line": CHANGES_ADDRESS,
  "import": CHANGES_ADDRESS,
  "default provider": AT_PROVIDER,
  "another provider": AT_PROVIDER,
  "change of the address, API": CHANGES_ADDRESS,
  "change of the address, page": CHANGES_ADDRESS,
  "confirmation of a change, API": CHANGES_ADDRESS,
  "confirmation of a change, page": CHANGES_ADDRESS,
  // The account exists, with this address.
  "password": EXISTS,
  "confirmation of a registration": EXISTS,
  "another confirmation link": EXISTS,
  "reset of an unconfirmed account": EXISTS,
  "emailed code": EXISTS,
  "acceptance of an invitation": EXISTS,
  "acceptance through a provider": EXISTS,
  "provider, linked before": EXISTS,
  "provider, first login of a member": EXISTS,
  "link of a provider": EXISTS,
  "return of a replaced address": EXISTS,
};

const [main, contoso] = [await startFalseProvider(), await startFalseProvider()];
Deno.test.afterAll(async () => {
  for (const provider of [main, contoso]) await provider[Symbol.asyncDispose]();
});
const app = await openSharedTestApp({
  ...main.env,
  SIGN_IN_CODES: "true",
  LOGIN_MAX_ATTEMPTS: "0",
  IDP_PROVIDERS: "contoso",
  ...envOf("contoso", contoso.env),
});
const { db } = app.services;

/** An instance for each setting, on one database. */
const instances = new Map<Setting, TestInstance>();
for (const [name, [settings]] of Object.entries(SETTINGS)) {
  const instance = await openTestInstanceWith(app, settings);
  instances.set(name as Setting, instance);
  Deno.test.afterAll(() => instance[Symbol.asyncDispose]());
}

/** What someone does where the setting holds. */
type Act = (client: TestClient, services: Services) => Promise<Response>;
/** Prepares a way for an address where nothing is restricted. */
type Preparation = (email: string) => Promise<Act>;

const hostOf = (email: string) => `host-of-${email.replace("@", "-at-")}@example.com`;
const person = (email: string) => ({ sub: email, email, email_verified: true, name: "Ada" });
const details = (email: string) => ({ name: "Ada", email, password: PASSWORD });
const throughProvider = (email: string) => (client: TestClient) => signIn(app, main, person(email), client);

/** Someone with another address, logged in where the setting holds. */
async function member(email: string, act: (client: TestClient) => Promise<Response>): Promise<Act> {
  await registerVerifiedUser(app, hostOf(email));
  return async (client) => {
    await logIn(client, hostOf(email));
    return await act(client);
  };
}

async function changeToken(email: string): Promise<string> {
  const { client } = await registerVerifiedUser(app, hostOf(email));
  strictEqual((await client.send("POST", "/api/account/email", { email })).status, 200);
  return await mailedToken(app, email);
}

async function invite(email: string): Promise<void> {
  const { client } = await registerVerifiedUser(app, hostOf(email));
  strictEqual((await client.send("POST", "/api/users", { name: "Ada", email })).status, 201);
}

/** Ways after which the address belongs to an account only if they succeed. */
const OPENING: Record<string, Preparation> = {
  "registration, API": (email) => Promise.resolve((client) => client.send("POST", "/auth/register", details(email))),
  "registration, page": (email) => Promise.resolve((client) => client.submit("/register", details(email))),
  "invitation": (email) => member(email, (client) => client.send("POST", "/api/users", { name: "Ada", email })),
  "command line": (email) =>
    Promise.resolve(async (_client, services) => {
      try {
        return Response.json(await createInvitedUser(services, { name: "Ada", email, by: COMMAND_LINE }));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return Response.json({ details: detailsInEnglish(error) }, { status: error.status });
      }
    }),
  "import": (email) =>
    Promise.resolve(async (_client, services) => {
      const person = { email: email.toLowerCase(), emailVerified: true };
      const { imported, refused } = await importUsers(services, [{ line: 1, person }], { isDryRun: false });
      if (imported === 1) return new Response();
      deepStrictEqual(refused, [{ line: 1, reason: "domain" }]);
      return Response.json({ details: { email: ["Must be an address at other"] } }, { status: 400 });
    }),
  "default provider": (email) => Promise.resolve(throughProvider(email)),
  "another provider": (email) =>
    Promise.resolve((client) => {
      contoso.userinfo = person(email);
      return signInAt("contoso", { client, consent: contoso.consent });
    }),
  async "confirmation of a change, API"(email) {
    const token = await changeToken(email);
    return (client) => client.send("POST", "/auth/confirm-email", { token });
  },
  async "confirmation of a change, page"(email) {
    const token = await changeToken(email);
    return (client) => client.submit("/confirm-email", { token });
  },
};

/** Ways that only send an email to the address. */
const ASKING: Record<string, Preparation> = {
  "change of the address, API": (email) =>
    member(email, (client) => client.send("POST", "/api/account/email", { email })),
  "change of the address, page": (email) => member(email, (client) => client.submit("/settings/email", { email })),
};

const EXISTING: Record<string, Preparation> = {
  async "password"(email) {
    await registerVerifiedUser(app, email);
    return (client) => logIn(client, email);
  },
  async "confirmation of a registration"(email) {
    await registerUser(app, email);
    const token = await mailedToken(app, email);
    return (client) => client.send("POST", "/auth/verify-email", { email, token });
  },
  async "another confirmation link"(email) {
    await registerUser(app, email);
    await app.deliverMails();
    return async (client) => {
      const before = mailsTo(email);
      const response = await client.send("POST", "/auth/resend-verification", { email });
      await app.deliverMails();
      strictEqual(mailsTo(email), before + 1);
      return response;
    };
  },
  async "reset of an unconfirmed account"(email) {
    await registerUser(app, email);
    return async (client) => {
      await client.send("POST", "/auth/forgot-password", { email });
      const token = await mailedToken(app, email);
      return await client.send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
    };
  },
  async "emailed code"(email) {
    await registerUser(app, email);
    return async (client) => {
      await client.send("POST", "/auth/code", { email });
      const code = await mailedCode(app, email);
      return await client.send("POST", "/auth/code/verify", { email, code });
    };
  },
  async "acceptance of an invitation"(email) {
    await invite(email);
    const token = await mailedToken(app, email);
    return (client) => client.send("POST", "/auth/reset-password", { email, token, password: PASSWORD });
  },
  async "acceptance through a provider"(email) {
    await invite(email);
    return throughProvider(email);
  },
  async "provider, linked before"(email) {
    await throughProvider(email)(app.client());
    return throughProvider(email);
  },
  async "provider, first login of a member"(email) {
    await registerVerifiedUser(app, email);
    return throughProvider(email);
  },
  async "link of a provider"(email) {
    await registerVerifiedUser(app, email);
    return async (client) => {
      await logIn(client, email);
      main.userinfo = person(`elsewhere-${email}`);
      const { url } = await (await client.send("POST", "/api/account/identities", { provider: "default" })).json();
      const { pathname, search } = main.consent(url);
      const confirm = new URL((await client.get(pathname + search)).headers.get("Location")!, "http://foyer.test");
      return await client.submit(confirm.pathname, { token: confirm.searchParams.get("token")! });
    };
  },
  async "return of a replaced address"(email) {
    const { client } = await registerVerifiedUser(app, email);
    await client.send("POST", "/api/account/email", { email: hostOf(email) });
    const token = await mailedToken(app, hostOf(email));
    const alert = await mailedToken(app, email);
    strictEqual((await client.send("POST", "/auth/confirm-email", { token })).status, 200);
    return (client) => client.send("POST", "/auth/not-me", { token: alert });
  },
};

function mailsTo(email: string): number {
  return app.mails.filter(({ to }) => to === email).length;
}

async function hasAccount(email: string): Promise<boolean> {
  return await db.selectFrom("users").select("id").where("email", "=", email).executeTakeFirst() !== undefined;
}

/** Says in a word how the app has responded. */
async function resultOf(response: Response): Promise<Result> {
  const { status, headers } = response;
  const location = headers.get("Location");
  if (status < 400) {
    const error = location && new URL(location, "http://foyer.test").searchParams.get("error");
    return error ? `error ${error}` : "done";
  }
  const text = await response.text();
  if (status === 403) {
    match(text, /REGISTRATION_CLOSED|You need an invitation|Registration is closed/);
    return "closed";
  }
  strictEqual(status, 400, text);
  match(
    text,
    /"details":\{"email":\["Must be an address at other|Use an address at a domain|This address can’t be used/,
  );
  return "domain";
}

for (const [way, prepare] of Object.entries({ ...OPENING, ...ASKING, ...EXISTING })) {
  Deno.test(`who may register, against every setting: ${way}`, async () => {
    const results: Record<string, Result> = {};
    for (const [index, [setting, [, domain]]] of Object.entries(SETTINGS).entries()) {
      const email = `${way.replaceAll(/\W+/g, "-")}-${index}@${domain}`.toLowerCase();
      const act = await prepare(email);
      await app.deliverMails();
      const before = mailsTo(email);
      const { client, services } = instances.get(setting as Setting)!;
      const result = await resultOf(await act(client(), services));
      await app.deliverMails();
      const isExpected = way in EXISTING || way in OPENING && result === "done";
      strictEqual(await hasAccount(email), isExpected, `${way} x ${setting}: account`);
      if (result !== "done") strictEqual(mailsTo(email), before, `${way} x ${setting}: emails`);
      results[setting] = result;
    }
    deepStrictEqual(results, TABLE[way]);
  });
}

/** The ways that end in each function that creates an account or changes its address. */
const CALLERS: Record<string, string[]> = {
  "createInvitedUser": ["command line"],
  "importUsers": ["import"],
  "inviteUser": ["invitation"],
  "register": ["registration, API", "registration, page"],
  "confirmEmailChange": ["confirmation of a change, API", "confirmation of a change, page"],
  "revertAddress": ["return of a replaced address"],
  "createIdpUser": ["default provider", "another provider"],
  // By the link of the setup, whatever REGISTRATION says: see first_admin_test.ts.
  "createFirstAdmin": [],
  // The inner part of it.
  "createUser": [],
  // In the database of a rehearsal, which is thrown away.
  "prepareForOlder": [],
};

Deno.test("the table of this file contains every way", async () => {
  const ways = Object.keys({ ...OPENING, ...ASKING, ...EXISTING });
  deepStrictEqual(Object.keys(TABLE).sort(), ways.sort());
  const missing = Object.values(CALLERS).flat().filter((way) => !ways.includes(way));
  deepStrictEqual(missing, []);
  const callers: string[] = [];
  for (const folder of ["lib", "routes"]) {
    for await (const [, text] of sources(new URL(`../../${folder}/`, import.meta.url))) {
      for (
        const { index } of text.matchAll(/(?<!function )\b(createUser|insertUser|insertImportedUsers|changeAddress)\(/g)
      ) {
        const [caller] = [...text.slice(0, index).matchAll(/^(?:export )?async function (\w+)/gm)].slice(-1);
        callers.push(caller?.[1] ?? text.slice(0, index));
      }
    }
  }
  deepStrictEqual(callers.sort(), Object.keys(CALLERS).sort());
});

Deno.test("a refusal does not reveal whether the address has an account", async () => {
  const known = "known@example.com";
  await registerVerifiedUser(app, known);
  await registerVerifiedUser(app, "asking@example.com");
  for (const setting of ["closed", "another domain"] as const) {
    const client = instances.get(setting)!.client();
    await logIn(client, "asking@example.com");
    const answers = async (email: string) => {
      const bodies = [
        await instances.get(setting)!.client().send("POST", "/auth/register", details(email)),
        await client.send("POST", "/api/users", { name: "Ada", email }),
        ...setting === "closed" ? [] : [await client.send("POST", "/api/account/email", { email })],
      ];
      return await Promise.all(bodies.map(async (response) => [response.status, await response.json()]));
    };
    const expected = setting === "closed" ? [403, 403] : [400, 400, 400];
    const refused = await answers(known);
    deepStrictEqual(refused.map(([status]) => status), expected);
    deepStrictEqual(refused, await answers("unknown@example.com"));
  }
});
