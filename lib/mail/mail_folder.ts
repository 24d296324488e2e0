import { join } from "node:path";
import { makePrivateFolder } from "../data_dir.ts";
import type { Log } from "../log.ts";
import type { KeptMail, Mail, MailTransport } from "../services.ts";

/**
 * Delivers nothing: writes each mail as a complete `.eml` file (RFC 822) into a folder. A mail that is tried
 * again replaces its own file.
 */
export function createDevelopmentOutbox(
  { directory, from, log }: { directory: string; from: string; log: Log },
): MailTransport {
  return {
    async send(mail, idempotencyKey) {
      await makePrivateFolder(directory);
      const path = join(directory, `${idempotencyKey}.eml`);
      await Deno.writeTextFile(`${path}.tmp`, emlOf(mail, { from, id: idempotencyKey }));
      await Deno.rename(`${path}.tmp`, path);
      log("info", "mail written to the development outbox", { file: path });
    },
    kept: () => readFolder(directory),
  };
}

async function readFolder(directory: string): Promise<KeptMail[]> {
  const mails: KeptMail[] = [];
  try {
    for await (const { name } of Deno.readDir(directory)) {
      if (name.endsWith(".eml")) mails.push(await readEml(join(directory, name)));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return mails.sort((a, b) => b.keptAt.getTime() - a.keptAt.getTime());
}

/** Reads back what {@linkcode emlOf} wrote. */
async function readEml(path: string): Promise<KeptMail> {
  const [{ mtime }, source] = await Promise.all([Deno.stat(path), Deno.readTextFile(path)]);
  const [head, plain] = source.replaceAll("\r\n", "\n").split(/\n--[0-9a-f-]+\n/);
  const text = plain.slice(plain.indexOf("\n\n")).trim();
  return { to: header(head, "To"), subject: decodedWord(header(head, "Subject")), text, keptAt: mtime ?? new Date(0) };
}

function header(head: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, "m").exec(head)?.[1] ?? "";
}

function emlOf({ to, subject, text, html }: Mail, { from, id }: { from: string; id: string }): string {
  const part = (type: string, body: string) =>
    [`--${id}`, `Content-Type: ${type}; charset=utf-8`, "Content-Transfer-Encoding: 8bit", "", body].join("\n");
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${encodedWord(subject)}`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${id}@foyer>`,
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${id}"`,
    "",
    part("text/plain", text),
    part("text/html", html),
    `--${id}--`,
    "",
  ].join("\n").replaceAll("\n", "\r\n");
}

function decodedWord(text: string): string {
  const encoded = /^=\?utf-8\?B\?(.*)\?=$/.exec(text)?.[1];
  return encoded === undefined ? text : new TextDecoder().decode(Uint8Array.fromBase64(encoded));
}

/** Source: RFC 2047. */
function encodedWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${new TextEncoder().encode(text).toBase64()}?=`;
}
