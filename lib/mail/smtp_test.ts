import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { type SmtpServer, startSmtpServer } from "../../tests/support/mail/smtp_server.ts";
import { errorFields } from "../log.ts";
import type { MailTransport } from "../services.ts";
import { DeliveryError } from "../queue/delivery_error.ts";
import { createSmtpTransport } from "./smtp.ts";

const MAIL = {
  to: "möbius@example.com",
  subject: "Grüße an dich",
  html: "<p>Guten Tag, 世界</p>",
  text: "Guten Tag, 世界\n.\nEnde",
};
const ID = "0199c0de-0000-7000-8000-000000000001";
const ENDED = /Connection closed|Timeout|Greeting never received/;

function transportTo({ url }: { url: string }): MailTransport {
  return createSmtpTransport({
    url,
    from: "Foyer <no-reply@foyer.test>",
    clientName: "foyer.test",
    answerMs: 150,
    acceptanceMs: 600,
  });
}

async function failureOf(server: SmtpServer): Promise<DeliveryError> {
  const error: unknown = await transportTo(server).send(MAIL, ID).then(() => undefined, (error) => error);
  ok(error instanceof DeliveryError, String(error));
  return error;
}

Deno.test("a mail server gets the email, with the same Message-ID at every attempt", async () => {
  using server = startSmtpServer();
  const transport = transportTo(server);
  await transport.send({ ...MAIL, to: "ada@example.com" }, ID);
  await transport.send({ ...MAIL, to: "ada@example.com" }, ID);
  const [first, second] = server.received;
  deepStrictEqual([first.from, first.to], ["no-reply@foyer.test", "ada@example.com"]);
  for (const { source } of [first, second]) match(source, new RegExp(`^Message-ID: <${ID}@foyer.test>$`, "mi"));
  match(first.source, /^From: Foyer <no-reply@foyer.test>$/m);
  match(first.source, /^Content-Type: multipart\/alternative;/m);
  match(first.source, /^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe_an_dich\?=$/m);
  strictEqual(server.received.length, 2);
});

Deno.test("a recipient that the server refuses for good is final, and its answer is in the error", async () => {
  using server = startSmtpServer();
  server.answer = (step) => step === "RCPT TO" ? "550 5.1.1 no such user" : undefined;
  const { isFinal, message, answer } = await failureOf(server);
  strictEqual(isFinal, true);
  strictEqual(answer, "550 5.1.1 no such user");
  strictEqual(message, "The mail server refused the recipient: 550 5.1.1 no such user");
});

Deno.test("what is logged of an answer that quotes the email holds neither its code nor its link nor its recipient", async () => {
  using server = startSmtpServer();
  const quoted = `68161952, 6816 1952 is your code, https://foyer.test/not-me?token=T, ${MAIL.to}`;
  for (const step of ["RCPT TO", "content"]) {
    server.answer = (at) => at === step ? `554 5.7.1 spam: ${quoted}` : undefined;
    const error = await failureOf(server);
    const logged = JSON.stringify([errorFields(error), error.answer]);
    match(logged, /spam: \[code\], \[code\] is your code/, step);
    doesNotMatch(logged, /6816|1952|token=|bius@/, step);
  }
});

Deno.test("every other failure is retried", async (t) => {
  const failures: [step: string, answer: string | null][] = [
    ["connect", "421 busy"],
    ["connect", null],
    ["EHLO", null],
    ["MAIL FROM", "553 5.7.1 sender not allowed"],
    ["MAIL FROM", null],
    ["RCPT TO", "451 4.7.1 greylisted"],
    ["RCPT TO", null],
    ["DATA", "452 4.3.1 disk full"],
    ["content", "554 5.7.1 looks like spam"],
    ["content", null],
  ];
  for (const [step, answer] of failures) {
    await t.step(`${step}: ${answer ?? "drops the connection"}`, async () => {
      using server = startSmtpServer();
      server.answer = (each) => each === step ? answer : undefined;
      const { isFinal, message } = await failureOf(server);
      strictEqual(isFinal, false);
      match(message, answer === null ? ENDED : new RegExp(answer));
    });
  }
});

Deno.test("a server that stalls ends the attempt, and may take longer once it has the email", async (t) => {
  for (const step of ["connect", "EHLO", "MAIL FROM", "RCPT TO", "DATA", "content"]) {
    await t.step(step, async () => {
      using server = startSmtpServer();
      server.answer = (each) => each === step ? Promise.withResolvers<never>().promise : undefined;
      const startedAt = performance.now();
      const { isFinal, message } = await failureOf(server);
      const ms = performance.now() - startedAt;
      strictEqual(isFinal, false);
      match(message, ENDED);
      strictEqual(ms > 500, step === "content", `${ms} ms`);
      strictEqual(server.received.length, step === "content" ? 1 : 0);
    });
  }
});

Deno.test("without TLS, an email goes to no other machine, and no password is sent", async () => {
  using server = startSmtpServer("127.0.0.2"); // an address of this machine that the transport does not know as such
  const seen: string[] = [];
  server.answer = (step) => void seen.push(step);
  const transport = transportTo({ url: server.url.replace("//", "//foyer:hunter2@") });
  await rejects(transport.send(MAIL, ID), (error) => !Deno.inspect(error).includes("hunter2"));
  deepStrictEqual(seen, ["connect", "EHLO", "STARTTLS"]);
});

Deno.test("a mail server on this machine gets emails without TLS, whatever its certificate, but no password", async () => {
  using server = startSmtpServer();
  const seen: string[] = [];
  server.answer = (step) => {
    if (step !== "QUIT") seen.push(step);
    if (step === "STARTTLS") return null;
    return step === "EHLO" ? "250-mail.test\r\n250-AUTH PLAIN\r\n250 STARTTLS" : undefined;
  };
  await transportTo(server).send(MAIL, ID);
  deepStrictEqual(seen, ["connect", "EHLO", "MAIL FROM", "RCPT TO", "DATA", "content"]);
  seen.length = 0;
  await rejects(transportTo({ url: server.url.replace("//", "//foyer:hunter2@") }).send(MAIL, ID));
  deepStrictEqual(seen, ["connect", "EHLO", "STARTTLS"]);
});

Deno.test("a server that cannot be reached is an error without the password", async () => {
  const { url, [Symbol.dispose]: close } = startSmtpServer();
  close();
  await rejects(
    transportTo({ url: url.replace("//", "//foyer:hunter2@") }).send(MAIL, ID),
    (error) => error instanceof DeliveryError && !Deno.inspect(error).includes("hunter2"),
  );
});
