import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { Readable } from "node:stream";
import { SECOND_MS } from "../../duration.ts";
import { messageOf } from "../../log/log.ts";
import { LOOPBACK_NAMES } from "../../network/loopback.ts";
import { DeliveryError } from "../../queue/delivery_error.ts";
import type { Mail, MailTransport } from "../../services/services.ts";
import { MAIL_HEADERS } from "./headers.ts";
import { safeAnswer } from "./safe_answer.ts";

/** How long the server may take for each answer. */
const ANSWER_MS = 10 * SECOND_MS;
/** How long it may take to accept what it has received: some scan an email first. Source: RFC 5321, 4.5.3.2.6. */
const ACCEPTANCE_MS = 60 * SECOND_MS;
/** No attempt takes longer. */
const LONGEST_ATTEMPT_SECONDS = 120;
const [SUBMISSION_PORT, SECURE_PORT] = [587, 465];

/** How to reach the mail server. */
export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the start. */
  url: string;
  /** The sender of every email. */
  from: string;
  /** The name of this host, for the server's log. */
  clientName: string;
  /** Certificates to trust instead of the system's. */
  ca?: string;
  answerMs?: number;
  acceptanceMs?: number;
}

/**
 * Creates a transport that delivers to a mail server. Without TLS, it sends only to this machine. An email keeps its
 * Message-ID over all attempts, by which receivers recognize one that the server accepted without our noticing.
 */
export function createSmtpTransport(
  { url, from, clientName, ca, answerMs = ANSWER_MS, acceptanceMs = ACCEPTANCE_MS }: SmtpOptions,
): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const secure = protocol === "smtps:";
  const isLocal = LOOPBACK_NAMES.includes(hostname);
  const options = {
    host,
    port: Number(port) || (secure ? SECURE_PORT : SUBMISSION_PORT),
    secure,
    requireTLS: !secure && !isLocal,
    // Debian's mail servers offer TLS with a certificate that no one has signed but they themselves.
    ignoreTLS: isLocal && username === "",
    name: clientName,
    tls: { ca },
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    dnsTimeout: answerMs,
    socketTimeout: answerMs,
  };
  const credentials = username === ""
    ? undefined
    : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    async send(mail, idempotencyKey) {
      const message = await compose(mail, from, idempotencyKey);
      const connection = new SMTPConnection(options);
      try {
        await deliver(connection, { message, credentials, acceptanceMs });
        connection.quit();
      } catch (error) {
        connection.close();
        throw deliveryErrorOf(error, mail.to);
      }
    },
    async tryOut() {
      const connection = new SMTPConnection(options);
      try {
        using steps = stepsOf(connection);
        await logIn(connection, { steps, credentials });
        connection.quit();
      } catch (error) {
        connection.close();
        throw new DeliveryError(`${host}:${options.port}: ${messageOf(error)}`);
      }
      const login = credentials === undefined ? "without a login" : `logged in as ${credentials.user}`;
      return `${host}:${options.port}, ${connection.secure ? "with TLS" : "without TLS"}, ${login}`;
    },
  };
}

async function compose({ to, subject, html, text }: Mail, from: string, id: string): Promise<Message> {
  const domain = /@([^@>\s]+)/.exec(from)![1];
  const root = new MailComposer({
    from,
    to,
    subject,
    html,
    text,
    messageId: `<${id}@${domain}>`,
    headers: MAIL_HEADERS,
  }).compile();
  return { envelope: root.getEnvelope(), bytes: await root.build() };
}

interface Message {
  envelope: SMTPConnection.Envelope;
  bytes: Buffer;
}

interface Credentials {
  user: string;
  pass: string;
}

interface Delivery {
  message: Message;
  credentials?: Credentials;
  acceptanceMs: number;
}

async function deliver(connection: SMTPConnection, { message, credentials, acceptanceMs }: Delivery): Promise<void> {
  using steps = stepsOf(connection);
  await logIn(connection, { steps, credentials });
  const content = Readable.from((function* () {
    // The server has answered DATA. From now on, it may take longer.
    if (connection._socket) connection._socket.setTimeout(acceptanceMs);
    yield message.bytes;
  })());
  await steps.run((done) => connection.send(message.envelope, content, done));
}

async function logIn(
  connection: SMTPConnection,
  { steps, credentials }: { steps: Steps; credentials?: Credentials },
): Promise<void> {
  await steps.run((done) => connection.connect(done)).catch((error) => {
    throw isWithoutTls(error) ? new Error("this port does not begin with TLS: try smtp://", { cause: error }) : error;
  });
  if (credentials) await steps.run((done) => connection.login({ credentials }, done));
}

/** Whether the server has answered the start of TLS with something else, such as its greeting. */
function isWithoutTls(error: Error & { code?: string }): boolean {
  return /wrong version number|InvalidContentType|corrupt message/i.test(`${error.code} ${error.message}`);
}

type Steps = ReturnType<typeof stepsOf>;

/** Runs the steps of an attempt. Any of them can also fail by an event of the connection, or by the end of the time. */
function stepsOf(connection: SMTPConnection) {
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  connection.on("error", failed.reject);
  const timer = setTimeout(
    () => failed.reject(new Error(`it took longer than ${LONGEST_ATTEMPT_SECONDS} seconds`)),
    LONGEST_ATTEMPT_SECONDS * SECOND_MS,
  );
  return {
    run: (start: (done: (error?: Error | null) => void) => void): Promise<void> =>
      Promise.race([
        failed.promise,
        new Promise<void>((resolve, reject) => start((error) => error ? reject(error) : resolve())),
      ]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/**
 * The server's answer names the cause. It may quote the email, so only the safe part of it is kept: the cause, which
 * contains all of it, is logged only if the server has not answered. The credentials are never in an answer, because
 * they are sent as a command.
 */
function deliveryErrorOf(cause: unknown, to: string): DeliveryError {
  const { command, response, responseCode, message } = cause as SMTPConnection.SMTPError;
  const isRefused = command === "RCPT TO" && (responseCode ?? 0) >= 500;
  const answer = response && safeAnswer(response, { to });
  return new DeliveryError(
    `The mail server ${isRefused ? "refused the recipient" : "did not accept the email"}: ${answer || message}`,
    { cause: answer ? undefined : cause, isFinal: isRefused, answer },
  );
}
