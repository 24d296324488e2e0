import { linesOf } from "./lines.ts";

/** An email as the mail server received it. */
export interface ReceivedMail {
  from: string;
  to: string;
  /** The lines of the message, header first. */
  source: string;
}

/** A mail server on this machine whose answers the test controls. */
export interface SmtpServer extends Disposable {
  url: string;
  /** Every email that the server received, including those that it then refused. */
  received: ReceivedMail[];
  /**
   * Returns the answer to a command such as `RCPT TO`, to `connect`, or to `content` after the email. By default, the
   * server accepts. Null drops the connection, a promise delays the answer, and one that never resolves stalls it.
   */
  answer(step: string): string | null | undefined | Promise<string>;
  /** The step after whose answer the server drops the connection. */
  dropsAfter?: string;
}

const ANSWERS: Record<string, string> = {
  connect: "220 mail.test",
  EHLO: "250 mail.test",
  DATA: "354 go on",
  QUIT: "221 bye",
};

/** Starts a mail server without TLS. */
export function startSmtpServer(hostname = "127.0.0.1"): SmtpServer {
  const listener = Deno.listen({ hostname, port: 0 });
  const connections = new Set<Deno.Conn>();
  const server: SmtpServer = {
    url: `smtp://${hostname}:${listener.addr.port}`,
    received: [],
    answer: () => undefined,
    [Symbol.dispose]() {
      listener.close();
      for (const connection of connections) end(connection);
    },
  };
  void (async () => {
    for await (const connection of listener) {
      connections.add(connection);
      void converse(connection, server).catch(() => {}).finally(() => end(connection));
    }
  })();
  return server;
}

function end(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch { /* The client has ended it. */ }
}

async function converse(connection: Deno.Conn, server: SmtpServer): Promise<void> {
  const writer = connection.writable.getWriter();
  const mail = { from: "", to: "", source: "" };
  /** Returns false if the connection must end. */
  async function say(step: string): Promise<boolean> {
    const answer = await server.answer(step);
    if (answer === null) return false;
    const text = answer ?? ANSWERS[step] ?? "250 ok";
    await writer.write(new TextEncoder().encode(`${text}\r\n`));
    return true;
  }

  if (!await say("connect")) return;
  let isContent = false;
  for await (const line of linesOf(connection.readable)) {
    if (isContent && line !== ".") {
      mail.source += `${line}\n`;
      continue;
    }
    const step: string = isContent ? "content" : /^(MAIL FROM|RCPT TO|\w+)/.exec(line)![1];
    if (isContent) server.received.push({ ...mail });
    isContent = step === "DATA";
    if (step === "MAIL FROM") Object.assign(mail, { from: addressIn(line), source: "" });
    if (step === "RCPT TO") mail.to = addressIn(line);
    if (!await say(step) || step === "QUIT" || step === server.dropsAfter) return;
  }
}

function addressIn(line: string): string {
  return /<(.*)>/.exec(line)![1];
}
