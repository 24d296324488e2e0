import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert/strict";
import { type SmtpServer, startSmtpServer } from "../../../tests/support/mail/smtp_server.ts";
import { errorFields } from "../../log/log.ts";
import type { MailTransport } from "../../services/services.ts";
import { DeliveryError } from "../../queue/delivery_error.ts";
import { createSmtpTransport } from "./smtp.ts";

const MAIL = {
  to: "möbius@example.com",
  subject: "Grüße an dich",
  html: "<p>Guten Tag, 世界</p>",
  text: "Guten Tag, 世界\n.\nEnde",
};
const ID = "0199c0de-0000-7000-8000-000000000001";
const ENDED = /Connection closed|Timeout|Greeting never received/;

/** How long a transport waits. A busy machine may take a second for an answer. */
const PATIENT = { answerMs: 30_000, acceptanceMs: 30_000 };
const IMPATIENT = { answerMs: 150, acceptanceMs: 1_500 };

function transportTo({ url }: { url: string }, limits = PATIENT): MailTransport {
  return createSmtpTransport({ url, from: "Foyer <no-reply@foyer.test>", clientName: "foyer.test", ...limits });
}

async function failureOf(server: SmtpServer, limits = PATIENT): Promise<DeliveryError> {
  const error: unknown = await transportTo(server, limits).send(MAIL, ID).then(() => undefined, (error) => error);
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
  match(first.source, /^Auto-Submitted: auto-generated$/m);
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
      const { isFinal, message } = await failureOf(server, IMPATIENT);
      const ms = performance.now() - startedAt;
      strictEqual(isFinal, false);
      match(message, ENDED);
      strictEqual(ms >= IMPATIENT.acceptanceMs - 10, step === "content", `${ms} ms`);
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

const withPassword = ({ url }: SmtpServer) => ({ url: url.replace("//", "//foyer:hunter2@") });

Deno.test("trying a mail server out logs in, and sends nothing", async () => {
  using server = startSmtpServer();
  const seen: string[] = [];
  server.answer = (step) => {
    if (step !== "QUIT") seen.push(step);
    return step === "EHLO" ? "250-mail.test\r\n250 AUTH PLAIN" : step === "AUTH" ? "235 welcome" : undefined;
  };
  const { host } = new URL(server.url);
  strictEqual(await transportTo(server).tryOut!(), `${host}, without TLS, without a login`);
  strictEqual(await transportTo(withPassword(server)).tryOut!(), `${host}, without TLS, logged in as foyer`);
  deepStrictEqual(seen, ["connect", "EHLO", "connect", "EHLO", "AUTH"]);
});

Deno.test("trying out a mail server fails where an email would, and names the server and the cause, not the password", async () => {
  const refusals: [step: string, answer: string | null, cause: RegExp][] = [
    ["connect", "554 you are blocked", /554 you are blocked/],
    ["connect", null, ENDED],
    ["AUTH", "535 5.7.8 wrong password", /535 5\.7\.8 wrong password/],
  ];
  for (const [step, answer, cause] of refusals) {
    using server = startSmtpServer();
    server.answer = (each) => each === step ? answer : each === "EHLO" ? "250-mail.test\r\n250 AUTH PLAIN" : undefined;
    await rejects(transportTo(withPassword(server)).tryOut!(), (error: Error) => {
      ok(error.message.startsWith(`${new URL(server.url).host}: `), error.message);
      match(error.message, cause);
      return !Deno.inspect(error).includes("hunter2");
    });
  }
  const closed = startSmtpServer();
  closed[Symbol.dispose]();
  await rejects(transportTo(closed).tryOut!(), /ECONNREFUSED|refused/);
  using plain = startSmtpServer();
  await rejects(transportTo({ url: plain.url.replace("smtp:", "smtps:") }).tryOut!(), /try smtp:\/\//);
  using remote = startSmtpServer("127.0.0.2"); // as another machine, which offers no TLS
  await rejects(transportTo(withPassword(remote)).tryOut!(), /127\.0\.0\.2:\d+: .*STARTTLS|TLS/i);
});
