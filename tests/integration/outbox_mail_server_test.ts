import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";
import { createSmtpTransport } from "../../lib/mail/transports/smtp.ts";
import { registerUser } from "../support/app/accounts.ts";
import { openTestApp } from "../support/app/test_app.ts";
import { delay } from "../support/delay.ts";
import { startSmtpServer } from "../support/mail/smtp_server.ts";

/** Longer than the pause before the second attempt. */
const PAUSE_SECONDS = 3;
const ANSWER_MS = 1_000;

const server = startSmtpServer();
const app = await openTestApp({}, {
  mail: createSmtpTransport({
    url: server.url,
    from: "Foyer <a@foyer.test>",
    clientName: "foyer.test",
    answerMs: ANSWER_MS,
    acceptanceMs: 30_000,
  }),
});
/** What the server was asked, in order. */
const steps: string[] = [];
Deno.test.afterAll(async () => {
  await app[Symbol.asyncDispose]();
  server[Symbol.dispose]();
});
Deno.test.beforeEach(async () => {
  await app.database.empty();
  server.received.length = steps.length = 0;
  server.dropsAfter = undefined;
  await registerUser(app, "ada@example.com");
});

/** Sets what the server answers to a step. To the others, it says that it accepts them. */
function answerTo(step: string, answer: () => string | null | Promise<string>): void {
  server.answer = (each) => {
    steps.push(each);
    return each === step ? answer() : undefined;
  };
}

async function outcome() {
  const { status, attempts, answer } = await app.services.db.selectFrom("outbox")
    .select(["status", "attempts", "answer"]).executeTakeFirstOrThrow();
  return { status, attempts, answer };
}

const messageIds = () => server.received.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)![1]);

/** Sends what is due now and after the pause. Returns how many emails that were. */
async function deliverTwice(): Promise<[number, number]> {
  const first = await app.deliverMails();
  app.advance(PAUSE_SECONDS);
  return [first, await app.deliverMails()];
}

Deno.test("a mail server that accepts an email late gets it once, in one attempt", async () => {
  answerTo("content", () => delay(ANSWER_MS + 200).then(() => "250 2.0.0 queued"));
  deepStrictEqual(await deliverTwice(), [1, 0]);
  deepStrictEqual(await outcome(), { status: "sent", attempts: 1, answer: null });
  deepStrictEqual(steps.filter((step) => step === "connect" || step === "content"), ["connect", "content"]);
});

Deno.test("an email that the server accepts is sent, even if the connection is lost at that moment", async () => {
  server.dropsAfter = "content";
  answerTo("content", () => "250 2.0.0 queued");
  deepStrictEqual(await deliverTwice(), [1, 0]);
  deepStrictEqual(await outcome(), { status: "sent", attempts: 1, answer: null });
  strictEqual(server.received.length, 1);
});

Deno.test("an email whose acceptance is lost is sent again, with the Message-ID that the server knows", async () => {
  const answers = [null, "250 2.0.0 queued"];
  answerTo("content", () => answers.shift()!);
  strictEqual(await app.deliverMails(), 1);
  deepStrictEqual(await outcome(), { status: "pending", attempts: 1, answer: null });
  app.advance(PAUSE_SECONDS);
  deepStrictEqual(await deliverTwice(), [1, 0]);
  deepStrictEqual(await outcome(), { status: "sent", attempts: 2, answer: null });
  const [first, second] = messageIds();
  deepStrictEqual([second, server.received.length], [first, 2]);
});

Deno.test("an email that a mail server accepts and then forgets can be asked for again, and is another one", async () => {
  answerTo("content", () => "250 2.0.0 queued");
  strictEqual(await app.deliverMails(), 1);
  const body = { email: "ada@example.com" };
  strictEqual((await app.client().send("POST", "/auth/resend-verification", body)).status, 200);
  deepStrictEqual(await deliverTwice(), [1, 0]);
  const [first, second] = messageIds();
  strictEqual(server.received.length, 2);
  notStrictEqual(first, second);
});
