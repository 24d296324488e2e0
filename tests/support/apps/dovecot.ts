import { connect } from "node:net";
import { createInterface } from "node:readline";
import { readDocument } from "../source/documents.ts";
import { type RunningProgram, startProgram } from "./programs.ts";

/** A mail server that opens mailboxes to access tokens. */
export interface Dovecot extends RunningProgram {
  /** Logs in by IMAP with an access token, and returns the answer. */
  logIn(mechanism: keyof typeof MECHANISMS, login: { email: string; token: string }): Promise<string>;
}

/** What a mail program sends. Source: RFC 7628, 3.1; developers.google.com/gmail/imap/xoauth2-protocol. */
const MECHANISMS = {
  XOAUTH2: (email: string) => `user=${email}\x01`,
  OAUTHBEARER: (email: string) => `n,a=${email},\x01`,
};

/** The two ways of docs/connect/dovecot.md to check a token. */
export const TOKEN_CHECKS = ["introspection", "userinfo"] as const;

/** Starts Dovecot with the lines of docs/connect/dovecot.md. Everyone whom they accept has a mailbox. */
export async function startDovecot(
  { issuer, port, clientSecret, check }: {
    issuer: string;
    port: number;
    clientSecret: string;
    check: typeof TOKEN_CHECKS[number];
  },
): Promise<Dovecot> {
  const documented = (await readDocument("docs/connect/dovecot.md")).replaceAll("foyer.example", new URL(issuer).host)
    .replaceAll("https://", "http://").replaceAll("CLIENT_SECRET", clientSecret);
  const [mechanisms, ...checks] = [...documented.matchAll(/```ini\n([\s\S]*?)```/g)].map(([, lines]) => lines);
  const folder = await Deno.makeTempDir({ prefix: "foyer-dovecot-" });
  for (const path of [folder, `${folder}/mail`]) {
    await Deno.mkdir(path, { recursive: true });
    await Deno.chmod(path, 0o777); // mailboxes have an owner of their own
  }
  const tokens = `${folder}/oauth2.conf`;
  await Deno.writeTextFile(tokens, checks[TOKEN_CHECKS.indexOf(check)]);
  const configuration = `
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
listen = 127.0.0.1
protocols = imap
ssl = no
first_valid_uid = 1
mail_location = maildir:~/mail
auth_failure_delay = 0
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  inet_listener imap {
    port = ${port}
  }
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=${folder}/mail/%u
}
${mechanisms.replace("/etc/dovecot/dovecot-oauth2.conf.ext", tokens)}`;
  await Deno.writeTextFile(`${folder}/dovecot.conf`, configuration);
  const program = await startProgram({ path: "/usr/sbin/dovecot", args: ["-F", "-c", `${folder}/dovecot.conf`], port });
  return {
    logIn: (mechanism, { email, token }) =>
      authenticate(port, `${mechanism} ${btoa(`${MECHANISMS[mechanism](email)}auth=Bearer ${token}\x01\x01`)}`),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Returns the answer of an IMAP server to a login. */
async function authenticate(port: number, command: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const send = (line: string) => socket.write(`${line}\r\n`);
  try {
    for await (const line of createInterface({ input: socket })) {
      if (line.startsWith("* OK")) send(`a AUTHENTICATE ${command}`);
      if (line.startsWith("+")) send(""); // the server has said why, and waits
      if (line.startsWith("a ")) return line;
    }
    throw new Error("Dovecot has closed the connection");
  } finally {
    socket.destroy();
  }
}
