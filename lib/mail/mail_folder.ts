import { join } from "node:path";
import { makePrivateFolder, PRIVATE } from "../config/data_dir.ts";
import type { Log } from "../log.ts";
import type { Mail, MailTransport, StoredMail } from "../services.ts";

/**
 * Creates the transport for development, which delivers nothing. It writes each email as a complete `.eml` file
 * (RFC 822) into the folder. A retry replaces the file of the same email.
 */
export function createMailFolder(
  { directory, from, log }: { directory: string; from: string; log: Log },
): MailTransport {
  return {
    async send(mail, idempotencyKey) {
      await makePrivateFolder(directory);
      const path = join(directory, `${idempotencyKey}.eml`);
      await Deno.writeTextFile(`${path}.tmp`, emlOf(mail, { from, id: idempotencyKey }), PRIVATE.file);
      await Deno.rename(`${path}.tmp`, path);
      log("info", "email written to the mail folder", { file: path });
    },
    listMails: () => listMails(directory),
  };
}

async function listMails(directory: string): Promise<StoredMail[]> {
  const mails: StoredMail[] = [];
  try {
    for await (const { name } of Deno.readDir(directory)) {
      if (name.endsWith(".eml")) mails.push(await readEml(join(directory, name)));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return mails.sort((a, b) => b.storedAt.getTime() - a.storedAt.getTime());
}

/** Reads a file that {@linkcode emlOf} composed. */
async function readEml(path: string): Promise<StoredMail> {
  const [{ mtime }, source] = await Promise.all([Deno.stat(path), Deno.readTextFile(path)]);
  const [head, plain] = source.replaceAll("\r\n", "\n").split(/\n--[0-9a-f-]+\n/);
  const text = plain.slice(plain.indexOf("\n\n")).trim();
  const subject = decodedWord(header(head, "Subject"));
  return { to: header(head, "To"), subject, text, storedAt: mtime ?? new Date(0) };
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
