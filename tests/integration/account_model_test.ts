import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";
import { AccountModel } from "../support/random/account_model.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

/** `FUZZ_RUNS=2000 deno task test integration --filter=model` searches longer. */
const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 50);
const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
app.services.config.pbkdf2Iterations = 1_000; // so that steps are fast, as are intervals: some responses wait for the next
const { setInterval } = globalThis;
globalThis.setInterval = ((act: () => void) => setInterval(act, 1)) as typeof setInterval;

const PASSWORDS = ["Correct-horse-7", "Another-horse-8"];
const PAUSES = [1, HOUR_SECONDS / 2, HOUR_SECONDS, 10 * HOUR_SECONDS, DAY_SECONDS, 4 * DAY_SECONDS];

// Few clients, addresses and links, so that most steps act on what earlier steps have changed.
const client = fc.constantFrom(0, 0, 0, 1, 1, 2);
const address = fc.constantFrom(0, 0, 0, 1, 1, 2);
const password = fc.constantFrom(0, 0, 1);
/** The place of a link among those of its kind to the address. The newest has index 0. */
const index = fc.constantFrom(0, 0, 0, 1, 2);

type Step =
  | { do: "register" | "login"; client: number; address: number; password: number }
  | { do: "verify" | "reject"; client: number; address: number; index: number }
  | { do: "confirmEmail" | "notMe"; address: number; index: number }
  | { do: "reset"; client: number; address: number; index: number; password: number }
  | { do: "resend" | "forgot"; address: number }
  | { do: "logout" | "profile" | "endOthers" | "close" | "keep"; client: number }
  | { do: "changeEmail"; client: number; address: number }
  | { do: "changePassword"; client: number; current: number; password: number }
  | { do: "wait"; pause: number };

const login = fc.record({ do: fc.constant("login" as const), client, address, password });
const changeEmail = fc.record({ do: fc.constant("changeEmail" as const), client, address });
const useLink = fc.record({ do: fc.constantFrom("confirmEmail" as const, "notMe" as const), address, index });
const step: fc.Arbitrary<Step> = fc.oneof(
  login,
  login,
  fc.record({ do: fc.constant("register" as const), client, address, password }),
  fc.record({ do: fc.constantFrom("verify" as const, "verify" as const, "reject" as const), client, address, index }),
  fc.record({ do: fc.constant("reset" as const), client, address, index, password }),
  fc.record({ do: fc.constantFrom("resend" as const, "forgot" as const), address }),
  fc.record({ do: fc.constantFrom("logout" as const, "profile" as const, "profile" as const), client }),
  fc.record({ do: fc.constantFrom("endOthers" as const, "close" as const, "keep" as const), client }),
  fc.record({ do: fc.constant("changePassword" as const), client, current: password, password }),
  changeEmail,
  changeEmail,
  useLink,
  useLink,
  useLink,
  fc.record({ do: fc.constant("wait" as const), pause: fc.nat(PAUSES.length - 1) }),
);

/** Sequences begin with one of these or its first steps, because few random ones get so far. */
const OPENINGS: Step[][] = [
  [
    { do: "register", client: 0, address: 0, password: 0 },
    { do: "verify", client: 0, address: 0, index: 0 },
    { do: "changePassword", client: 0, current: 0, password: 1 },
  ],
  [
    { do: "register", client: 0, address: 0, password: 0 },
    { do: "verify", client: 0, address: 0, index: 0 },
    { do: "wait", pause: 0 },
    { do: "login", client: 1, address: 0, password: 0 },
    { do: "changeEmail", client: 1, address: 1 },
    { do: "confirmEmail", address: 1, index: 0 },
  ],
  [
    { do: "register", client: 0, address: 0, password: 0 },
    { do: "verify", client: 0, address: 0, index: 0 },
    { do: "register", client: 1, address: 1, password: 0 },
    { do: "changeEmail", client: 1, address: 2 },
    { do: "changeEmail", client: 0, address: 2 },
    { do: "confirmEmail", address: 2, index: 0 },
    { do: "changeEmail", client: 0, address: 0 },
  ],
];

Deno.test("the app agrees with the model after every step of any sequence", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...OPENINGS),
      fc.option(fc.nat(6), { nil: undefined, freq: 1 }),
      fc.array(step, { minLength: 10, maxLength: 30, size: "max" }),
      (opening, length, steps) => runSteps([...opening.slice(0, length), ...steps]),
    ),
    { numRuns: RUNS },
  );
});

async function runSteps(steps: Step[]): Promise<void> {
  await app.database.empty();
  app.mails.length = 0;
  const model = new AccountModel();
  const clients = [app.client(), app.client(), app.client()];
  for (const [index, step] of steps.entries()) {
    for (const clock of [app, model]) clock.advance(1); // so that no two links are equally new
    const [actual, expected] = [await act(step, clients), predict(step, model)];
    strictEqual(actual, expected, `step ${index}: ${JSON.stringify(step)} of ${JSON.stringify(steps)}`);
    await app.deliverMails();
    const sent = model.mail.sent().map(({ page, address }) => `${page} ${addressOf(address)}`);
    deepStrictEqual(emailedLinks(), sent.sort(), `the emails after step ${index}: ${JSON.stringify(step)}`);
  }
  for (const [index, client] of clients.entries()) {
    strictEqual((await client.get("/api/profile")).status, model.profile(index), `client ${index} at the end`);
  }
}

async function act(step: Step, clients: ReturnType<typeof app.client>[]): Promise<number | void> {
  const caller = "client" in step ? clients[step.client] : app.client();
  const email = "address" in step ? addressOf(step.address) : "";
  const password = "password" in step ? PASSWORDS[step.password] : "";
  const send = async (method: "POST" | "PUT", path: string, body: object) =>
    (await caller.send(method, path, body)).status;
  const act = async (method: string, path: string) => (await caller.request(path, { method })).status;
  switch (step.do) {
    case "register":
      return await send("POST", "/auth/register", { name: "Model", email, password });
    case "login":
      return await send("POST", "/auth/login", { email, password });
    case "verify":
    case "reject": {
      const token = emailedToken("verify-email", step);
      return await send("POST", "/auth/verify-email", { email, token, reject: step.do === "reject" });
    }
    case "reset":
      return await send("POST", "/auth/reset-password", {
        email,
        token: emailedToken("reset-password", step),
        password,
      });
    case "resend":
      return await send("POST", "/auth/resend-verification", { email });
    case "forgot":
      return await send("POST", "/auth/forgot-password", { email });
    case "changePassword":
      return await send("PUT", "/api/account/password", {
        currentPassword: PASSWORDS[step.current],
        newPassword: password,
      });
    case "changeEmail":
      return await send("POST", "/api/account/email", { email });
    case "confirmEmail":
      return await send("POST", "/auth/confirm-email", { token: emailedToken("confirm-email", step) });
    case "notMe":
      return await send("POST", "/auth/not-me", { token: emailedToken("not-me", step) });
    case "profile":
      return await act("GET", "/api/profile");
    case "logout":
      return await act("POST", "/auth/logout");
    case "endOthers":
      return await act("POST", "/api/account/sessions/end-others");
    case "close":
      return await act("DELETE", "/api/account");
    case "keep":
      return await act("POST", "/api/account/restore");
    case "wait":
      return app.advance(PAUSES[step.pause]);
  }
}

/** The token in an email to the address whose link leads to the page. */
function emailedToken(page: string, { address, index }: { address: number; index: number }): string {
  const mails = app.mails.filter(({ to, text }) => to === addressOf(address) && text.includes(`/${page}?`));
  return mails.at(-1 - index)?.text.match(/token=([\w-]+)/)?.[1] ?? "none";
}

/** The pages and addresses of all emailed links. */
function emailedLinks(): string[] {
  const pages = app.mails.map(({ to, text }) => ({ to, page: text.match(/\/([\w-]+)\?\S*token=/)?.[1] }));
  return pages.filter(({ page }) => page !== undefined).map(({ to, page }) => `${page} ${to}`).sort();
}

function addressOf(address: number): string {
  return `account${address}@example.com`;
}

function predict(step: Step, model: AccountModel): number | void {
  switch (step.do) {
    case "register":
    case "login":
      return model[step.do](step.client, step.address, PASSWORDS[step.password]);
    case "verify":
    case "reject":
      return model[step.do](step.client, step.address, step.index);
    case "confirmEmail":
    case "notMe":
      return model[step.do](step.address, step.index);
    case "reset":
      return model.reset(step.client, step.address, step.index, PASSWORDS[step.password]);
    case "resend":
    case "forgot":
      return model[step.do](step.address);
    case "logout":
    case "profile":
    case "endOthers":
    case "close":
    case "keep":
      return model[step.do](step.client);
    case "changePassword":
      return model.changePassword(step.client, PASSWORDS[step.current], PASSWORDS[step.password]);
    case "changeEmail":
      return model.changeEmail(step.client, step.address);
    case "wait":
      return model.advance(PAUSES[step.pause]);
  }
}
