import { strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { AccountModel } from "../support/account_model.ts";
import { openSharedTestApp } from "../support/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const PASSWORDS = ["Correct-horse-7", "Another-horse-8"];
const PASSWORD_CHANGED = "password was changed";
const PAUSES = [1, HOUR_SECONDS / 2, HOUR_SECONDS, 10 * HOUR_SECONDS, DAY_SECONDS, 4 * DAY_SECONDS];

// Few clients, accounts and tokens, so that most steps act on what earlier steps have changed.
const client = fc.constantFrom(0, 0, 1);
const account = fc.constantFrom(0, 0, 0, 1);
const password = fc.constantFrom(0, 0, 1);
const token = fc.constantFrom(0, 0, 0, 1, 2);

type Step =
  | { do: "register" | "login"; client: number; account: number; password: number }
  | { do: "verify" | "reject"; client: number; account: number; token: number }
  | { do: "reset"; account: number; token: number; password: number }
  | { do: "resend" | "forgot"; account: number }
  | { do: "logout" | "profile"; client: number }
  | { do: "changePassword"; client: number; current: number; password: number }
  | { do: "endOthers" | "close" | "keep"; client: number }
  | { do: "notMe"; account: number; token: number }
  | { do: "wait"; pause: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("register" as const, "login" as const), client, account, password }),
  fc.record({ do: fc.constantFrom("login" as const), client, account, password }),
  fc.record({ do: fc.constantFrom("verify" as const, "verify" as const, "reject" as const), client, account, token }),
  fc.record({ do: fc.constant("reset" as const), account, token, password }),
  fc.record({ do: fc.constantFrom("resend" as const, "forgot" as const), account }),
  fc.record({ do: fc.constantFrom("logout" as const, "profile" as const, "profile" as const), client }),
  fc.record({ do: fc.constant("changePassword" as const), client, current: password, password }),
  fc.record({ do: fc.constantFrom("endOthers" as const, "close" as const, "keep" as const), client }),
  fc.record({ do: fc.constant("notMe" as const), account, token }),
  fc.record({ do: fc.constant("wait" as const), pause: fc.nat(PAUSES.length - 1) }),
);

/** Sequences begin with the first steps of this, because few random ones get so far. */
const OPENING: Step[] = [
  { do: "register", client: 0, account: 0, password: 0 },
  { do: "verify", client: 0, account: 0, token: 0 },
  { do: "changePassword", client: 0, current: 0, password: 1 },
];

Deno.test("the app agrees with the model after every step of any sequence", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 2, 3),
      fc.array(step, { minLength: 10, maxLength: 30, size: "max" }),
      (length, steps) => runSteps([...OPENING.slice(0, length), ...steps]),
    ),
    { numRuns: 50 },
  );
});

async function runSteps(steps: Step[]): Promise<void> {
  await app.database.truncate();
  app.mails.length = 0;
  const model = new AccountModel();
  const clients = [app.client(), app.client(), app.client()];
  for (const [index, step] of steps.entries()) {
    const [actual, expected] = [await act(step, clients), predict(step, model)];
    strictEqual(actual, expected, `step ${index}: ${JSON.stringify(step)}`);
    while (await app.deliverMails() > 0);
  }
  for (const [index, client] of clients.entries()) {
    strictEqual((await client.get("/api/profile")).status, model.profile(index), `client ${index} at the end`);
  }
}

async function act(step: Step, clients: ReturnType<typeof app.client>[]): Promise<number | void> {
  const caller = "client" in step ? clients[step.client] : app.client();
  const email = "account" in step ? `account${step.account}@example.com` : "";
  const post = async (path: string, body: object) => (await caller.send("POST", path, { email, ...body })).status;
  switch (step.do) {
    case "register":
      return await post("/auth/register", { name: "Model", password: PASSWORDS[step.password] });
    case "login":
      return await post("/auth/login", { password: PASSWORDS[step.password] });
    case "verify":
      return await post("/auth/verify-email", { token: emailedToken(email, "verify-email", step.token) });
    case "reject":
      return await post("/auth/verify-email", { token: emailedToken(email, "verify-email", step.token), reject: true });
    case "reset":
      return await post("/auth/reset-password", {
        token: emailedToken(email, "reset-password", step.token),
        password: PASSWORDS[step.password],
      });
    case "resend":
      return await post("/auth/resend-verification", {});
    case "forgot":
      return await post("/auth/forgot-password", {});
    case "logout":
      return (await caller.request("/auth/logout", { method: "POST" })).status;
    case "profile":
      return (await caller.get("/api/profile")).status;
    case "changePassword": {
      const passwords = { currentPassword: PASSWORDS[step.current], newPassword: PASSWORDS[step.password] };
      return (await caller.send("PUT", "/api/account/password", passwords)).status;
    }
    case "endOthers":
      return (await caller.request("/api/account/sessions/end-others", { method: "POST" })).status;
    case "close":
      return (await caller.request("/api/account", { method: "DELETE" })).status;
    case "keep":
      return (await caller.request("/api/account/restore", { method: "POST" })).status;
    case "notMe":
      return await post("/auth/not-me", { token: emailedToken(email, "not-me", step.token, PASSWORD_CHANGED) });
    case "wait":
      return app.advance(PAUSES[step.pause]);
  }
}

/** The token in the n-th email of this kind to the current account of the address. */
function emailedToken(email: string, page: string, index: number, about = ""): string {
  const mails = app.mails.filter(({ to, subject }) => to === email && subject.includes(about));
  const links = mails.filter(({ text }) => text.includes(`/${page}?`)).map(({ text }) => text);
  return links[index]?.match(/token=([\w-]+)/)?.[1] ?? "none";
}

function predict(step: Step, model: AccountModel): number | void {
  switch (step.do) {
    case "register":
    case "login":
      return model[step.do](step.client, step.account, PASSWORDS[step.password]);
    case "verify":
      return model.verify(step.client, step.account, step.token);
    case "reject": {
      const status = model.reject(step.client, step.account, step.token);
      if (status === 200) removeMails(`account${step.account}@example.com`);
      return status;
    }
    case "reset":
      return model.reset(step.account, step.token, PASSWORDS[step.password]);
    case "resend":
    case "forgot":
      return model[step.do](step.account);
    case "logout":
    case "profile":
    case "endOthers":
    case "close":
    case "keep":
      return model[step.do](step.client);
    case "changePassword":
      return model.changePassword(step.client, PASSWORDS[step.current], PASSWORDS[step.password]);
    case "notMe":
      return model.notMe(step.account, step.token);
    case "wait":
      model.now += PAUSES[step.pause];
  }
}

/** Removes the emails of a deleted account, so that a new account of the address starts without links. */
function removeMails(email: string): void {
  app.mails.splice(0, app.mails.length, ...app.mails.filter(({ to }) => to !== email));
}
