import type { Mail } from "../../services/services.ts";
import { MAIL_HEADERS } from "./headers.ts";

/** Composes an email as the content of an `.eml` file, which mail programs open. Source: RFC 822. */
export function emlOf({ to, subject, text, html }: Mail, { from, id }: { from: string; id: string }): string {
  const part = (type: string, body: string) =>
    [`--${id}`, `Content-Type: ${type}; charset=utf-8`, "Content-Transfer-Encoding: 8bit", "", body].join("\n");
  return [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${encodedWord(subject)}`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${id}@foyer>`,
    ...Object.entries(MAIL_HEADERS).map(([name, value]) => `${name}: ${value}`),
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${id}"`,
    "",
    part("text/plain", text),
    part("text/html", html),
    `--${id}--`,
    "",
  ].join("\n").replaceAll("\n", "\r\n");
}

/** Reads what {@linkcode emlOf} has composed. */
export function parseEml(source: string): Mail {
  const lines = source.replaceAll("\r\n", "\n");
  const [, id = ""] = /boundary="([^"]*)"/.exec(lines) ?? [];
  const [head, text, html] = lines.split(`\n--${id}`);
  return {
    to: header(head, "To"),
    subject: decodedWord(header(head, "Subject")),
    text: bodyOf(text).trim(),
    html: bodyOf(html),
  };
}

function bodyOf(part = ""): string {
  return part.slice(part.indexOf("\n\n") + 2);
}

function header(head: string, name: string): string {
  return new RegExp(`^${name}: (.*)$`, "m").exec(head)?.[1] ?? "";
}

function decodedWord(text: string): string {
  const encoded = /^=\?utf-8\?B\?(.*)\?=$/.exec(text)?.[1];
  return encoded === undefined ? text : new TextDecoder().decode(Uint8Array.fromBase64(encoded));
}

/** Source: RFC 2047. */
function encodedWord(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?B?${new TextEncoder().encode(text).toBase64()}?=`;
}
