import { delay } from "../delay.ts";
import { PATIENCE_MS } from "../wait_for.ts";

/** An email as its reader sees it. */
export interface ReceivedMail {
  to: string;
  subject: string;
  /** The plain text part. */
  text: string;
  /** All web addresses in the text, in order. */
  links: string[];
}

/** The email to wait for. */
export interface MailQuery {
  to: string;
  /** A pattern that the subject or the text must match. */
  matching?: RegExp;
}

/** The mail folder of an app in development, with one `.eml` file per email. */
export interface MailFolder {
  /** All emails, oldest first. */
  list(): Promise<ReceivedMail[]>;
  /** Waits for an email that matches and that no earlier call has returned, and returns the oldest one. */
  next(query: MailQuery): Promise<ReceivedMail>;
}

/** Opens the mail folder of an app. */
export function openMailFolder(folder: string): MailFolder {
  const returned = new Set<string>();
  return {
    list: async () => (await readFolder(folder)).map(([, mail]) => mail),
    async next({ to, matching = /(?:)/ }) {
      const deadline = Date.now() + PATIENCE_MS;
      while (true) {
        const mails = await readFolder(folder);
        const found = mails.find(([path, mail]) =>
          !returned.has(path) && mail.to === to && (matching.test(mail.subject) || matching.test(mail.text))
        );
        if (found) {
          returned.add(found[0]);
          return found[1];
        }
        if (Date.now() >= deadline) {
          const seen = mails.map(([, mail]) => `${mail.to}: ${mail.subject}`).join("; ");
          throw new Error(`No new email to ${to} matching ${matching} in ${folder}, which holds: ${seen || "nothing"}`);
        }
        await delay(20);
      }
    },
  };
}

async function readFolder(folder: string): Promise<[path: string, mail: ReceivedMail][]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  });
  const files = await Promise.all(
    entries.filter((entry) => entry.name.endsWith(".eml")).map(async ({ name }) => {
      const path = `${folder}/${name}`;
      return { path, at: (await Deno.stat(path)).mtime?.getTime() ?? 0, source: await Deno.readTextFile(path) };
    }),
  );
  files.sort((a, b) => a.at - b.at || (a.path < b.path ? -1 : 1));
  return files.map(({ path, source }) => [path, parseMail(source)]);
}

/** Parses an email of one part, or of several parts of which the first is plain text. Source: RFC 822, RFC 2046. */
export function parseMail(source: string): ReceivedMail {
  const mail = parsePart(source.replaceAll("\r\n", "\n"));
  const boundary = mail.headers.get("content-type")?.match(/boundary="?([^";]+)"?/i)?.[1];
  // A part's body ends before the line break that belongs to the next boundary.
  const part = boundary === undefined ? mail : parsePart(mail.body.split(`--${boundary}`)[1].replace(/^\n|\n$/g, ""));
  const encoding = part.headers.get("content-transfer-encoding") ?? "7bit";
  if (!/^[78]bit$/i.test(encoding)) throw new Error(`Unsupported transfer encoding: ${encoding}`);
  return {
    to: mail.headers.get("to") ?? "",
    subject: decodeWords(mail.headers.get("subject") ?? ""),
    text: part.body,
    links: part.body.match(/https?:\/\/[^\s<>"]+/g) ?? [],
  };
}

function parsePart(source: string): { headers: Map<string, string>; body: string } {
  const end = source.indexOf("\n\n");
  const unfolded = source.slice(0, end).replaceAll(/\n[ \t]+/g, " ");
  const headers = new Map(
    unfolded.split("\n").map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { headers, body: source.slice(end + 2) };
}

/** Decodes the encoded words of a header. Source: RFC 2047. */
function decodeWords(value: string): string {
  const adjacent = /\?=\s+=\?/g;
  return value.replaceAll(adjacent, "?==?").replaceAll(
    /=\?utf-8\?([bq])\?([^?]*)\?=/gi,
    (_, encoding: string, text: string) => {
      const binary = encoding.toLowerCase() === "b"
        ? atob(text)
        : text.replaceAll("_", " ").replaceAll(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
      return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
    },
  );
}
