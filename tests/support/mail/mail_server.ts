import { ensure, MAIL_SERVER, PYTHON } from "../prerequisites.ts";
import { createCertificate } from "../processes/certificate.ts";
import { linesOf } from "./lines.ts";
import type { ReceivedMail } from "./smtp_server.ts";

/** An email, and whether it came over TLS. */
export interface SecretMail extends Omit<ReceivedMail, "to"> {
  to: string[];
  isSecret: boolean;
}

/** A real mail server on this machine, from a Debian package. It requires TLS, and the user foyer with a password. */
export interface MailServer extends AsyncDisposable {
  port: number;
  /** The path of its certificate, which is for `localhost`. */
  certificatePath: string;
  /** Waits for the next email. */
  next(): Promise<SecretMail>;
}

/**
 * Starts a mail server.
 *
 * @param mode whether TLS begins with a command, or with the connection.
 * @param folder for the certificate.
 */
export async function startMailServer(mode: "starttls" | "tls", folder: string): Promise<MailServer> {
  await ensure(MAIL_SERVER);
  const [certificatePath, keyPath] = await createCertificate(folder, ["localhost"]);
  const script = new URL("mail_server.py", import.meta.url).pathname;
  const args = [script, mode, certificatePath, keyPath];
  const child = new Deno.Command(PYTHON, { args, stdin: "piped", stdout: "piped", stderr: "null" }).spawn();
  const lines = linesOf(child.stdout);
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("The mail server has ended");
    return JSON.parse(value);
  };
  return {
    port: await nextLine(),
    certificatePath,
    next: nextLine,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.stdin.close().catch(() => {});
      await lines.return(undefined);
      await child.status;
    },
  };
}
