import { type WireRequest } from "../random/wire.ts";

type Headers = WireRequest["headers"];

/** Requests: what a browser or a program sends, and whether it shows people a page. */
export const KINDS: [name: string, isPage: boolean, headers: Headers][] = [
  ["a link", true, [["Sec-Fetch-Mode", "navigate"], ["Accept", "text/html,application/xhtml+xml"]]],
  ["a link, in an old browser", true, [["Accept", "application/xml,text/html;q=0.9,*/*"]]],
  ["a program that does not say", true, []],
  ["fetch()", false, [["Sec-Fetch-Mode", "cors"], ["Accept", "*/*"]]],
  ["fetch() that accepts pages", false, [["Sec-Fetch-Mode", "same-origin"], ["Accept", "text/html"]]],
  ["fetch(), in an old browser", false, [["Accept", "*/*"]]],
  ["an image", false, [["Sec-Fetch-Mode", "no-cors"], ["Accept", "image/avif,image/*"]]],
  ["a form as fetch() sends it", false, [["Sec-Fetch-Mode", "cors"], ["Accept", "application/json"]]],
];

/** Paths that look as if they were below /open/, but are not. */
export const NOT_OPEN = [
  "/open/../secret",
  "/open/%2e%2e/secret",
  "/open/..%2fsecret",
  "/open/.%2E/secret",
  "/open/x/../../secret",
  "/opened/",
  "/secret?/open/",
  "/secret#/open/",
];

/** Opens a WebSocket through a proxy and sends "hi". Returns the status, and what came back after it was opened. */
export async function openWebSocket(
  port: number,
  headers: Headers,
  { certificate }: { certificate?: string } = {},
): Promise<{ status: number; echo: string }> {
  using connection = certificate === undefined
    ? await Deno.connect({ hostname: "127.0.0.1", port })
    : await Deno.connectTls({ hostname: "localhost", port, caCerts: [certificate], alpnProtocols: ["http/1.1"] });
  const lines = [...HANDSHAKE, ...headers].map((header) => `${header.join(": ")}\r\n`);
  await connection.write(new TextEncoder().encode(`GET /socket HTTP/1.1\r\n${lines.join("")}\r\n`));
  const status = Number((await readUntil(connection, "\r\n\r\n")).split(" ")[1]);
  if (status !== 101) return { status, echo: "" };
  await connection.write(FRAME);
  return { status, echo: (await readUntil(connection, "hi")).slice(-2) };
}

const HANDSHAKE: Headers = [
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
  ["Sec-WebSocket-Version", "13"],
  ["Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="],
];
/** "hi" in a final text frame, with a mask of zeros. Source: RFC 6455, 5.2. */
const FRAME = Uint8Array.of(0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69);

/** Reads up to and including a text, or to the end. */
async function readUntil(connection: Deno.Conn, end: string): Promise<string> {
  const byte = new Uint8Array(1);
  let text = "";
  while (!text.endsWith(end) && await connection.read(byte) !== null) text += String.fromCharCode(byte[0]);
  return text;
}
