import { deepStrictEqual, ok } from "node:assert/strict";
import { MAIL_KINDS, mailDeclaration, type MailKind } from "../../lib/mail/kinds.ts";
import { mailsTo, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp, openTestInstanceWith } from "../support/app/test_app.ts";

const app = await openSharedTestApp({
  LIMIT_LOGIN: "off",
  LIMIT_ACCOUNT: "1/60",
  SIGN_IN_CODES: "true",
});
const { db } = app.services;
/** The same service where no one gets a new password. */
const withoutPasswords = await openTestInstanceWith(app, { passwords: "existing" });
Deno.test.afterAll(() => withoutPasswords[Symbol.asyncDispose]());
/** The same service where addresses of the tests log in through a provider only. */
const withProvider = await openTestInstanceWith(app, {
  signInDomains: [{ domain: "example.com", provider: "contoso" }],
});
Deno.test.afterAll(() => withProvider[Symbol.asyncDispose]());
const PASSWORD = "Correct-horse-7";
/** More than any limit allows. */
const TURNS = 5;
let strangers = 0;

/** A new account, which nobody has confirmed. */
const stranger = () => registerUser(app, `stranger-${++strangers}@example.com`);
const post = (path: string, body: object) => app.client().send("POST", path, body);

async function deleteAccountOf(email: string): Promise<void> {
  await db.deleteFrom("users").where("email", "=", email).execute();
}

/** How someone else's request emails a recipient. */
interface Flood {
  /** What the recipient has. By default, an account with a confirmed address. */
  recipient?: "nothing" | "second factor";
  /** Most emails of this kind in an hour. */
  most: number;
  cause(to: string): Promise<Response>;
}

/** How strangers cause each kind of email that they can. */
const FLOODS: Partial<Record<MailKind, Flood>> = {
  verification: {
    recipient: "nothing",
    most: 3,
    async cause(email) {
      await deleteAccountOf(email);
      return await post("/auth/register", { name: "Eve", email, password: PASSWORD });
    },
  },
  reset: { most: 3, cause: (email) => post("/auth/forgot-password", { email }) },
  sign_in_code: { most: 3, cause: (email) => post("/auth/code", { email }) },
  invitation: {
    recipient: "nothing",
    most: 3,
    async cause(email) {
      await deleteAccountOf(email);
      const { client } = await registerVerifiedUser(app, `inviter-${++strangers}@example.com`);
      return await client.send("POST", "/api/users", { name: "Tom", email });
    },
  },
  invitation_link: {
    recipient: "nothing",
    most: 3,
    async cause(email) {
      await deleteAccountOf(email);
      const { client: { cookies } } = await registerVerifiedUser(app, `inviter-${++strangers}@example.com`);
      const client = withoutPasswords.client();
      for (const [name, value] of cookies) client.cookies.set(name, value);
      return await client.send("POST", "/api/users", { name: "Tom", email });
    },
  },
  invitation_provider: {
    recipient: "nothing",
    most: 3,
    async cause(email) {
      await deleteAccountOf(email);
      const { client: { cookies } } = await registerVerifiedUser(app, `inviter-${++strangers}@example.org`);
      const client = withProvider.client();
      for (const [name, value] of cookies) client.cookies.set(name, value);
      return await client.send("POST", "/api/users", { name: "Tom", email });
    },
  },
  email_change: {
    recipient: "nothing",
    most: 3,
    cause: async (email) => await (await stranger()).client.send("POST", "/api/account/email", { email }),
  },
  email_in_use: {
    most: 3,
    cause: async (email) => await (await stranger()).client.send("POST", "/api/account/email", { email }),
  },
  factor_reset: {
    recipient: "second factor",
    most: 3,
    cause: async (email) => await (await startLogin(app, email)).submit("/second-factor", { action: "lost", code: "" }),
  },
  many_wrong_passwords: {
    most: 1,
    cause(email) {
      app.advance(60);
      return post("/auth/login", { email, password: "Wrong-horse-77" });
    },
  },
  many_wrong_codes: {
    recipient: "second factor",
    most: 3,
    async cause(email) {
      const client = await startLogin(app, email);
      const enter = () => client.send("POST", "/auth/second-factor", { code: "ZZZZ-ZZZZ-ZZZZ-ZZZZ" });
      for (let tries = 0; tries < 4; tries++) await enter();
      return await enter();
    },
  },
};

async function prepare({ recipient = "account" as const }: { recipient?: Flood["recipient"] | "account" }, to: string) {
  if (recipient === "nothing") return;
  const { client } = await registerVerifiedUser(app, to);
  if (recipient === "second factor") await enableTotp(app, client);
}

/** What a client sees of a response: cookies and ids differ. */
async function seen(response: Response): Promise<unknown[]> {
  const text = await response.text();
  const { message, code } = text.startsWith("{") ? JSON.parse(text) : {};
  return [response.status, message, code];
}

Deno.test("each kind of email that strangers can cause is tried", () => {
  const kinds = MAIL_KINDS.filter((kind) => mailDeclaration(kind).causedBy === "stranger");
  deepStrictEqual(Object.keys(FLOODS).sort(), kinds.sort());
});

for (const [kind, flood] of Object.entries(FLOODS)) {
  Deno.test(`strangers send a recipient few emails of the kind ${kind}, and are not told which were sent`, async () => {
    const to = `recipient-of-${kind.replaceAll("_", "-")}@example.com`;
    await prepare(flood, to);
    const before = (await mailsTo(app, to)).length;
    const counts: number[] = [];
    const responses: unknown[][] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      responses.push(await seen(await flood.cause(to)));
      counts.push((await mailsTo(app, to)).length - before);
    }
    deepStrictEqual(counts, Array.from({ length: TURNS }, (_, turn) => Math.min(turn + 1, flood.most)));
    deepStrictEqual(responses, Array(TURNS).fill(responses[0]));
    ok(flood.most <= 3);
  });
}

Deno.test("LIMIT_MAIL_ADDRESS says how many emails of a kind an address gets, or that there is no limit", async () => {
  for (const [limit, most] of [["5/60", 5], ["off", 7]] as const) {
    await using app = await openTestApp({ LIMIT_MAIL_ADDRESS: limit });
    const { email } = await registerVerifiedUser(app, "tested@example.com");
    for (let i = 0; i < 7; i++) await app.client().send("POST", "/auth/forgot-password", { email });
    await app.deliverMails();
    const count = async () =>
      (await app.services.db.selectFrom("outbox").select("id").where("kind", "=", "reset").execute()).length;
    deepStrictEqual(await count(), most, limit);
    app.advance(61);
    await app.client().send("POST", "/auth/forgot-password", { email });
    deepStrictEqual(await count(), most + 1, limit);
  }
});
