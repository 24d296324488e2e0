import { join } from "node:path";
import { makePrivateFolder, PRIVATE } from "../../config/data_dir.ts";
import type { Log } from "../../log/log.ts";
import type { MailTransport, StoredMail } from "../../services/services.ts";
import { emlOf, parseEml } from "./eml.ts";

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
      if (name.endsWith(".eml")) mails.push(await readMail(join(directory, name)));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return mails.sort((a, b) => b.storedAt.getTime() - a.storedAt.getTime());
}

async function readMail(path: string): Promise<StoredMail> {
  const [{ mtime }, source] = await Promise.all([Deno.stat(path), Deno.readTextFile(path)]);
  return { ...parseEml(source), storedAt: mtime ?? new Date(0) };
}
